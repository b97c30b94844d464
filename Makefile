# Everything a developer or a reader runs. `make` alone lists the targets.
#
#   PYTHON=python3.12 make install    choose the interpreter (3.11 or newer)
#   ARGS="-k cursor" make test        hand arguments to pytest

.DEFAULT_GOAL := help
.PHONY: help install run test check breaking bench soak graphiql lock clean

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input
INSTALLED := $(VENV)/installed
TESTED := $(VENV)/installed-for-tests
BUNDLE := schema/graphiql/dist/bundle.js
export PYTHONUTF8 := 1

help:
	@echo "make install   create .venv with everything pinned, and build GraphiQL where Node 20 is found"
	@echo "make run       install if need be, then serve the demo at http://127.0.0.1:8000/graphql"
	@echo "make test      run all tests"
	@echo "make check     lint, types, floors, schema and migrations"
	@echo "make breaking  show what the schema's changes break for clients; BASE=commit compares with another one"
	@echo "make bench     run the benchmarks"
	@echo "make soak      run the long tests"
	@echo "make graphiql  build GraphiQL for use without a network"
	@echo "make lock      resolve the pinned requirements anew (needs uv)"
	@echo "make clean     remove what the targets above have made"

install: $(INSTALLED) graphiql

$(VENV)/pyvenv.cfg:
	@for python in $${PYTHON:-python3.13 python3.12 python3.11 python3}; do \
		if "$$python" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
			echo "Creating $(VENV) with $$("$$python" --version)"; \
			exec "$$python" -m venv --clear $(VENV); \
		fi; \
	done; \
	echo "No usable Python among: $${PYTHON:-python3.13 python3.12 python3.11 python3}." >&2; \
	echo "Loregraph needs Python 3.11 or newer with venv (on Debian and Ubuntu the package python3-venv)." >&2; \
	echo "Name one with PYTHON=/path/to/python3 make install." >&2; \
	exit 1

$(INSTALLED): $(VENV)/pyvenv.cfg requirements.txt pyproject.toml
	@echo "Installing the pinned requirements; the first time takes a minute or two"
	@$(PIP) install --quiet --require-hashes -r requirements.txt
	@$(PIP) install --quiet --no-deps --no-build-isolation -e .
	@touch $@

$(TESTED): $(INSTALLED) tests/requirements.txt
	@$(PIP) install --quiet --require-hashes -r tests/requirements.txt
	@touch $@

# The page falls back to a CDN, so that neither a missing Node nor a failed build stops the installation.
graphiql:
	@if [ -f $(BUNDLE) ] && [ -z "$$(find schema/graphiql -maxdepth 1 -type f -newer $(BUNDLE) -name '*.js*')" ]; then :; \
	elif node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' 2>/dev/null && npm --version >/dev/null 2>&1; then \
		echo "Building GraphiQL"; \
		(cd schema/graphiql && npm ci --silent && node build.js && rm -rf node_modules) || \
			echo "GraphiQL could not be built. Its page will load GraphiQL from its CDN."; \
	else \
		echo "Node 20 or newer was not found. GraphiQL's page will load GraphiQL from its CDN."; \
	fi

run: install
	@exec $(BIN)/loregraph demo

test: $(TESTED)
	@$(BIN)/python -m pytest -n auto --dist worksteal $(ARGS)

check: $(TESTED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	@MYPYPATH=benchmarks:tests $(BIN)/mypy benchmarks/*.py
	$(BIN)/lint-imports
	$(BIN)/loregraph sdl | diff -u schema/schema.graphql -
	@data=$$(mktemp -d) && trap 'rm -rf "$$data"' EXIT && export LOREGRAPH_DATA="$$data" && unset LOREGRAPH_DATABASE_URL && \
		$(BIN)/alembic upgrade head && $(BIN)/alembic check
	@$(MAKE) --no-print-directory breaking

breaking: $(INSTALLED)
	@$(BIN)/python -m schema.compatibility $(BASE)

bench: $(TESTED)
	@set -e; for benchmark in benchmarks/[a-z]*.py; do echo "== $$benchmark"; $(BIN)/python "$$benchmark"; done

soak: $(TESTED)
	@$(BIN)/python -m pytest -m soak --timeout 0 $(ARGS)

# hatchling and editables build the project itself, without isolation, so they are pinned with the rest.
LOCK := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url
lock:
	@printf 'hatchling\neditables\n' | $(LOCK) pyproject.toml - --output-file requirements.txt
	@$(LOCK) --constraints requirements.txt tests/requirements.in --output-file tests/requirements.txt
	@cd schema/graphiql && npm install --silent --package-lock-only
	@cd benchmarks/_query/node && npm install --silent --package-lock-only --omit-lockfile-registry-resolved
	@! grep -nE '(https?|file)://|"resolved"|index-url' requirements.txt tests/requirements.txt
	@! grep -nE '"resolved"' schema/graphiql/package-lock.json benchmarks/_query/node/package-lock.json

clean:
	rm -rf $(VENV) schema/graphiql/dist schema/graphiql/node_modules
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
