#!/bin/sh
# Installs the package with one framework, and not TensorFlow, into the environment of `python`, in the
# versions of the locks where they have one: scripts/one_framework.sh jax. Needs uv.
set -eu
cd "$(dirname "$0")/.."
command -v uv >/dev/null || { echo "Install uv first, for instance: pipx install uv" >&2; exit 1; }
lock=$(mktemp)
trap 'rm -f "$lock"' EXIT
uv pip compile --quiet --no-config --generate-hashes pyproject.toml --group pyproject.toml:build \
	--extra "$1" --constraint requirements-dev.lock --output-file "$lock"
python -m pip install --only-binary :all: --require-hashes --requirement "$lock"
python -m pip install --no-deps --no-build-isolation .
