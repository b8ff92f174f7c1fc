"""Golden screenshots: every kind of page as it looked when somebody last looked at it."""
