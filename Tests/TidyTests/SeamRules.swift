/// Stores, services and runners take clocks, sleep, threads, random numbers, programs, files and connections from what `build…` hands them (Seams, or
/// a part that it makes), so that a test runs them on one thread, in virtual time, twice the same way, on a disk and a network of its own.
enum SeamRule {
    /// Of the hub and of the box.
    static let targets: Set<String> = ["HubStore", "HubServices", "HubWeb", "SampleBuffer", "AgentKit"]

    static let clocks = [
        "Date()", "Date.now", "Date(timeIntervalSinceNow", "systemUptime", "time(nil)", "ContinuousClock", "SuspendingClock",
        "clock_gettime",
        "gettimeofday", "DispatchTime",
    ]
    static let sleeps = ["Task.sleep", "Thread.sleep", "usleep(", "nanosleep("]
    static let threads = [
        "DispatchQueue(", "DispatchQueue.global", "Thread(", "Thread {", "Thread.detachNewThread", "pthread_create", "Task {", "Task(",
        "Task.detached",
    ]
    static let numbers = [
        "SystemRandomNumberGenerator", ".random(", "randomElement(", "shuffled(", "UUID()", "SymmetricKey(size", "PrivateKey()",
    ]
    static let programs = ["Process(", "posix_spawn", "posix_spawnp", "popen("]
    static let sockets = [
        "socket(", "connect(", "getaddrinfo(", "ClientBootstrap", "ServerBootstrap", "DatagramBootstrap", "HTTPClient(",
    ]
    /// `open(` is a method of many; its flags are not.
    static let files = [
        "FileManager", "FileHandle(", "fopen(", "O_RDONLY", "O_WRONLY", "O_RDWR", "fsync(", "Data(contentsOf", "String(contentsOf",
        ".write(to:",
    ]

    /// So many of each file that still does. The list only gets shorter, and the numbers smaller.
    static let exceptions = [
        // The two ends of the control socket, and the page: parts that build… and commands make, and hand to whoever asks.
        "Sources/Agent/AgentKit/Control/ControlClient.swift": 4,
        "Sources/Agent/AgentKit/Control/ControlServer.swift": 1,
        "Sources/Agent/AgentKit/Control/ControlServerFile.swift": 2,
        "Sources/Agent/AgentKit/Page/PageServer.swift": 1,
        // The way to the hub: a part of HubClient, which buildAgent makes.
        "Sources/Agent/AgentKit/Hub/HubConnection.swift": 6,
        // Recordings: megabytes, written and read piece by piece.
        "Sources/Agent/AgentKit/Replay/LiveRecording.swift": 2,
        "Sources/Agent/AgentKit/Replay/RecordingReader.swift": 1,
        "Sources/Agent/AgentKit/Replay/ReplayResult.swift": 2,
        // The kernel's list of this process's own memory.
        "Sources/Agent/AgentKit/State/ResidentMemory.swift": 1,
        // Locks, which the kernel gives back when the process ends.
        "Sources/Agent/AgentKit/State/StateDirectory.swift": 2,
        "Sources/Hub/HubStore/Operation/HubDirectory.swift": 1,
        // SQLite's own log.
        "Sources/Agent/SampleBuffer/WriteAheadLog.swift": 1,
        // Maps of gigabytes, of which memory holds what is looked at.
        "Sources/Hub/HubServices/Places/NameReader.swift": 1,
        "Sources/Hub/HubServices/Runs/ObstacleMap.swift": 1,
        "Sources/Hub/HubWeb/Operation/BreachedPasswordsFile.swift": 1,
        // Posts to strangers: a part that buildHub makes, with a resolver that can be handed in.
        "Sources/Hub/HubServices/Webhooks/EgressPolicy+Client.swift": 1,
        "Sources/Hub/HubServices/Webhooks/EgressPolicy+Pool.swift": 1,
        // A look at the mail server, as buildHub hands it to the monitor of ways.
        "Sources/Hub/HubWeb/Notices/MailServer.swift": 2,
        // Where the hub listens: a part that buildHub makes, on sockets that can be handed in.
        "Sources/Hub/HubWeb/Connections/HubServer.swift": 2,
        // The doctor's connections, which the command makes and hands to what looks.
        "Sources/Hub/HubWeb/Doctor/DoctorNetwork.swift": 2,
        // What control rooms share, made by buildHub.
        "Sources/Hub/HubWeb/SOS/SOSOutlets.swift": 1,
        // A folder in which other programs work on gigabytes.
        "Sources/Hub/HubStore/Places/MapWork.swift": 1,
        // Databases of gigabytes, put together piece by piece.
        "Sources/Hub/HubServices/Backup/LargeFile.swift": 2,
        // A command that reads half a gigabyte, by another program's files.
        "Sources/Hub/HubWeb/Operation/HubCommands+Places.swift": 5,
    ]

    static func violations(in files: [SourceFile], exceptions: [String: Int] = exceptions) -> [Violation] {
        var found: [Violation] = [], left = exceptions
        for file in files {
            let own = violations(in: file)
            let allowed = left.removeValue(forKey: file.path) ?? 0
            if own.count > allowed { found += own }
            if own.count < allowed { found.append(idle(file.path, allowed, own.count)) }
        }
        return found + left.sorted { $0.key < $1.key }.map { idle($0.key, $0.value, 0) }
    }

    private static func idle(_ path: String, _ allowed: Int, _ count: Int) -> Violation {
        Violation(
            path: "Tests/TidyTests/SeamRules.swift", line: 1,
            what: "\(path) has \(count) of these any more, not \(allowed): say so in the list")
    }

    private static func violations(in file: SourceFile) -> [Violation] {
        guard file.path.hasPrefix("Sources/"), file.isSwift, let target = file.target, targets.contains(target) else { return [] }
        let lines = file.code.split(separator: "\n", omittingEmptySubsequences: false)
        func find(_ tokens: [String], _ instead: String) -> [Violation] {
            tokens.flatMap { token in
                SwiftCode.lines(of: token, in: file.code)
                    // By a generator that was handed in.
                    .filter { token != ".random(" || !lines[$0 - 1].contains("using: ") }
                    .map { Violation(path: file.path, line: $0, what: "\(token): \(instead), so that a test can stand in for the machine") }
            }
        }
        /// `Task<Void, Never> {`, and not where a function or property only names the type.
        let tasks = Set(SwiftCode.lines(of: "Task<", in: file.code)).sorted().flatMap { number in
            lines[number - 1].matches(of: /((?:->|:) *)?\bTask<[^{}]*?> ?[{(]/).filter { $0.1 == nil }.map { _ in
                Violation(path: file.path, line: number, what: "Task<…>: take tasks from the machine")
            }
        }
        return tasks + find(clocks, "read the machine's clock (Machine.uptime, or the time that is handed in)")
            + find(sleeps, "sleep by Machine.sleep") + find(threads, "take queues and tasks from the machine")
            + find(numbers, "draw from the machine's randomness") + find(programs, "start it by the machine's programs")
            + find(sockets, "take the connection from a part that is handed in")
            + find(files, "read and write by the machine's files")
    }
}
