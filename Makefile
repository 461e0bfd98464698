# `make` alone lists what there is.
# Variables: CONFIGURATION=release, BUILD_FLAGS and TEST_FLAGS go to swift build and swift test,
# TRACKME_CAPTURES is the folder of captures that some tests read (those tests are skipped without it).

CONFIGURATION ?= debug
SWIFT_BUILD = swift build -c $(CONFIGURATION) $(BUILD_FLAGS)
SWIFT_TEST = swift test -c $(CONFIGURATION) $(BUILD_FLAGS) --skip-build --disable-xctest
LINTED = $(wildcard Sources Tests Package.swift Benchmarks/Package.swift Benchmarks/Benchmarks)

# A relative path would mean something else in each test's working directory.
ifdef TRACKME_CAPTURES
export TRACKME_CAPTURES := $(abspath $(TRACKME_CAPTURES))
endif

.PHONY: help setup build demo test bench trace lint format test-gpsd test-bluez test-browser
.DEFAULT_GOAL := help

help: ## this list
	@awk -F ':[^#]*## ' '/^[a-z-]+:.*## / { printf "make %-14s%s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install what is missing of the Debian packages that building and running need
	@packaging/setup

build: setup ## build the agent, the hub and the fleet (CONFIGURATION=release for the fast ones)
	$(SWIFT_BUILD)

demo: setup ## show a recorded run live in a browser; NMEA=file BLE=file plays your own
	$(SWIFT_BUILD)
	@BIN="$$($(SWIFT_BUILD) --show-bin-path)" && export BIN && exec packaging/demo/run

test: setup ## build and run all tests that need no special hardware or daemon
	$(SWIFT_BUILD) --build-tests
	$(SWIFT_TEST) $(TEST_FLAGS)

bench: ## measure decoding, segments and ingest; prints a table, writes .build/bench.json
	@packaging/setup bench
	@exec packaging/bench/run

trace: ## list the requirements with the tests that name them, and those without
	@packaging/trace

lint: ## check the form of the source
	swift format lint --strict --parallel --recursive $(LINTED)

format: ## put the source into that form
	swift format --in-place --parallel --recursive $(LINTED)

test-gpsd: build ## the live position source against a real gpsd
	@packaging/setup gpsd
	@exec Tests/rig/test-gpsd

test-bluez: build ## the live heart-rate source against a real kernel's Bluetooth with an emulated strap
	@packaging/setup rig
	@exec Tests/rig/test-bluez

test-browser: build ## the live page in headless Chromium
	@packaging/setup browser
	@exec Tests/browser/run
