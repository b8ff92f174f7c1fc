"""What runs accelreport for people: workflows, containers, and their own tests."""
