#!/bin/sh
# Builds the wheel and the source archive, and tries both: the wheel's metadata are complete, and it works
# in a fresh environment far from the checkout; from the source archive the same wheel is made again.
#
#     scripts/build_release.sh FOLDER
#
# Every tool comes from requirements-dev.lock, by hash.
set -eu
cd "$(dirname "$0")/.."
mkdir -p "$1"
out=$(cd "$1" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
python=${PYTHON:-python3}

"$python" -m venv "$scratch/build"
"$scratch/build/bin/python" -m pip install --quiet --only-binary :all: --require-hashes \
    --requirement requirements-dev.lock
"$scratch/build/bin/python" -m hatchling build -d "$out"
"$scratch/build/bin/python" -m twine check --strict "$out"/*

mkdir "$scratch/sdist" && tar -xzf "$out"/accelreport-*.tar.gz -C "$scratch/sdist" --strip-components 1
(cd "$scratch/sdist" && "$scratch/build/bin/python" -m hatchling build -t wheel -d "$scratch/again")
cmp "$scratch"/again/*.whl "$out"/*.whl

"$python" -m venv "$scratch/try"
"$scratch/try/bin/python" -m pip install --quiet --only-binary :all: --require-hashes \
    --requirement requirements.lock
"$scratch/try/bin/python" -m pip install --quiet --no-deps "$out"/*.whl
cd "$scratch"
try/bin/accelreport --version
try/bin/accelreport new first.toml --kind matmul
try/bin/accelreport check first.toml
