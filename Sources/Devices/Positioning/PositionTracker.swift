import Sensing
import Vitals

/// The position from gpsd's messages and its silence: a value, without clock and I/O.
///
/// gpsd sends nothing at all when a receiver falls silent, so ``deadline`` must be watched and ``tick(at:)`` called.
struct PositionTracker {
    enum Effect: Sendable, Equatable {
        case event(PositionEvent)
        /// Something to tell the person at the box, while the source goes on.
        case problem(SourceProblem)
        /// The same, and why no position comes although gpsd answers, until a report does.
        case receiver(SourceProblem)
    }

    struct Limits: Sendable, Equatable {
        /// Silence after which the position is stale.
        var staleAfter: Milliseconds = 3000
        /// Dates before this one are not believed, nor those 1024 weeks and more after it.
        var earliestUTC: Milliseconds
    }

    private struct Device {
        var name: String
        var mode: Int
        var time: Milliseconds
        /// The receiver's time of its last report.
        var utc: Milliseconds?
    }

    /// Receivers that are remembered. gpsd itself shows a client at most four.
    private static let devicesMax = 8
    /// The span of GPS's week counter: receivers and gpsd 3.20 to 3.22 err by exactly this much.
    private static let rollover: Milliseconds = 1024 * 7 * 86_400_000
    private static let staleIntervalMax: Milliseconds = 60_000

    private var limits: Limits
    private var devices: [Device] = []
    private var current: String?
    private var hasFix: Bool?
    private var lastReport: Milliseconds?
    private var nextStaleAge: Milliseconds
    private var said: Set<Once> = []
    private enum Once { case date, noReceiver, simulated }

    init(limits: Limits) {
        self.limits = limits
        nextStaleAge = limits.staleAfter
    }

    /// When ``tick(at:)`` has something to say unless a report comes first.
    var deadline: Milliseconds? { lastReport.map { $0 + nextStaleAge } }

    /// gpsd answers. What was known of receivers belongs to the old connection.
    mutating func connected(at time: Milliseconds) -> [Effect] {
        devices = []
        current = nil
        hasFix = nil
        lastReport = time
        nextStaleAge = limits.staleAfter
        return [.event(.connected(time: time))]
    }

    /// The connection is gone: silence says nothing from here on.
    mutating func disconnected() { lastReport = nil }

    /// A date that is known to have been: it can only move on.
    mutating func believeDates(from utc: Milliseconds) { limits.earliestUTC = max(limits.earliestUTC, utc) }

    mutating func handle(_ message: GPSDMessage, at time: Milliseconds) -> [Effect] {
        switch message {
        case .report(let report): return handle(report, at: time)
        case .devices(let count):
            // Told once until there is one, over all connections: gpsd may greet and hang up for ever.
            guard count == 0 else {
                said.remove(.noReceiver)
                return []
            }
            return said.insert(.noReceiver).inserted ? [.receiver(.noReceiver)] : []
        case .device(let path, let isActive): return handle(path, isActive: isActive, at: time)
        case .error(let text): return [.problem(.gpsdComplains(text))]
        case .version, .other: return []
        }
    }

    mutating func tick(at time: Milliseconds) -> [Effect] {
        guard let lastReport, time - lastReport >= nextStaleAge else { return [] }
        let age = time - lastReport
        while nextStaleAge <= age { nextStaleAge = min(nextStaleAge * 2, nextStaleAge + Self.staleIntervalMax) }
        return [.event(.stale(age: age, time: time))]
    }

    private mutating func handle(_ report: TPVReport, at time: Milliseconds) -> [Effect] {
        said.remove(.noReceiver)
        let sample = PositionSample(report, time: time)
        let mode = sample == nil ? 0 : report.mode
        // Until gpsd knows a receiver's cycle it reports an epoch after every sentence of it. A receiver that repeats one for ever
        // is as good as silent.
        if let utc = report.utc, devices.contains(where: { $0.name == report.device && $0.utc == utc && $0.mode == mode }) { return [] }
        guard isBest(Device(name: report.device, mode: mode, time: time, utc: report.utc)) else { return [] }
        current = report.device
        lastReport = time
        nextStaleAge = limits.staleAfter
        guard let sample else {
            defer { hasFix = false }
            return hasFix == false ? [] : [.event(.noFix(time: time))]
        }
        hasFix = true
        var effects: [Effect] = report.isSimulated ? once(.simulated, .simulated) : []
        var utc = report.utc
        if let date = utc, date < limits.earliestUTC || date >= limits.earliestUTC + Self.rollover {
            let isRollover = (limits.earliestUTC..<limits.earliestUTC + Self.rollover).contains(date + Self.rollover)
            effects += once(.date, .date(date, isRollover: isRollover))
            utc = nil
        }
        effects.append(.event(.fix(sample, utc: utc)))
        return effects
    }

    /// A receiver that is gone makes place for another one at once, and its last fix is no current one.
    private mutating func handle(_ path: String, isActive: Bool, at time: Milliseconds) -> [Effect] {
        guard !isActive, let index = devices.firstIndex(where: { $0.name == path }) else { return [] }
        devices.remove(at: index)
        guard path == current else { return [] }
        current = nil
        // The next report says in any case that there is a receiver.
        defer { hasFix = nil }
        return (hasFix == true ? [.event(.noFix(time: time))] : []) + [.receiver(.receiverGone(path))]
    }

    /// Remembers what a device says, and whether no other one has said better within the stale time. Equals do not take turns.
    private mutating func isBest(_ device: Device) -> Bool {
        devices.removeAll { $0.name == device.name || device.time - $0.time >= limits.staleAfter }
        if devices.count == Self.devicesMax, let worst = devices.indices.min(by: { devices[$0].mode < devices[$1].mode }) {
            devices.remove(at: worst)
        }
        let best = devices.max { ($0.mode, $0.name == current ? 1 : 0) < ($1.mode, $1.name == current ? 1 : 0) }
        devices.append(device)
        guard let best else { return true }
        return device.mode > best.mode || (device.mode == best.mode && best.name != current)
    }

    private mutating func once(_ key: Once, _ problem: SourceProblem) -> [Effect] {
        said.insert(key).inserted ? [.problem(problem)] : []
    }
}
