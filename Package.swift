// swift-tools-version: 6.2
import PackageDescription

// Warnings stop the build where nobody reads them: in CI.
let warnings: [SwiftSetting] = Context.environment["CI"] == nil ? [] : [.treatAllWarnings(as: .error)]
let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        // A section for each function, so that the linker leaves out those that nothing calls.
        .unsafeFlags(["-Xfrontend", "-function-sections"], .when(platforms: [.linux], configuration: .release)),
    ] + warnings

// Relocations in their packed form: 5 MB less that a small board reads, and keeps resident, with each start.
let small: [LinkerSetting] = [
    .unsafeFlags(["-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs"], .when(platforms: [.linux])),
    // Functions with the same instructions are one: 7 % less of the hub. A backtrace may then show another of their names.
    .unsafeFlags(["-Xlinker", "--icf=all"], .when(platforms: [.linux], configuration: .release)),
]

let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let sqlite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let jwt = Target.Dependency.product(name: "JWTKit", package: "jwt-kit")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let configuration = Target.Dependency.product(name: "Configuration", package: "swift-configuration")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioLocks = Target.Dependency.product(name: "NIOConcurrencyHelpers", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let httpClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let hummingbirdTLS = Target.Dependency.product(name: "HummingbirdTLS", package: "hummingbird")
let hummingbirdTesting = Target.Dependency.product(name: "HummingbirdTesting", package: "hummingbird")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let unixSignals = Target.Dependency.product(name: "UnixSignals", package: "swift-service-lifecycle")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let systemPackage = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let mustache = Target.Dependency.product(name: "Mustache", package: "swift-mustache")
let x509 = Target.Dependency.product(name: "X509", package: "swift-certificates")

let package = Package(
    name: "TrackMe",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "trackme-agent", targets: ["trackme-agent"]),
        .executable(name: "trackme-hub", targets: ["trackme-hub"]),
        .executable(name: "trackme-fleet", targets: ["trackme-fleet"]),
        .library(name: "Vitals", targets: ["Vitals"]),
        .library(name: "Segments", targets: ["Segments"]),
        .library(name: "Sensing", targets: ["Sensing"]),
        .library(name: "Distress", targets: ["Distress"]),
    ],
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.1"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: ["JSON", "YAML"]),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
    ],
    targets: [
        // Values and pure code: no I/O, no clock, no dependency outside the package.
        .target(name: "Vitals", path: "Sources/Core/Vitals", swiftSettings: settings),
        .target(name: "Segments", dependencies: ["Vitals"], path: "Sources/Core/Segments", swiftSettings: settings),
        .target(name: "Sensing", dependencies: ["Vitals"], path: "Sources/Core/Sensing", swiftSettings: settings),
        .target(
            name: "SyncProtocol", dependencies: ["Vitals", "Segments", "Distress"], path: "Sources/Core/SyncProtocol",
            swiftSettings: settings),
        .target(name: "Privacy", dependencies: ["Vitals"], path: "Sources/Core/Privacy", swiftSettings: settings),
        .target(name: "Accounts", dependencies: ["Vitals"], path: "Sources/Core/Accounts", swiftSettings: settings),
        .target(name: "History", dependencies: ["Vitals", "Segments"], path: "Sources/Core/History", swiftSettings: settings),
        .target(name: "Exchange", dependencies: ["Vitals"], path: "Sources/Core/Exchange", swiftSettings: settings),
        .target(name: "Runs", dependencies: ["Vitals"], path: "Sources/Core/Runs", swiftSettings: settings),
        .target(
            name: "Groups", dependencies: ["Vitals", "Accounts", "History", "Runs"], path: "Sources/Core/Groups", swiftSettings: settings),
        .target(name: "Workouts", dependencies: ["Vitals", "History", "Runs"], path: "Sources/Core/Workouts", swiftSettings: settings),
        .target(name: "Languages", path: "Sources/System/Languages", swiftSettings: settings),
        .target(name: "Seams", dependencies: ["Vitals", "Processes"], path: "Sources/System/Seams", swiftSettings: settings),
        .target(
            name: "Alerts", dependencies: ["Vitals", "Exchange", "Languages"], path: "Sources/Core/Alerts",
            resources: [.embedInCode("Assets")], swiftSettings: settings),

        // Alarms to control rooms, from the hub or a box.
        .target(name: "SIP", dependencies: [nioCore, nioPosix, nioSSL, crypto], path: "Sources/Hub/SIP", swiftSettings: settings),

        // Programs that run beside the hub or the agent, and telephone calls by one of them.
        .target(name: "Processes", dependencies: ["CLinux"], path: "Sources/System/Processes", swiftSettings: settings),
        .target(name: "Telephony", dependencies: ["Vitals", "Processes"], path: "Sources/Hub/Telephony", swiftSettings: settings),

        // A service's word to systemd.
        .target(name: "Supervision", dependencies: ["Vitals", "CSystemd"], path: "Sources/System/Supervision", swiftSettings: settings),

        // The agent: what runs on the box.
        .systemLibrary(name: "CBluetooth", path: "Sources/Devices/CBluetooth", pkgConfig: "bluez", providers: [.apt(["libbluetooth-dev"])]),
        .systemLibrary(name: "CGPS", path: "Sources/Devices/CGPS", pkgConfig: "libgps", providers: [.apt(["libgps-dev"])]),
        .systemLibrary(name: "CSystemd", path: "Sources/System/CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(name: "CLinux", path: "Sources/System/CLinux"),
        .target(name: "SystemBus", dependencies: ["SourceThread", "CSystemd"], path: "Sources/System/SystemBus", swiftSettings: settings),
        .target(name: "Distress", dependencies: ["Vitals"], path: "Sources/Core/Distress", swiftSettings: settings),
        .target(
            name: "EmergencyDispatch", dependencies: ["Vitals", "Distress"], path: "Sources/Core/EmergencyDispatch", swiftSettings: settings
        ),
        .target(name: "Monitoring", dependencies: ["Vitals", "Sensing"], path: "Sources/Core/Monitoring", swiftSettings: settings),
        .target(
            name: "Peripherals",
            dependencies: ["Vitals", "Languages", "Sensing", "SourceThread", "SystemBus", "Processes", "CLinux"],
            path: "Sources/Devices/Peripherals", swiftSettings: settings),
        .target(name: "SourceThread", dependencies: ["Vitals", "Sensing"], path: "Sources/System/SourceThread", swiftSettings: settings),
        .target(
            name: "BlueZ", dependencies: ["Vitals", "Sensing", "SourceThread", "SystemBus", "CBluetooth", "CLinux"],
            path: "Sources/Devices/BlueZ", swiftSettings: settings
        ),
        .target(
            name: "Positioning", dependencies: ["Vitals", "Sensing", "SourceThread", "SystemBus", "CGPS", "CLinux"],
            path: "Sources/Devices/Positioning", swiftSettings: settings),
        .target(
            name: "SampleBuffer", dependencies: ["Vitals", "Seams", "Segments", "SyncProtocol", grdb], path: "Sources/Agent/SampleBuffer",
            swiftSettings: settings),
        .target(
            name: "AgentKit",
            dependencies: [
                "Vitals", "Seams", "Segments", "Sensing", "SyncProtocol", "SampleBuffer", "SourceThread", "BlueZ", "Positioning",
                "Monitoring", "Peripherals", "Distress", "EmergencyDispatch", "Alerts", "Languages", "Supervision", nioCore, nioHTTP1,
                nioPosix, nioSSL, x509, crypto,
                jwt,
                logging, lifecycle, unixSignals, configuration, systemPackage,
            ],
            path: "Sources/Agent/AgentKit", resources: [.embedInCode("Assets")],
            swiftSettings: settings),
        .executableTarget(
            name: "trackme-agent", dependencies: ["AgentKit", "Languages", arguments, logging], path: "Sources/Agent/trackme-agent",
            swiftSettings: settings, linkerSettings: small),

        // The hub.
        .systemLibrary(name: "CCurl", path: "Sources/Hub/CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CZlib", path: "Sources/Hub/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "Mail", dependencies: ["Processes", "CCurl", "CLinux"], path: "Sources/Hub/Mail", swiftSettings: settings),
        .systemLibrary(name: "CArgon2", path: "Sources/Hub/CArgon2", pkgConfig: "libargon2", providers: [.apt(["libargon2-dev"])]),
        // SwiftPM does not see that ground.bin changed: touch ground.S.
        .target(name: "CGround", path: "Sources/Hub/CGround", exclude: ["ground.bin", "regions.txt"], cSettings: [.headerSearchPath(".")]),
        // The files of HubWeb/Assets.
        .target(name: "CAssets", path: "Sources/Hub/CAssets"),
        .target(
            name: "Credentials", dependencies: ["Vitals", "Seams", "CArgon2", crypto], path: "Sources/Hub/Credentials",
            swiftSettings: settings),
        .target(name: "WebPush", dependencies: ["Vitals", crypto], path: "Sources/Hub/WebPush", swiftSettings: settings),
        .target(name: "Database", dependencies: [grdb, sqlite], path: "Sources/Hub/Database", swiftSettings: settings),
        .target(
            name: "HubStore",
            dependencies: [
                "Vitals", "Seams", "Segments", "History", "Distress", "EmergencyDispatch", "Privacy", "Accounts", "Runs", "Groups",
                "Workouts", "Database", crypto, nioLocks,
            ],
            path: "Sources/Hub/HubStore", swiftSettings: settings
        ),
        .target(
            name: "HubServices",
            dependencies: [
                "Vitals", "Seams", "Segments", "History", "SyncProtocol", "Distress", "EmergencyDispatch", "Alerts", "Languages", "SIP",
                "Processes",
                "Telephony",
                "Privacy", "Accounts", "Runs", "Groups", "Workouts", "Credentials", "Mail", "WebPush", "Exchange", "HubStore", "CZlib",
                crypto, jwt, logging, lifecycle, httpClient, nioCore, nioHTTP1,
            ],
            path: "Sources/Hub/HubServices", swiftSettings: settings),
        .target(
            name: "HubWeb",
            dependencies: [
                "Vitals", "Seams", "History", "SyncProtocol", "Distress", "EmergencyDispatch", "Alerts", "Languages", "SIP", "Processes",
                "Telephony", "Privacy", "Accounts", "Runs", "Groups", "Workouts", "Credentials", "Mail", "WebPush", "Exchange", "HubStore",
                "HubServices", "Supervision", "CAssets", "CGround", "CZlib",
                hummingbird, hummingbirdCore,
                hummingbirdTLS, mustache,
                httpTypes, systemPackage, unixSignals, x509, crypto, nioCore, nioHTTP1, nioPosix, nioSSL, logging, lifecycle, configuration,
            ],
            path: "Sources/Hub/HubWeb", exclude: ["Assets"],
            swiftSettings: settings),
        .executableTarget(
            name: "trackme-hub", dependencies: ["HubWeb", arguments, logging], path: "Sources/Hub/trackme-hub", swiftSettings: settings,
            linkerSettings: small),

        // Simulated agents over the real protocol.
        .target(
            name: "FleetKit",
            dependencies: [
                "Vitals", "Segments", "SyncProtocol", "Runs", "Exchange", httpClient, nioCore, nioHTTP1, nioPosix, nioSSL, crypto, jwt,
                logging,
            ],
            path: "Sources/Fleet/FleetKit", swiftSettings: settings),
        .executableTarget(
            name: "trackme-fleet", dependencies: ["FleetKit", arguments], path: "Sources/Fleet/trackme-fleet", swiftSettings: settings),

        // Tests.
        .target(
            name: "TestSupport", dependencies: ["Vitals", "Processes", "Seams", crypto, nioCore, nioPosix, nioSSL],
            path: "Tests/TestSupport",
            swiftSettings: settings),
        .testTarget(name: "VitalsTests", dependencies: ["Vitals", "TestSupport"], swiftSettings: settings),
        .testTarget(name: "SegmentsTests", dependencies: ["Vitals", "Segments", "TestSupport"], swiftSettings: settings),
        .testTarget(name: "LanguagesTests", dependencies: ["Languages", "TestSupport"], swiftSettings: settings),
        .testTarget(name: "ExchangeTests", dependencies: ["Vitals", "Exchange", "TestSupport"], swiftSettings: settings),
        .testTarget(name: "AlertsTests", dependencies: ["Vitals", "Alerts", "Languages", "TestSupport"], swiftSettings: settings),
        .testTarget(name: "TelephonyTests", dependencies: ["Vitals", "Telephony"], swiftSettings: settings),
        .testTarget(name: "SupervisionTests", dependencies: ["Processes", "Supervision", "TestSupport"], swiftSettings: settings),
        .testTarget(name: "SIPTests", dependencies: ["Vitals", "Alerts", "Languages", "SIP", nioCore, nioPosix], swiftSettings: settings),
        .testTarget(
            name: "SyncProtocolTests", dependencies: ["Vitals", "Segments", "Distress", "SyncProtocol", "TestSupport"],
            swiftSettings: settings),
        .testTarget(name: "AccountsTests", dependencies: ["Vitals", "Accounts", "TestSupport"], swiftSettings: settings),
        .testTarget(name: "MailTests", dependencies: ["Mail", "TestSupport"], swiftSettings: settings),
        .testTarget(name: "CredentialsTests", dependencies: ["Credentials", crypto], swiftSettings: settings),
        .testTarget(name: "WebPushTests", dependencies: ["Vitals", "WebPush", "TestSupport", crypto], swiftSettings: settings),
        .testTarget(name: "DatabaseTests", dependencies: ["Database", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "HubStoreTests",
            dependencies: [
                "Vitals", "Seams", "Segments", "History", "Distress", "Privacy", "Accounts", "Runs", "Groups", "Workouts", "Database",
                "HubStore", "TestSupport", crypto,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "HubServicesTests",
            dependencies: [
                "Vitals", "Processes", "Seams", "Segments", "History", "SyncProtocol", "Distress", "EmergencyDispatch", "Alerts",
                "Languages", "Privacy",
                "Accounts",
                "Runs", "Groups", "Workouts", "Credentials", "Exchange", "Mail", "Database", "HubStore", "HubServices", "Telephony",
                "SampleBuffer",
                "TestSupport", crypto, jwt, logging, lifecycle,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "HubWebTests",
            dependencies: [
                "Vitals", "Seams", "History", "SyncProtocol", "Distress", "EmergencyDispatch", "Alerts", "Languages", "Privacy",
                "Accounts", "Runs", "Groups", "Workouts", "Credentials", "Exchange", "Mail", "WebPush", "Database", "HubStore",
                "HubServices", "HubWeb", "AgentKit", "Monitoring", "Positioning", "SampleBuffer", "Telephony",
                "Processes", "TestSupport", httpClient, httpTypes, hummingbird, nioCore, nioSSL, crypto, logging, lifecycle, nioHTTP1,
                nioPosix, hummingbirdTesting, configuration,
            ],
            swiftSettings: settings),
        .testTarget(name: "RunsTests", dependencies: ["Vitals", "Runs", "FleetKit", "TestSupport"], swiftSettings: settings),
        .testTarget(name: "HistoryTests", dependencies: ["Vitals", "History", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "GroupsTests", dependencies: ["Vitals", "Accounts", "History", "Runs", "Groups", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "WorkoutsTests", dependencies: ["Vitals", "History", "Runs", "Workouts", "TestSupport"], swiftSettings: settings),
        .testTarget(name: "PrivacyTests", dependencies: ["Vitals", "Privacy", "TestSupport"], swiftSettings: settings),
        .testTarget(name: "SensingTests", dependencies: ["Vitals", "Sensing", "TestSupport"], swiftSettings: settings),
        .testTarget(name: "SystemBusTests", dependencies: ["SystemBus", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "BlueZTests", dependencies: ["Vitals", "Sensing", "SourceThread", "SystemBus", "BlueZ"], swiftSettings: settings),
        .testTarget(
            name: "PositioningTests", dependencies: ["Vitals", "Sensing", "SourceThread", "SystemBus", "Positioning"],
            swiftSettings: settings),
        .testTarget(
            name: "DistressTests", dependencies: ["Vitals", "Distress", "TestSupport"], exclude: ["Scenarios"], swiftSettings: settings),
        .testTarget(
            name: "EmergencyDispatchTests", dependencies: ["Vitals", "Distress", "EmergencyDispatch", "TestSupport"],
            exclude: ["Scenarios", "case-0.3.1.json"], swiftSettings: settings),
        .testTarget(name: "MonitoringTests", dependencies: ["Vitals", "Sensing", "Monitoring", "TestSupport"], swiftSettings: settings),
        .testTarget(
            name: "PeripheralsTests",
            dependencies: ["Vitals", "Languages", "Sensing", "SourceThread", "SystemBus", "Processes", "Peripherals", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "SampleBufferTests",
            dependencies: ["Vitals", "Segments", "SyncProtocol", "SampleBuffer", "TestSupport", grdb], swiftSettings: settings),
        .testTarget(
            name: "AgentKitTests",
            dependencies: [
                "Vitals", "Seams", "Segments", "Sensing", "SyncProtocol", "SampleBuffer", "BlueZ", "Positioning", "Monitoring",
                "Peripherals", "Distress", "EmergencyDispatch", "Alerts", "Languages", "AgentKit", "TestSupport", grdb, nioCore, nioPosix,
                logging,
                configuration, crypto,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "FleetKitTests",
            dependencies: ["Vitals", "Segments", "SyncProtocol", "Runs", "Workouts", "FleetKit", "TestSupport", nioCore, nioPosix, crypto],
            swiftSettings: settings),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "Vitals", "Privacy", "Accounts", "Runs", "HubStore", "TestSupport", "trackme-agent", "trackme-hub", "trackme-fleet",
            ],
            swiftSettings: settings),
        .testTarget(name: "TidyTests", swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
