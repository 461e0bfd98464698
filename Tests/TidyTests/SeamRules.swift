/// Stores, services and runners take clocks, sleep, threads and random numbers from the machine that `build…` hands them (Seams), so that a test
/// runs them on one thread, in virtual time, twice the same way.
enum SeamRule {
    /// Of the hub and of the box.
    static let targets: Set<String> = ["HubStore", "HubServices", "SampleBuffer", "AgentKit"]

    static let clocks = ["Date()", "ContinuousClock", "SuspendingClock", "clock_gettime", "gettimeofday", "DispatchTime"]
    static let sleeps = ["Task.sleep", "Thread.sleep", "usleep(", "nanosleep("]
    static let threads = [
        "DispatchQueue(", "DispatchQueue.global", "Thread(", "Thread.detachNewThread", "Task {", "Task(", "Task.detached",
    ]
    static let numbers = [
        "SystemRandomNumberGenerator", ".random(", "randomElement(", "shuffled(", "UUID()", "SymmetricKey(size", "PrivateKey()",
    ]

    /// So many of each file that still does: on the box alone, and beside `BoxClock`, which is the box's machine itself. The list only gets shorter,
    /// and the numbers smaller.
    static let exceptions = [
        "Sources/Agent/AgentKit/Agent.swift": 2,
        "Sources/Agent/AgentKit/Box/BoxSettings.swift": 1,
        "Sources/Agent/AgentKit/Box/ButtonPresses.swift": 6,
        "Sources/Agent/AgentKit/Box/DesktopNotifications.swift": 1,
        "Sources/Agent/AgentKit/Box/DesktopPresses.swift": 1,
        "Sources/Agent/AgentKit/Box/DiskTest.swift": 1,
        "Sources/Agent/AgentKit/Box/EnrolmentWait.swift": 3,
        "Sources/Agent/AgentKit/Box/Pending.swift": 2,
        "Sources/Agent/AgentKit/BoxClock.swift": 3,
        "Sources/Agent/AgentKit/Control/ControlClient.swift": 1,
        "Sources/Agent/AgentKit/Control/FollowStatus.swift": 1,
        "Sources/Agent/AgentKit/Page/Listener.swift": 2,
        "Sources/Agent/AgentKit/Page/StatusFeed.swift": 3,
        "Sources/Agent/AgentKit/State/BlockingQueue.swift": 1,
        "Sources/Agent/AgentKit/State/Identity.swift": 1,
        "Sources/Agent/AgentKit/State/Watch.swift": 2,
        "Sources/Agent/SampleBuffer/LiveOutbox.swift": 1,
        "Sources/Agent/SampleBuffer/MemoryOutbox.swift": 1,
        "Sources/Agent/SampleBuffer/Salvaged.swift": 7,
        "Sources/Agent/SampleBuffer/Streams.swift": 1,
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
        return find(clocks, "read the machine's clock (Machine.uptime, or the time that is handed in)")
            + find(sleeps, "sleep by Machine.sleep") + find(threads, "take queues and tasks from the machine")
            + find(numbers, "draw from the machine's randomness")
    }
}
