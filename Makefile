# `make` alone lists what there is.
# Variables: CONFIGURATION=release, BUILD_FLAGS and TEST_FLAGS go to swift build and swift test,
# TRACKME_CAPTURES is the folder of captures that some tests read (those tests are skipped without it).

CONFIGURATION ?= debug
SWIFT_BUILD = swift build -c $(CONFIGURATION) $(BUILD_FLAGS)
SWIFT_TEST = swift test -c $(CONFIGURATION) $(BUILD_FLAGS) --skip-build --disable-xctest --no-parallel
LINTED = $(wildcard Sources Tests Package.swift Benchmarks/Package.swift Benchmarks/Benchmarks)

# A relative path would mean something else in each test's working directory.
ifdef TRACKME_CAPTURES
export TRACKME_CAPTURES := $(abspath $(TRACKME_CAPTURES))
endif

.PHONY: help setup build build-tests demo demo-run test test-long test-ways test-postgres test-sanitized test-room docs bench bench-guard bench-detection bench-race soak trace seen lint format sbom advisories deb container test-deb test-deb-hub test-gpsd test-bluez test-button test-udev test-line test-desktop \
	test-modem test-sip test-voice test-browser test-api test-compat test-map test-security test-mutated test-siege test-proxy test-acme test-alerts test-restart
.DEFAULT_GOAL := help

XCTEST = "$$($(SWIFT_BUILD) --show-bin-path)/TrackMePackageTests.xctest"

# What `make trace` reads: the newest whole run of the tests; of the slow ones; and of the tests that some rigs run.
RECORD = $(CURDIR)/.build/test-run.jsonl
LONG_RECORD = $(CURDIR)/.build/test-long.jsonl
export TRACKME_RIG_RECORD := $(CURDIR)/.build/rig-run.jsonl
SEEN = packaging/trace seen

help: ## this list
	@awk -F ':[^#]*## ' '/^[a-z-]+:.*## / { printf "make %-16s%s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install what is missing of the Debian packages that building and running need
	@packaging/setup

build: setup ## build the agent, the hub and the fleet (CONFIGURATION=release for the fast ones)
	$(SWIFT_BUILD)

demo: setup ## open a made-up person with a year of data and a run that is on; NMEA=file BLE=file plays your own
	$(SWIFT_BUILD)
	@BIN="$$($(SWIFT_BUILD) --show-bin-path)" && export BIN && exec packaging/demo/run

demo-run: setup ## show a race of 200 made-up runners live in a browser; RUNNERS=n, COURSE=file.gpx
	$(SWIFT_BUILD)
	@BIN="$$($(SWIFT_BUILD) --show-bin-path)" && export BIN && exec packaging/demo/race

build-tests: setup ## build everything, tests included
	$(SWIFT_BUILD) --build-tests

test: build-tests ## build and run the tests that need no special hardware or daemon, but those of test-long
ifdef TEST_FLAGS # a part of the tests, which is no record
	$(SWIFT_TEST) $(TEST_FLAGS)
else
	@rm -f $(RECORD)
	@Tests/run $(XCTEST) $(RECORD)
endif

test-long: build-tests ## build and run the slow tests (Tests/long.txt): programs, faults, load; notes which passed
	@packaging/setup backup
	@rm -f $(LONG_RECORD)
	@status=0; Tests/run $(XCTEST) $(LONG_RECORD) --long || status=$$?; $(SEEN) --run $(LONG_RECORD) && exit $$status

test-ways: ## break each way out of hub and box in each manner of docs/alerts.md, TRIES times (100), and say how often it was told within 60 s
	$(SWIFT_BUILD) --product TrackMePackageTests
	@Tests/ways $(XCTEST) $(or $(TRIES),100)

test-postgres: ## build and prepare every statement of the hub's stores on a PostgreSQL of its own
	@packaging/setup postgres
	$(SWIFT_BUILD) --product TrackMePackageTests
	@exec $(XCTEST) --testing-library swift-testing --no-parallel --filter StatementsOnPostgreSQLTests


