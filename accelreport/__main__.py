"""`python -m accelreport`."""

import sys

if __name__ == "__main__":
    # `-m` looks for modules in the working folder first, and its files may be anybody's.
    if not sys.flags.safe_path:
        del sys.path[0]
    from accelreport.cli import main

    main()
