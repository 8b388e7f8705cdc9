# Everything a person needs: make demo, make test. The first call sets up .venv by itself.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check
READY := $(VENV)/.ready
DEV_READY := $(VENV)/.ready-dev
PEERS_READY := .venv-peers/.ready
PEERS_PIP := .venv-peers/bin/python -m pip -qq --disable-pip-version-check

# ninja would take the job server of make -j for its own, and cannot reach it.
unexport MAKEFLAGS
# Packages come without bytecode, which the first process to import them writes. In a shell that forbids that, each of
# the hundred processes that tests start would compile them once more, for five seconds and longer.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo demo-scale chaos picture test test-all slow fuzz fuzz-sanitized lint format stubs bench sanitize clang clean

# The packages that stand in a list of pyproject.toml, one in a line.
requirements = $(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]$(1), sep="\n")'

# The core is compiled while the packages that it does not need for that are fetched; those become bytecode when they are
# first imported, which most of their files never are.
$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "margin needs Python 3.11 or newer: make PYTHON=python3.12")'
	@echo "Setting up $(VENV) (a few minutes: the core is compiled)"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install -c constraints.txt scikit-build-core nanobind ninja cmake
	@$(call requirements,["dependencies"]) > $(VENV)/needed.txt
	@$(PIP) install --no-compile -c constraints.txt -r $(VENV)/needed.txt & needed=$$!; \
	$(PIP) install -c constraints.txt --no-build-isolation --no-deps -Ceditable.rebuild=true -Ceditable.verbose=false -e .; \
	built=$$?; wait $$needed && exit $$built
	@touch $@

# What tests, linters and pictures need beside it; a demo does without.
$(DEV_READY): $(READY)
	@$(call requirements,["optional-dependencies"]["dev"]) > $(VENV)/dev.txt
	@$(PIP) install --no-compile -c constraints.txt -r $(VENV)/dev.txt
	@touch $@

demo: $(READY)
	@$(BIN)/python -m margin compare credit --target risk --out demo-report.html --seed 1

# A table of 20 million rows, learnt from within a gigabyte, and again by two workers of which one is killed.
demo-scale: $(READY)
	@$(BIN)/python examples/larger_than_memory.py --rows 20000000 --memory 1e9

# Workers are killed and stopped at random, 350 times, over all families that are fitted on parts.
chaos: $(DEV_READY)
	$(BIN)/python -m tests.distributed.chaos $(CHAOS)

# What the README shows of the demo: the leaderboard, and a picture of the page as a browser shows it.
picture: $(DEV_READY)
	@$(BIN)/python docs/picture.py

# Packages for the tests are fetched while the core's own tests are compiled.
test:
	@$(MAKE) --no-print-directory -j 2 $(DEV_READY) sanitize
	$(BIN)/python -m pytest -n 2 --dist worksteal

# Every setting of every estimator through every check, where make test tries as many as can make a difference.
test-all:
	@$(MAKE) --no-print-directory -j 2 $(DEV_READY) sanitize
	MARGIN_TEST_ALL=1 $(BIN)/python -m pytest -n 2 --dist worksteal

# What takes minutes each, and so stands in no other run: whole trainings, the largest networks.
slow: $(DEV_READY)
	$(BIN)/python -m pytest -m slow --timeout 1800

# Ten thousand damaged files of every kind of model, killed saves and failing disks; FUZZ='--models SVC --n 1000'.
fuzz: $(DEV_READY)
	$(BIN)/python -m tests.persistence.fuzz $(FUZZ)
	$(BIN)/python -m tests.persistence.kills

# The same files as a hostile writer makes them, loaded by a core under AddressSanitizer and UBSan. Python is started
# without its site (-S), where the editable install would put the ordinary core in front.
SANITIZED := build/sanitized-core
fuzz-sanitized: $(DEV_READY)
	@$(BIN)/cmake -S . -B $(SANITIZED) -G Ninja -DSKBUILD=ON -DPython_EXECUTABLE=$(abspath $(BIN)/python) -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS='-O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer' >/dev/null
	@$(BIN)/cmake --build $(SANITIZED) -- --quiet
	@rm -rf $(SANITIZED)/package && mkdir $(SANITIZED)/package && cp -r src/margin $(SANITIZED)/package && cp $(SANITIZED)/_core.*.so $(SANITIZED)/package/margin
	LD_PRELOAD="$$(cc -print-file-name=libasan.so) $$(cc -print-file-name=libubsan.so)" ASAN_OPTIONS=detect_leaks=0:handle_segv=1:allocator_may_return_null=1 PYTHONPATH=$(abspath $(SANITIZED)/package):$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("platlib"))'):$(CURDIR) $(BIN)/python -S -m tests.persistence.fuzz --repaired $(FUZZ)

