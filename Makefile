# make help lists the targets. Every target sets up what it needs in .venv.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
export PIP_CONSTRAINT := constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# what Python compiles is kept, whatever the shell says: tests are read by two processes, and start others
unexport PYTHONDONTWRITEBYTECODE
# make test SLOW=1 also runs the tests marked slow and the examples in docstrings
TESTS := $(if $(SLOW),--doctest-modules tests src,-m "not slow" tests)

.PHONY: help demo metastable steer browser test lint format bench clean lock explore explorer explorer-thumbnails explorer-check docs package matrix
.DEFAULT_GOAL := help

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(VENV)/.ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "tokenfield needs Python 3.11 or newer: make PYTHON=/path/to/python3.11"; exit 1; }
	@echo "Setting up $(VENV) (once; a minute or two)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --quiet --editable '.[dev]'
	@touch $@

$(VENV)/.bench: $(VENV)/.ready
	@echo "Installing the peers to compare with (PyTorch, KeOps)"
	@$(BIN)/pip install --quiet --editable '.[bench]'
	@touch $@

$(VENV)/.reference: $(VENV)/.ready
	@echo "Installing what real models are compared with (PyTorch, transformers)"
	@$(BIN)/pip install --quiet --editable '.[reference]'
	@touch $@

$(VENV)/.docs: $(VENV)/.ready
	@echo "Installing what builds the site (Sphinx)"
	@$(BIN)/pip install --quiet --editable '.[docs]'
	@touch $@

# make docs QUICK=1 executes one example of each section only, as continuous integration does
docs: $(VENV)/.docs ## builds the site with its executed gallery (5 minutes): docs/_build/html/index.html
	@$(if $(QUICK),TOKENFIELD_DOCS_QUICK=1) $(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "The site is in docs/_build/html/index.html"

demo: $(VENV)/.ready ## published theorems and figures as executable claims (3 to 4 minutes); a page under out/report
	@$(BIN)/tokenfield reproduce --quick --out out/report

metastable: $(VENV)/.ready ## metastable clustering on the sphere and the circle; figures, a movie and numbers under out/
	@$(BIN)/python examples/metastable.py --out out

steer: $(VENV)/.ready ## trains Q, K, V so that the flow sends tokens where they should go; figures under out/steer
	@$(BIN)/python examples/steer.py --out out/steer

explore: $(VENV)/.ready ## a local page where tokens move; opens it in a browser, Ctrl-C ends it
	@$(BIN)/tokenfield explore

# a browser for the test of the report page, where apt-get may install one
browser:
	@command -v chromedriver >/dev/null || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && \
	  echo "Installing Chromium for the test of the report page" && \
	  { apt-get install -y -qq chromium chromium-driver >/dev/null 2>&1 || \
	    { apt-get update -qq && apt-get install -y -qq chromium chromium-driver; } >/dev/null; } || \
	  echo "No Chromium: the test of the report page is skipped"; }

# slow tests also wait for browsers and for other processes: a third worker computes meanwhile
test: $(VENV)/.ready browser $(if $(SLOW),$(VENV)/.reference) ## the tests (a few minutes); SLOW=1 adds the slow ones
	$(BIN)/python -m pytest -n $(if $(SLOW),3,2) --dist loadfile --no-loadscope-reorder $(TESTS)

lint: $(VENV)/.ready ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy --num-workers 2
	$(BIN)/lint-imports --no-logo

format: $(VENV)/.ready ## rewrites the sources in the house format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# the page of the explorer; users get it built, so only those who change it need Node
WEB := src/tokenfield/explorer/web
NPM := npm --prefix $(WEB)

$(WEB)/node_modules/.package-lock.json: $(WEB)/package.json $(WEB)/package-lock.json
	@echo "Installing what builds the page of the explorer (Node 20 or newer)"
	@$(NPM) install --no-save --no-audit --no-fund --loglevel=error
	@touch $@

explorer: $(WEB)/node_modules/.package-lock.json ## builds the page of the explorer from its TypeScript
	@$(NPM) run --silent build

explorer-thumbnails: $(VENV)/.ready ## draws the small pictures of the gallery anew, with Chromium; SCENES="circle" for one
	@$(BIN)/python $(WEB)/thumbnails.py $(SCENES)
	@$(MAKE) explorer

# types, style and unit tests of the page, and whether the committed build is that of the sources
explorer-check: $(if $(shell command -v npm),$(WEB)/node_modules/.package-lock.json)
	@command -v npm >/dev/null || { echo "No Node: the sources of the page are not checked"; exit 0; }; \
	  built=$$(mktemp -d) && trap 'rm -rf "$$built"' EXIT && $(NPM) run --silent check && \
	  EXPLORER_OUT="$$built" $(NPM) run --silent build >/dev/null && \
	  diff -rq "$$built" src/tokenfield/explorer/static || { echo "The page or its build is not in order; make explorer builds it"; exit 1; }

bench: $(VENV)/.bench ## speed, memory and accuracy beside PyTorch, KeOps, NumPy and SciPy
	$(BIN)/tokenfield bench

# wheel and sdist as users get them: each installed in an environment of its own, where a command runs from elsewhere
CLEAN := $(CURDIR)/out/package
package: $(VENV)/.ready ## builds the wheel and the sdist, and tries both in clean environments
	@rm -rf dist $(CLEAN) && mkdir -p $(CLEAN)
	@$(BIN)/python -m hatchling build -d dist
	@$(PYTHON) -m venv $(CLEAN)/env && $(CLEAN)/env/bin/pip install --quiet dist/*.whl
	@cd $(CLEAN) && env/bin/tokenfield --version && env/bin/tokenfield simulate --dim 2 --n 20 --t1 1 --out wheel >/dev/null
	@$(CLEAN)/env/bin/pip install --quiet --no-deps --force-reinstall dist/*.tar.gz
	@cd $(CLEAN) && env/bin/tokenfield simulate --dim 2 --n 20 --t1 1 --out sdist >/dev/null && env/bin/tokenfield export sdist --out scene.html >/dev/null
	@rm -rf $(CLEAN) && ls -l dist

# where further versions of Python are installed (also by pyenv), the default tests run with them too, with the newest JAX
matrix: ## the tests with every Python from 3.11 to 3.13 that is there, and the newest JAX for each
	@for v in 3.11 3.12 3.13; do found=; \
	  for python in python$$v "$$(pyenv root 2>/dev/null)"/versions/$$v.*/bin/python; do \
	    if "$$python" -c '' 2>/dev/null; then found=$$python; break; fi; done; \
	  if [ -z "$$found" ]; then echo "no Python $$v here"; continue; fi; \
	  $(MAKE) --no-print-directory test VENV=.venv-$$v PYTHON="$$found" PIP_CONSTRAINT= || exit 1; done

lock: $(VENV)/.bench $(VENV)/.reference $(VENV)/.docs ## writes the installed versions to constraints.txt
	@{ echo "# Exact versions that make installs. Regenerate with: make lock"; \
	  $(BIN)/pip list --format=freeze --exclude-editable | grep -v '^pip==' | sed 's/+cpu$$//'; } > constraints.txt

clean: ## removes the environment and everything that was made
	rm -rf $(VENV) out build dist docs/_build docs/gallery docs/reference .pytest_cache .mypy_cache .ruff_cache .hypothesis
