/// Which modules each target may import. The table of the design: who asks to widen it has found a decision to take.
struct ImportRule: Sendable {
    /// The targets of this package that it may import.
    let ours: Set<String>
    /// Whether anything from outside of the package may be imported, the system's modules included.
    let outside: Bool
    let reason: String

    private static func pure(_ ours: Set<String>, _ reason: String) -> ImportRule {
        ImportRule(ours: ours, outside: false, reason: "\(reason); a pure target sees neither I/O nor a clock")
    }

    private static func with(_ ours: Set<String>, _ reason: String) -> ImportRule {
        ImportRule(ours: ours, outside: true, reason: reason)
    }

    static let table: [String: ImportRule] = [
        "Vitals": pure([], "everybody imports Vitals, so it imports nobody"),
        "Segments": pure(["Vitals"], "the codec turns values into bytes and back, whoever sends them"),
        "Sensing": pure(["Vitals"], "decoding needs no C library, so that fuzzers and `decode` use it alone"),
        "SyncProtocol": pure(["Vitals", "Segments", "Distress"], "the contract of agent and hub belongs to neither"),
        "Privacy": pure(["Vitals"], "the rules of consent must be readable and testable without a store"),
        "Accounts": with(
            ["Vitals"], "what a form may hold is decided without a store, a page or a clock; Foundation only for Unicode's normal forms"),
        "Runs": pure(["Vitals"], "who is where in a race depends on fixes and course alone, the same whenever it is worked out"),
        "History": pure(["Vitals", "Segments"], "what stays of samples follows from them alone, whenever and wherever they are rolled up"),
        "Groups": pure(
            ["Vitals", "Accounts", "History", "Runs"],
            "what may be said of a group follows from counts, budget and random numbers; places are of homes, points of courses"),
        "Workouts": pure(
            ["Vitals", "History", "Runs"], "what a workout was follows from its samples alone, in whatever order and whenever they come"),
        "Exchange": pure(["Vitals"], "formats turn values into bytes and back, wherever they come from and go to"),

        "Alerts": pure(
            ["Vitals", "Exchange", "Languages"],
            "one record of an emergency in every format, the same on box and hub; text and times are written as Exchange writes them"),
        "Languages": with([], "texts by their language, built in or from the folder of an operator, whoever says them"),
        "Seams": with(["Vitals", "Processes"], "what a program takes of its machine, whatever it does with that"),
        "SIP": with([], "messages and their way; what stands in a body is its caller's"),

        "Processes": with(["CLinux"], "how a program is started, whatever it does"),
        "Supervision": with(["Vitals", "CSystemd"], "a service's word to systemd, whatever the service does"),
        "Telephony": with(["Vitals", "Processes"], "calls and their lines; what is said in them is their caller's"),

        "SourceThread": with(["Vitals", "Sensing"], "what live sources share: a thread to wait on, and the clock of the box"),
        "SystemBus": with(["SourceThread", "CSystemd"], "D-Bus messages and nothing of what they mean"),
        "Distress": pure(["Vitals"], "what decides about an alarm is the same on the box and in the hub"),
        "EmergencyDispatch": pure(
            ["Vitals", "Distress"], "who is called, asked and released in a case is decided on values, the same whenever it is played"),
        "Monitoring": pure(
            ["Vitals", "Sensing"], "what the state of sensor and box means for the person is decided without any of them"),
        "Peripherals": with(
            ["Vitals", "Languages", "Sensing", "SourceThread", "SystemBus", "Processes", "CLinux"],
            "power, button, sound and notices of the box: adapters that hand on events"),
        "BlueZ": with(
            ["Vitals", "Sensing", "SourceThread", "SystemBus", "CBluetooth", "CLinux"],
            "an adapter hands on events; what becomes of them is AgentKit's"),
        "Positioning": with(
            ["Vitals", "Sensing", "SourceThread", "SystemBus", "CGPS", "CLinux"],
            "an adapter hands on events; what becomes of them is AgentKit's"),
        "SampleBuffer": with(
            ["Vitals", "Seams", "Segments", "SyncProtocol"], "the outbox holds what is to be sent, and knows no source and no hub"),
        "AgentKit": with(
            [
                "Vitals", "Seams", "Segments", "Sensing", "SyncProtocol", "SampleBuffer", "SourceThread", "BlueZ", "Positioning",
                "Monitoring", "Peripherals", "Distress", "EmergencyDispatch", "Alerts", "Languages", "Supervision",
            ],
            "the agent and the hub never import each other: they share values, codec and contract"),
        "trackme-agent": with(["AgentKit", "Languages"], "the executable reads arguments and calls buildAgent"),

        "Mail": with(["Processes", "CCurl", "CLinux"], "a message and the program or server that takes it, whatever it is about"),
        "Credentials": with(
            ["Vitals", "Seams", "CArgon2"], "who somebody is, is decided on values: no store, no HTTP, and the time is handed in"),
        "WebPush": with(["Vitals"], "messages and signatures as values; sending them is its caller's"),
        "Database": with([], "the engine knows nothing of what is kept in it, so that another can take its place"),
        "HubStore": with(
            [
                "Vitals", "Seams", "Segments", "History", "Distress", "EmergencyDispatch", "Privacy", "Accounts", "Runs", "Groups",
                "Workouts",
                "Database",
            ],
            "the store knows neither routes nor agents, and its engine only as Database"),
        "HubServices": with(
            [
                "Vitals", "Seams", "Segments", "History", "SyncProtocol", "Distress", "EmergencyDispatch", "Alerts", "Languages", "SIP",
                "Processes",
                "Telephony",
                "Privacy",
                "Accounts",
                "Runs", "Groups", "Workouts", "Credentials", "Mail", "WebPush", "Exchange", "HubStore", "CZlib",
            ], "behaviour without HTTP, and nothing of the agent"),
        "HubWeb": with(
            [
                "Vitals", "Seams", "History", "SyncProtocol", "Distress", "EmergencyDispatch", "Alerts", "Languages", "SIP", "Processes",
                "Telephony", "Privacy", "Accounts", "Runs", "Groups", "Workouts",
                "Credentials", "Mail", "WebPush", "Exchange", "HubStore", "HubServices", "Supervision", "CAssets", "CGround", "CZlib",
            ],
            "the agent and the hub never import each other; segments are decoded by HubServices"),
        "trackme-hub": with(["HubWeb"], "the executable reads arguments and calls buildHub"),

        "FleetKit": with(
            ["Vitals", "Segments", "SyncProtocol", "Runs", "Exchange"],
            "simulated agents speak the real protocol and share no code with the agent or the hub but courses, or a mistake would hide on both sides"
        ),
        "trackme-fleet": with(["FleetKit"], "the executable reads arguments and starts the fleet"),

        "TestSupport": with(["Vitals", "Processes", "Seams"], "what tests share must not tie the tested targets together"),
    ]

