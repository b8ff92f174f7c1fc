# Two commands matter: `make report` and `make test`; `make` alone lists the others.
# Works with GNU Make 3.81, which macOS ships.

VENV := .venv
BIN := $(VENV)/bin
PROFILE ?= quick
# Leaves a slow machine a minute of five for the pages.
WITHIN ?= $(if $(filter quick,$(PROFILE)),--within 4m)
SPECS ?= specs/
SITE ?= site
# One more than there are processors: many tests wait for processes of their own.
WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
export PYTHON
# Where containers set it, Python compiles anew what it imports: TensorFlow takes three times as long.
unexport PYTHONDONTWRITEBYTECODE

# Wheels only, and only those whose hash is in the lock: nothing is compiled on your machine,
# and nothing else than what was tested is installed.
# Nor is it compiled to bytecode, of which a report needs a tenth: the import below does that part.
PIP_INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
FROM_LOCK = $(PIP_INSTALL) --only-binary :all: --require-hashes --requirement
UV_COMPILE = uv pip compile --quiet --no-config --universal --python-version 3.11 \
	--generate-hashes --no-emit-index-url --no-emit-find-links \
	--custom-compile-command "make lock" $(if $(UPGRADE),--upgrade)
UV_PACKAGE = $(UV_COMPILE) pyproject.toml --group pyproject.toml:build

.PHONY: help report site test lint docs lock lowest clean
.DEFAULT_GOAL := help

help: ## list these commands
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1|\2/p' Makefile | \
		while IFS='|' read -r name text; do printf '  %-12s %s\n' "$$name" "$$text"; done

report: $(VENV)/.installed ## run the quick benchmarks on this machine and build their report
	@status=0; $(BIN)/accelreport run $(SPECS) --profile $(PROFILE) $(WITHIN) || status=$$?; \
	case $$status in \
		0 | 4) ;; # 4: some cells failed; the page shows them and what to do \
		*) exit $$status ;; \
	esac; \
	$(BIN)/accelreport build || exit $$?; \
	echo "Your report: $(CURDIR)/site/index.html"; \
	exit $$status

site: $(VENV)/.installed ## build the report and the ranked chips of what is shipped, in site/
	$(BIN)/accelreport build --results examples/whole_trainings --out "$(SITE)" --chips chips/index.html
	$(BIN)/accelreport rank examples/chips --out "$(SITE)/chips" --report ../index.html

# The linters work beside the tests and are told after them. Their command is a variable, since
# `make -n` carries out every line that calls make by its own name.
LINT = $(MAKE) --no-print-directory lint
# Files stay in the order of tests/conftest.py, in which the long ones come first.
PYTEST = $(BIN)/python -m pytest -n $(WORKERS) --maxprocesses=4 --dist loadfile --no-loadscope-reorder

test: $(VENV)/.installed-dev ## install what tests need, run the linters and every test
	@browser=$$(scripts/find_browser.sh) || exit $$?; \
	$(LINT) >$(VENV)/lint.txt 2>&1 & linters=$$!; \
	ACCELREPORT_BROWSER="$$browser" $(PYTEST); status=$$?; \
	wait $$linters || status=$$?; \
	cat $(VENV)/lint.txt; \
	exit $$status

lint: $(VENV)/.installed-dev ## check style, imports, types and the shipped specs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache --no-logo
	$(BIN)/mypy
	$(BIN)/accelreport check $(SPECS)

docs: $(VENV)/.installed-dev ## build the documentation as a site, in build/docs/
	@rm -rf build/docs
	@$(BIN)/python -m sphinx --fail-on-warning --nitpicky --quiet --doctree-dir build/doctrees docs build/docs
	@echo "The documentation: $(CURDIR)/build/docs/index.html"

lock: ## compile the locks again (UPGRADE=1: to the newest versions); needs uv
	@command -v uv >/dev/null || { echo "Install uv first, for instance: pipx install uv"; exit 1; }
	$(UV_PACKAGE) --extra cpu --output-file requirements.lock
	$(UV_PACKAGE) --constraint requirements.lock --output-file requirements-report.lock
	$(UV_PACKAGE) --extra cpu --group pyproject.toml:dev --constraint requirements.lock --output-file requirements-dev.lock
	$(UV_COMPILE) --group pyproject.toml:lock --output-file requirements-uv.lock

lowest: ## run the fast tests with the lowest versions that pyproject.toml allows; needs uv
	scripts/lowest.sh

clean: ## remove the environment, caches and built files (results/ and site/ stay)
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find accelreport benchmarks docsite tests -name __pycache__ -type d -prune -exec rm -rf {} +

# A virtual environment that was moved or copied, or whose Python is gone, is made anew.
ifneq ($(shell $(BIN)/python -c "print(open('$(VENV)/.created').read().strip())" 2>/dev/null),$(CURDIR))
.PHONY: $(VENV)/.created
endif

$(VENV)/.created:
	@scripts/create_venv.sh $(VENV)
	@printf '%s\n' "$(CURDIR)" > $@

# The package itself is installed as a link to this folder: editing it needs no new install.
$(VENV)/.installed: requirements.lock pyproject.toml $(VENV)/.created
	@echo "Installing what requirements.lock pins (TensorFlow is large: some minutes)"
	@$(FROM_LOCK) requirements.lock
	@$(PIP_INSTALL) --no-deps --no-build-isolation --editable .
	@$(BIN)/python -c 'import keras' >/dev/null 2>&1 || true
	@touch $@

$(VENV)/.installed-dev: requirements-dev.lock requirements-torch.txt $(VENV)/.installed
	@echo "Installing what requirements-dev.lock adds for tests"
	@$(FROM_LOCK) requirements-dev.lock
	@$(PIP_INSTALL) --only-binary :all: --requirement requirements-torch.txt
	@touch $@