test-sanitized: setup ## build with the thread and the address sanitizer, and run what Tests/thread-sanitizer.txt and Tests/address-sanitizer.txt list
	@status=0; for sanitizer in thread address; do scratch=$(CURDIR)/.build/sanitized-$$sanitizer; \
	    swift build --sanitize $$sanitizer --scratch-path $$scratch --product TrackMePackageTests $(BUILD_FLAGS) || exit 1; \
	    TSAN_OPTIONS=suppressions=$(CURDIR)/Tests/thread-sanitizer.supp ASAN_OPTIONS=detect_leaks=0 \
	    Tests/run $$scratch/debug/TrackMePackageTests.xctest $$scratch/run.jsonl --list $$sanitizer-sanitizer.txt || status=$$?; \
	done; exit $$status

test-room: ## build and run the quick tests of a subject: ROOM=SOS, ROOM=Consent, ROOM=Segments
	@[ -n "$(ROOM)" ] || { echo "Which room? For example make test-room ROOM=Consent"; exit 2; }
	$(SWIFT_BUILD) --product TrackMePackageTests
	@Tests/run $(XCTEST) $(CURDIR)/.build/room-run.jsonl --room $(ROOM)

test-security: ## build and run what tries to break into a hub: routes by role, raw requests, TLS, proxies, limits, readings, fuzzing, the checklists
	$(SWIFT_BUILD) --product TrackMePackageTests
	@exec $(XCTEST) --testing-library swift-testing --no-parallel --filter \
	    'AccessMatrixTests|EqualStrengthTests|SafeMethodTests|RawRequestTests|TrustedProxiesTests|HardeningTests|HubWebTests.FuzzTests|AgentLimitsTests|AgentHostsTests|ReadingBudgetTests|EnumerationTests|OutsideAddressTests|SealedNameTests|SecurityTableTests|AdvisoryTests'

test-mutated: build ## send mutated requests to a hub over TLS: FROM=0 COUNT=100000 are their numbers; notes from 100,000 on in docs/mutated-requests.md
	@BIN="$$($(SWIFT_BUILD) --show-bin-path)" Tests/attack/run mutate
	@$(SEEN) Tests/attack/mutate.py

test-siege: build ## a space filled in the worst way, a flood, 10,000 half-open connections and slow readers at once, and calls for help amid it (ulimit -Hn of 11,000)
	@BIN="$$($(SWIFT_BUILD) --show-bin-path)" Tests/attack/run siege
	@$(SEEN) Tests/attack/siege.py

test-proxy: build ## a hub behind real nginx and HAProxy: whose address counts, headers, streams, PROXY protocol
	@packaging/setup proxy
	@BIN="$$($(SWIFT_BUILD) --show-bin-path)" Tests/proxy/run
	@$(SEEN) Tests/proxy/run

test-acme: build ## the hub's certificate by the real certbot and lego, with Pebble for Let's Encrypt: set up, shown, renewed (as root, for namespaces)
	@packaging/setup acme
	@BIN="$$($(SWIFT_BUILD) --show-bin-path)" Tests/acme/run
	@$(SEEN) Tests/acme/run

test-alerts: build ## hubs that a real Prometheus and Alertmanager watch: each thing is broken, its rule fires; the board's queries (as root)
	@packaging/setup monitoring
	@BIN="$$($(SWIFT_BUILD) --show-bin-path)" Tests/alerts/run
	@$(SEEN) Tests/alerts/run

test-restart: ## start a hub of 1,000 people anew, five times, under 50,000 requests a minute, on a socket that systemd or the test keeps
	swift build -c release --product trackme-hub $(BUILD_FLAGS)
	@BIN="$$(swift build -c release $(BUILD_FLAGS) --show-bin-path)" Tests/restart/run
	@$(SEEN) Tests/restart/run