    /// Targets of C modules: a header and a module map, no Swift.
    static let cModules: Set<String> = ["CArgon2", "CAssets", "CBluetooth", "CCurl", "CGPS", "CGround", "CLinux", "CSystemd", "CZlib"]

    /// Comes with the language, and brings neither I/O nor a clock.
    static let locks: Set<String> = ["Synchronization"]

    /// Modules from outside that only the targets beside them may import.
    static let reserved: [String: (targets: Set<String>, reason: String)] = [
        "GRDB": (
            ["SampleBuffer", "Database"], "the engine is named once on the hub and once in the box's buffer; HubStore writes for Database"
        ),
        "Hummingbird": (["HubWeb"], "behaviour is tested without HTTP"),
        "ArgumentParser": (["trackme-agent", "trackme-hub", "trackme-fleet"], "a library is configured by values, not by a command line"),
    ]

    /// Tests that look into the files of a box's buffer; the others go through Database, as HubStore does.
    static let testsOfTheBuffer: Set<String> = ["SampleBufferTests", "AgentKitTests"]

    private static func violations(inTest file: SourceFile) -> [Violation] {
        let parts = file.path.split(separator: "/")
        guard file.isSwift, parts.count > 2, parts[0] == "Tests", !testsOfTheBuffer.contains(String(parts[1])) else { return [] }
        return SwiftCode.imports(in: file.code).compactMap { module, line in
            guard module == "GRDB" else { return nil }
            return Violation(
                path: file.path, line: line, what: "\(parts[1]) must not import GRDB: databases of the hub are opened by Database")
        }
    }

    static func violations(in file: SourceFile) -> [Violation] {
        let ofTest = violations(inTest: file)
        guard ofTest.isEmpty else { return ofTest }
        guard let target = file.target else { return [] }
        guard let rule = table[target] else {
            return [Violation(path: file.path, line: 1, what: "the target \(target) has no row in the table of imports (TidyTests)")]
        }
        return SwiftCode.imports(in: file.code).compactMap { module, line in
            func refused(_ reason: String) -> Violation {
                Violation(path: file.path, line: line, what: "\(target) must not import \(module): \(reason)")
            }
            if table[module] != nil || cModules.contains(module) {
                return rule.ours.contains(module) ? nil : refused(rule.reason)
            }
            if !rule.outside, !locks.contains(module) { return refused(rule.reason) }
            if let (targets, reason) = reserved[module], !targets.contains(target) { return refused(reason) }
            return nil
        }
    }
}
