# make help lists the targets. Every target sets up what it needs in .venv.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
export PIP_CONSTRAINT := constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# make test SLOW=1 also runs the tests marked slow
MARK := $(if $(SLOW),,-m "not slow")

.PHONY: help demo steer test lint format bench clean lock
.DEFAULT_GOAL := help

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

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

demo: $(VENV)/.ready ## metastable clustering on the sphere and the circle; figures and numbers under out/
	@$(BIN)/python examples/demo.py --out out

steer: $(VENV)/.ready ## trains Q, K, V so that the flow sends tokens where they should go; figures under out/steer
	@$(BIN)/python examples/steer.py --out out/steer

test: $(VENV)/.ready ## the tests (a few minutes); SLOW=1 adds the slow ones
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder $(MARK)

lint: $(VENV)/.ready ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.ready ## rewrites the sources in the house format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.bench ## speed, memory and accuracy beside PyTorch, KeOps, NumPy and SciPy
	$(BIN)/tokenfield bench

lock: $(VENV)/.bench ## writes the installed versions to constraints.txt
	@{ echo "# Exact versions that make installs. Regenerate with: make lock"; \
	  $(BIN)/pip list --format=freeze --exclude-editable | grep -v '^pip==' | sed 's/+cpu$$//'; } > constraints.txt

clean: ## removes the environment and everything that was made
	rm -rf $(VENV) out build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
