"""What the project holds itself to, measured or simulated; none of it is installed."""
