#!/bin/sh
# Creates the virtual environment: scripts/create_venv.sh FOLDER
#
# Takes $PYTHON when it is set, else the first of python3, python3.13, python3.12 and
# python3.11 that TensorFlow is published for and that can make environments. `python3` comes
# first because it is the one that a machine's own packages complete.
set -eu
venv=$1
oldest="3, 11"
newest="3, 13"

runs_tensorflow() {
    "$1" -c "import sys; sys.exit(not ($oldest) <= sys.version_info[:2] <= ($newest))" 2>/dev/null
}

makes_environments() {
    "$1" -c "import ensurepip, venv" 2>/dev/null
}

candidates=${PYTHON:-python3 python3.13 python3.12 python3.11}
python=""
incomplete=""
for candidate in $candidates; do
    runs_tensorflow "$candidate" || continue
    if makes_environments "$candidate"; then
        python=$candidate
        break
    fi
    incomplete=${incomplete:-$candidate}
done

if [ -z "$python" ] && [ -n "$incomplete" ]; then
    # Debian and Ubuntu keep ensurepip in a package of its own.
    version=$("$incomplete" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    echo "$incomplete (Python $version) cannot make virtual environments." >&2
    "$(dirname "$0")/apt_install.sh" "python$version-venv"
    python=$incomplete
fi

if [ -z "$python" ]; then
    {
        echo "No suitable Python found: accelreport needs Python 3.11, 3.12 or 3.13"
        echo "(TensorFlow is published for these). Tried:"
        for candidate in $candidates; do
            echo "  $candidate: $("$candidate" --version 2>&1 | head -n 1)"
        done
        echo "Install one of them (Debian, Ubuntu: sudo apt install python3 python3-venv;"
        echo "macOS: brew install python@3.13), or name one: make report PYTHON=/path/to/python3"
    } >&2
    exit 1
fi

if [ "$("$python" -c 'import platform; print(platform.system(), platform.machine())')" = \
    "Darwin x86_64" ]; then
    echo "TensorFlow is not published for Intel Macs (nor for an Intel Python on Apple" >&2
    echo "silicon): please use a native arm64 Python, or Linux." >&2
    exit 1
fi

echo "Creating $venv with $("$python" --version)"
"$python" -m venv --clear "$venv"
