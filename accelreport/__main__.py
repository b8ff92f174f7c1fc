"""`python -m accelreport`."""

from accelreport.cli import main

if __name__ == "__main__":
    main()