lint: $(DEV_READY)
	$(BIN)/ruff format --check src tests benchmarks examples
	$(BIN)/ruff check src tests benchmarks examples
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $$(git ls-files '*.hpp' '*.cpp')

format: $(DEV_READY)
	$(BIN)/ruff format src tests benchmarks examples
	$(BIN)/ruff check --fix src tests benchmarks examples
	$(BIN)/clang-format -i $$(git ls-files '*.hpp' '*.cpp')

# The types of the core, read off its bindings; a test compares them with what is committed.
stubs: $(DEV_READY)
	$(BIN)/python native/stubs.py src/margin

# The peers have an environment of their own. margin is installed there as users get it (an editable install would
# look for changes at each import), and again before each run, so that what is measured is what stands in src; the
# wheel is made in the folder that the editable install compiles in, so that nothing is compiled twice.
$(PEERS_READY): benchmarks/peers.txt constraints.txt pyproject.toml
	@echo "Setting up .venv-peers (a few minutes)"
	@$(PYTHON) -m venv .venv-peers
	@$(PEERS_PIP) install -c constraints.txt -r benchmarks/peers.txt
	@touch $@

# make bench FAMILY=bayes BENCH='--quick --peers sklearn'; without FAMILY every one is measured.
bench: $(READY) $(PEERS_READY)
	@rm -rf build/wheel && $(PIP) wheel --no-deps --no-build-isolation -w build/wheel .
	@$(PEERS_PIP) install -c constraints.txt --force-reinstall --no-deps build/wheel/margin-*.whl
	@$(PEERS_PIP) install -c constraints.txt build/wheel/margin-*.whl
	@.venv-peers/bin/python -m benchmarks $(FAMILY) $(BENCH)

# The core alone, under AddressSanitizer and UBSan, with its own tests.
sanitize: $(READY)
	@$(BIN)/cmake -S . -B build/sanitize -G Ninja -DMARGIN_SANITIZE=ON -DMARGIN_WERROR=ON -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-g1 -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) >/dev/null
	@$(BIN)/cmake --build build/sanitize -- --quiet
	$(BIN)/ctest --test-dir build/sanitize -j 2 --output-on-failure

# The same with clang, and what all models learn with a core that it has compiled, beside what they learn with the
# ordinary one. The other core is put on the path like the one of fuzz-sanitized.
CLANG = $(firstword $(foreach name,clang++ $(foreach n,22 21 20 19 18 17 16 15 14,clang++-$(n)),$(shell command -v $(name))))
CLANG_CORE := build/clang-core
clang: $(DEV_READY)
	@test -n "$(CLANG)" || { echo "make clang needs clang++ 14 or newer, which is not on the path (Debian: apt-get install clang; or make clang CLANG=/path/to/clang++)"; exit 1; }
	@$(BIN)/cmake -S . -B build/clang -G Ninja -DMARGIN_SANITIZE=ON -DMARGIN_WERROR=ON -DCMAKE_CXX_COMPILER=$(CLANG) -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-g1 -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) >/dev/null
	@$(BIN)/cmake --build build/clang -- --quiet
	$(BIN)/ctest --test-dir build/clang -j 2 --output-on-failure
	@$(BIN)/cmake -S . -B $(CLANG_CORE) -G Ninja -DSKBUILD=ON -DMARGIN_WERROR=ON -DCMAKE_CXX_COMPILER=$(CLANG) -DPython_EXECUTABLE=$(abspath $(BIN)/python) -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) -DCMAKE_BUILD_TYPE=Release >/dev/null
	@$(BIN)/cmake --build $(CLANG_CORE) -- --quiet
	@rm -rf $(CLANG_CORE)/package && mkdir $(CLANG_CORE)/package && cp -r src/margin $(CLANG_CORE)/package && cp $(CLANG_CORE)/_core.*.so $(CLANG_CORE)/package/margin
	MARGIN_TEST_ALL=1 $(BIN)/python -m tests.native.portability $(CLANG_CORE)/ordinary
	MARGIN_TEST_ALL=1 PYTHONPATH=$(abspath $(CLANG_CORE)/package):$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("platlib"))'):$(CURDIR) $(BIN)/python -S -m tests.native.portability $(CLANG_CORE)/clang --against $(CLANG_CORE)/ordinary

clean:
	rm -rf .venv .venv-peers build .pytest_cache .mypy_cache .ruff_cache .hypothesis demo-report.html demo-model.margin
