public import Logging
public import Seams
public import ServiceLifecycle
import Synchronization

/// Looks at everything that a hub needs, each by itself and again and again, and remembers what was found. Whoever asks, asks the memory: a disk that
/// hangs holds up no answer, and is one.
public final class HealthWatch: Service, Sendable {
    private struct Known {
        var finding: HealthFinding?
        /// When a look began that is not back, by the machine's uptime.
        var began: Duration?
    }

    /// From the end of a look to the next.
    static let pause = Duration.seconds(10)
    /// A look that is not back for so long hangs.
    static let patience = Duration.seconds(30)

    private let looks: [HealthLook]
    private let machine: Machine
    private let logger: Logger
    private let known = Mutex<[HealthCheck: Known]>([:])

    /// - Parameter looks: at most one for each check.
    public init(_ looks: [HealthLook], machine: Machine, logger: Logger) {
        (self.looks, self.machine, self.logger) = (looks, machine, logger)
    }

    public func run() async throws {
        await cancelWhenGracefulShutdown { [self] in
            await withDiscardingTaskGroup { group in
                for look in looks {
                    group.addTask { [self] in
                        while !Task.isCancelled {
                            await take(look)
                            try? await machine.sleep(for: Self.pause)
                        }
                    }
                }
            }
        }
    }

    /// Looks at everything once.
    func lookNow() async {
        await withDiscardingTaskGroup { group in
            for look in looks { group.addTask { [self] in await take(look) } }
        }
    }

    private func take(_ look: HealthLook) async {
        let start = machine.uptime
        known.withLock { $0[look.check, default: Known()].began = start }
        let finding = await look.look()
        let before = known.withLock { known in
            defer { known[look.check] = Known(finding: finding, began: nil) }
            return known[look.check]?.finding?.state ?? .ok
        }
        guard before != finding.state else { return }
        let level: Logger.Level = [.ok: .notice, .warning: .warning, .failing: .error][finding.state] ?? .error
        logger.log(
            level: level, "health",
            metadata: ["check": "\(look.check.rawValue)", "state": "\(finding.state.word)", "what": "\(finding.text)"])
    }

    /// What is known of each check, in their order.
    public var findings: [(check: HealthCheck, finding: HealthFinding)] {
        let time = machine.uptime
        return known.withLock { known in
            looks.map { look in
                let state = known[look.check] ?? Known()
                if let began = state.began, time - began > Self.patience {
                    return (
                        look.check,
                        HealthFinding(
                            .failing, "It has been looked for \(Int64((time - began) / .seconds(1))) s, and hangs: look at the disk.")
                    )
                }
                return (look.check, state.finding ?? HealthFinding(.warning, "Not looked at yet."))
            }
        }
    }

    /// The essential checks that fail.
    public var faults: [HealthCheck] {
        findings.compactMap { $0.check.isEssential && $0.finding.state == .failing ? $0.check : nil }
    }

    /// The states, and what the looks measured.
    public var samples: [MetricSample] {
        findings.flatMap { check, finding in [MetricSample(.checkState, finding.state.rawValue, check.rawValue)] + finding.figures }
    }
}
