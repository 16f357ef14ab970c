# The short front. `make` lists what it can do; CMakeLists.txt describes the build itself.
BUILD ?= build
PREFIX ?= /usr/local
# A folder made by ./bootstrap --prefix, where LTTng and the other libraries are not the system's.
DEPS ?=
CMAKE_ARGS ?=
# More for bench/bench.py, for instance --quick.
BENCH_ARGS ?=
# And for tests/gpu/run.py.
GPU_ARGS ?=

SHELL := /bin/bash
export BUILD DEPS CMAKE_ARGS

.DEFAULT_GOAL := help
.PHONY: help bootstrap bootstrap-demo build demo test bench install uninstall clean wheel check check-lttng check-pythons check-storm check-wheel check-long check-fresh check-clang check-gpu format check-format

help:
	@echo 'PInsight shows a Python program as one timeline.'
	@echo
	@echo '  make demo          install what is missing, build, trace examples/heat, print a summary'
	@echo '  make build         install what is missing and build into $(BUILD)/; then $(BUILD)/bin/pinsight'
	@echo '  make test          what every change has to pass, in ten minutes'
	@echo '  make bench         what tracing costs, as a table'
	@echo '  make install       install into PREFIX=$(PREFIX); make uninstall removes it again'
	@echo '  make wheel         one wheel for every CPython found, into $(BUILD)/wheel'
	@echo '  make clean         remove $(BUILD)/'
	@echo
	@echo '  make check         all tests: make test, and each of these, which run by themselves, too'
	@echo '  make check-lttng   the LTTng recorder, its sessions and daemons'
	@echo '  make check-pythons every CPython that is found here'
	@echo '  make check-storm   kills, load, forks and reloads by the hundred'
	@echo '  make check-wheel   the package: built, installed, started'
	@echo '  make check-long    what takes an hour'
	@echo
	@echo '  make check-fresh   demo and test in a new Debian 12 and 13 (root, debootstrap)'
	@echo '  make check-clang   build and test the C code with clang'
	@echo '  make check-gpu     CUDA, with real programs, on a machine with a GPU (GPU_ARGS=--python PYTHON)'
	@echo '  make format        clang-format the C code; check-format only looks'
	@echo
	@echo '  DEPS=DIR           libraries from ./bootstrap --prefix DIR'
	@echo '  CMAKE_ARGS=...     more for cmake, for instance -DPINSIGHT_PYTHONS=/opt/python3.12/bin/python3'
	@echo '  PINSIGHT_NO_INSTALL=1   never install a package, say what is missing instead'

bootstrap:
	@cmake/with-deps ./bootstrap

bootstrap-demo:
	@cmake/with-deps ./bootstrap --demo

build: bootstrap
	@cmake/with-deps cmake/build "$$BUILD"

demo: bootstrap-demo
	@cmake/with-deps examples/demo "$$BUILD"

test: bootstrap
	@cmake/with-deps tests/run "$$BUILD"

check-gpu: build
	@cmake/with-deps cmake --build "$$BUILD" --target pinsight_bench_cuda
	@cmake/python tests/gpu/run.py --build "$$BUILD" $(GPU_ARGS)

check: test check-lttng check-pythons check-storm check-wheel check-long

check-lttng check-pythons check-storm check-wheel check-long: check-%: bootstrap
	@cmake/with-deps tests/run $* "$$BUILD"

bench: build
	@cmake/with-deps cmake --build "$$BUILD" --target pinsight_bench
	@cmake/with-deps tests/isolate cmake/python bench/bench.py --build "$$BUILD" $(BENCH_ARGS)

install uninstall: export PREFIX := $(PREFIX)
install: build
	@cmake --install "$$BUILD" --prefix "$$PREFIX"

uninstall:
	@cmake/uninstall "$$BUILD" "$$PREFIX"

wheel: bootstrap
	@cmake/with-deps cmake/wheel "$$BUILD" --config-settings cmake.define.PINSIGHT_FIND_PYTHONS=ON

check-clang: bootstrap
	@CC=clang cmake/with-deps cmake/build --target all --target pinsight_tests "$$BUILD/clang" -DPINSIGHT_WERROR=ON
	@cd "$$BUILD/clang" && ctest -L unit --output-on-failure

check-fresh:
	@tests/check-fresh

format:
	@git ls-files -z '*.c' '*.h' | xargs -0 -r clang-format -i

check-format:
	@git ls-files -z '*.c' '*.h' | xargs -0 -r clang-format --dry-run -Werror

clean:
	@rm -rf "$$BUILD"