docs: ## build the documentation of the libraries Vitals, Segments, Sensing and Distress; a warning fails it
	$(SWIFT_BUILD) --target Segments
	$(SWIFT_BUILD) --target Sensing
	$(SWIFT_BUILD) --target Distress
	@packaging/docs/build "$$($(SWIFT_BUILD) --show-bin-path)/Modules" $(CURDIR)/.build/documentation

bench: ## measure decoding, segments and ingest; prints a table, writes .build/bench.json
	@packaging/setup bench
	@exec packaging/bench/run

bench-guard: | .build-v030 ## compare what ingest costs with 0.3.0, in one sitting; fails when it costs more than it may
	@packaging/setup bench
	cd .build-v030 && swift build -c release --product trackme-hub $(BUILD_FLAGS) && swift build -c release --product trackme-fleet $(BUILD_FLAGS)
	swift build -c release --product trackme-hub $(BUILD_FLAGS)
	@exec packaging/bench/guard .build-v030/.build/release .build/release

bench-detection: ## measure how often AutomatedSOS is right, on TRACKME_CAPTURES and on made-up series
	@exec packaging/bench/detection/run

bench-race: ## measure a race of 1,000 runners with 5,000 people who watch (needs ulimit -Hn of 8,000)
	@exec packaging/bench/race

soak: ## play a race of 1,000 runners for an hour; fails when the hub's memory grows
	@exec packaging/bench/race --soak 60

trace: ## list the requirements with the tests that name them and how they went in the last `make test`, and those without; as a table in .build/trace
	@packaging/trace

seen: ## note which tests of the last `make test` passed that are skipped elsewhere
	@$(SEEN) --run $(RECORD)

lint: ## check the form of the source
	swift format lint --strict --parallel --recursive $(LINTED)

format: ## put the source into that form
	swift format --in-place --parallel --recursive $(LINTED)

