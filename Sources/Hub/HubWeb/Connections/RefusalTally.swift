import HTTPTypes
import Logging
import Seams
import ServiceLifecycle
import Synchronization
import Vitals

/// What was refused, and what became of log-ins, by the beginning of the address: a line in the log a minute at most, so that a flood of requests is
/// none of lines. It names nobody, and no part of an address that is not a route's.
final class RefusalTally: Sendable {
    /// Between two lines, milliseconds.
    static let pause: Milliseconds = 60_000
    /// Of all requests: without a right or a log-in, too much, and what the hub does not read.
    private static let statuses: Set<Int> = [401, 403, 413, 429, 431, 501, 503]
    /// Where log-ins are decided: each answer to a form counts.
    private static let logIns: Set<Substring> = ["log-in"]

    private let beginnings: Set<Substring>
    private let state = Mutex((counts: [String: Int](), told: Milliseconds?.none))

    /// - Parameter routes: whose first words are told apart; all else is `other`.
    init(routes: some Sequence<String>) {
        beginnings = Set(routes.compactMap { $0.split(separator: "/").first }.filter { !$0.hasPrefix("{") && !$0.hasPrefix("*") })
    }

    /// Counts an answer.
    /// - Parameters:
    ///   - path: with or without a query.
    ///   - now: UTC milliseconds.
    /// - Returns: what was counted since the last line, where one is due.
    func line(_ status: Int, _ method: HTTPRequest.Method, _ path: String, at now: Milliseconds) -> String? {
        let first = path.prefix { $0 != "?" }.split(separator: "/").first
        guard Self.statuses.contains(status) || method == .post && first.map({ Self.logIns.contains($0) }) == true else { return nil }
        let name = first.flatMap { beginnings.contains($0) ? String($0) : nil } ?? "other"
        return state.withLock { state in
            state.counts["\(name) \(status)", default: 0] += 1
            // Also when the clock was set back.
            if let told = state.told, (told..<told + Self.pause).contains(now) { return nil }
            return Self.tell(&state, at: now)
        }
    }

    /// What was counted since the last line, so that the end of a flood is told without another refusal.
    /// - Parameter isLast: also where that line is not old enough: nobody will tell it later.
    /// - Returns: nil where nothing was counted, or no line is due.
    func rest(at now: Milliseconds, isLast: Bool = false) -> String? {
        state.withLock { state in
            guard !state.counts.isEmpty else { return nil }
            if !isLast, let told = state.told, (told..<told + Self.pause).contains(now) { return nil }
            return Self.tell(&state, at: now)
        }
    }

    private static func tell(_ state: inout (counts: [String: Int], told: Milliseconds?), at now: Milliseconds) -> String {
        defer { state = ([:], now) }
        return state.counts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
    }
}

/// Where answers are counted, and the line is written.
struct RefusalNotes: Sendable {
    let tally: RefusalTally
    let logger: Logger
    let now: @Sendable () -> Milliseconds

    func note(_ status: Int, _ method: HTTPRequest.Method, _ path: String) {
        guard let line = tally.line(status, method, path, at: now()) else { return }
        tell(line)
    }

    /// Tells what was counted since the last line, where that is due.
    /// - Parameter isLast: the hub stops.
    func tellRest(isLast: Bool = false) {
        guard let line = tally.rest(at: now(), isLast: isLast) else { return }
        tell(line)
    }

    private func tell(_ line: String) { logger.notice("requests were refused, or were log-ins", metadata: ["counts": "\(line)"]) }
}

/// Tells what was refused after the last line, and when the hub stops what is left.
struct RefusalReport: Service {
    let notes: RefusalNotes
    let machine: Machine

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try? await machine.sleep(for: .milliseconds(RefusalTally.pause))
                notes.tellRest()
            }
        }
        notes.tellRest(isLast: true)
    }
}
