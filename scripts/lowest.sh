#!/bin/sh
# Installs the lowest versions that pyproject.toml allows into a fresh environment, and runs there
# what needs neither TensorFlow (as tests/cli/test_looks.py does) nor a browser. A bound that is too low fails here.
#
#     scripts/lowest.sh [FOLDER OF THE ENVIRONMENT]
#
# Needs uv. What was installed is printed, so that a bound can be told from what held it up.
set -eu
cd "$(dirname "$0")/.."
command -v uv >/dev/null || { echo "Install uv first, for instance: pipx install uv" >&2; exit 1; }
place=${1:-$(mktemp -d)/venv}

uv venv --quiet --clear --python "${PYTHON:-3.11}" "$place"
uv pip compile --quiet --no-config --resolution lowest-direct --python "$place/bin/python" \
    --no-annotate --no-header pyproject.toml > "$place/lowest.txt"
cat "$place/lowest.txt"
# Tests' own tools are any version: it is ours that are held to their bounds.
uv pip install --quiet --python "$place/bin/python" --only-binary :all: \
    --requirement "$place/lowest.txt" \
    hypothesis markdown-it-py nbformat packaging pillow playwright pytest pyyaml
# An old version may say that it, or what it uses, will go one day: that is no failure of ours.
PYTHONPATH=$PWD "$place/bin/python" -m pytest -q -m "not e2e" -p no:cacheprovider \
    -W default::DeprecationWarning -W default::FutureWarning \
    --ignore tests/cli/test_looks.py \
    tests/spec tests/analysis tests/results tests/importing tests/report tests/cli