sbom: build ## write what the hub and the agent are made of to .build/sbom, as CycloneDX
	@mkdir -p .build/sbom
	@BIN="$$($(SWIFT_BUILD) --show-bin-path)" && for program in trackme-agent trackme-hub; do \
	    packaging/sbom "$$BIN/$$program" >".build/sbom/$$program.cdx.json" || exit 1; done; ls .build/sbom/*

advisories: sbom ## ask OSV (or ADVISORIES=folder) for known weaknesses of these parts; fails where there is an update; notes them in the lists
	@packaging/advisories $(if $(ADVISORIES),--from "$(ADVISORIES)") --allow packaging/advisories.allow .build/sbom/*.cdx.json

deb: ## build the Debian packages of the agent and the hub, for the architecture of this machine; SIGN=KEY signs them with gpg
	@packaging/setup deb
	@SIGN="$(SIGN)" BUILD_FLAGS="$(BUILD_FLAGS)" packaging/deb/build agent
	@SIGN="$(SIGN)" BUILD_FLAGS="$(BUILD_FLAGS)" packaging/deb/build hub

container: deb ## build a container image of the hub from its package, with podman or buildah
	@tool=$$(command -v podman || command -v buildah) || { echo "container: neither podman nor buildah is here" >&2; exit 1; }; \
	    exec $$tool build -f packaging/Containerfile -t trackme-hub .build/deb

test-deb: ## build that package, and install, run, upgrade, remove and purge it in a Debian of its own (as root)
	@packaging/setup deb debtest
	swift build -c release --static-swift-stdlib --product trackme-hub $(BUILD_FLAGS)
	@BUILD_FLAGS="$(BUILD_FLAGS)" packaging/test-deb
	@$(SEEN) Tests/Rig/test-deb

test-deb-hub: ## build the hub's package, and install, run, upgrade, downgrade, remove and purge it in a Debian of its own (as root)
	@packaging/setup deb debtest
	@BUILD_FLAGS="$(BUILD_FLAGS)" packaging/test-deb-hub
	@$(SEEN) Tests/Rig/test-deb-hub

test-gpsd: build ## live positions and the whole agent with a real gpsd
	@packaging/setup gpsd
	@Tests/Rig/test-gpsd
	@$(SEEN) Tests/Rig/test-gpsd

test-bluez: build ## live heart rate and the whole agent with a real BlueZ and emulated straps, in a virtual machine
	@packaging/setup rig
	@Tests/Rig/test-bluez
	@$(SEEN) Tests/Rig/test-bluez

test-button: build ## the physical button, in that machine
	@packaging/setup rig
	@Tests/Rig/test-button
	@$(SEEN) Tests/Rig/test-button

test-udev: ## which devices the package's udev rules hand to gpsd, in that machine
	@packaging/setup rig
	@Tests/Rig/test-udev
	@$(SEEN) Tests/Rig/test-udev

test-line: build ## a line to the hub that goes dead without a word (as root, for namespaces of the network)
	@Tests/Rig/test-line
	@$(SEEN) Tests/Rig/test-line

test-desktop: build ## notices on a real desktop
	@packaging/setup desktop
	@Tests/Rig/test-desktop
	@$(SEEN) --run $(TRACKME_RIG_RECORD) Tests/Rig/test-desktop

test-modem: build ## texts and calls by a real ModemManager and a modem that a test plays
	@packaging/setup modem
	@Tests/Rig/test-modem
	@$(SEEN) --run $(TRACKME_RIG_RECORD) Tests/Rig/test-modem

test-map: build ## streets out of extracts of OpenStreetMap by the real tilemaker, from `map import` to the tiles that a hub serves
	@packaging/setup map
	@BUILD_FLAGS="$(BUILD_FLAGS)" CONFIGURATION=$(CONFIGURATION) Tests/map/run
	@$(SEEN) Tests/map/run

test-browser: build ## the hub's live page and the box's page in headless Chromium
	@packaging/setup browser
	@Tests/browser/run
	@$(SEEN) $$(grep -lE "^# proves" Tests/browser/*.py)

# The last release, as its programs are built to compare with.
.build-v030:
	git worktree add --detach $@ v0.3.0 || git worktree add --detach $@ 70e97bd

test-compat: | .build-v030 ## boxes and hubs of 0.3.0 and of this tree against each other; builds 0.3.0 in .build-v030
	cd .build-v030 && swift build -c release --product trackme-hub $(BUILD_FLAGS) && swift build -c release --product trackme-agent $(BUILD_FLAGS)
	swift build -c release --product trackme-hub $(BUILD_FLAGS) && swift build -c release --product trackme-agent $(BUILD_FLAGS)
	@Tests/compat/run .build-v030/.build/release .build/release
	@$(SEEN) Tests/compat/run

test-sip: ## alarms to a control room by SIP: SIPp, with TLS by stunnel
	@packaging/setup sip
	$(SWIFT_BUILD) --build-tests
	$(SWIFT_TEST) --filter 'AlertsTests|SIPTests' --event-stream-output-path $(TRACKME_RIG_RECORD)
	@$(SEEN) --run $(TRACKME_RIG_RECORD)

test-voice: ## telephone calls by baresip: Kamailio is the trunk, SIPp, Linphone and baresip are the telephones
	@packaging/setup sip voice
	$(SWIFT_BUILD) --build-tests
	$(SWIFT_TEST) --filter 'TelephonyTests' --event-stream-output-path $(TRACKME_RIG_RECORD)
	@$(SEEN) --run $(TRACKME_RIG_RECORD)

test-api: ## try out the API for organisations from outside: schemathesis and fhir.resources against a hub
	@packaging/setup api
	$(SWIFT_BUILD) --build-tests
	@BUILD_FLAGS="-c $(CONFIGURATION) $(BUILD_FLAGS)" Tests/api/run
	@$(SEEN) Tests/api/run
