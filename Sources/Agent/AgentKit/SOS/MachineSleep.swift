internal import Peripherals
internal import Sensing
internal import SyncProtocol
internal import Vitals

/// Whether the machine may fall asleep, and when it did: nobody is watched meanwhile.
struct MachineSleep: Sendable {
    /// So long it is shown that the machine slept.
    private static let shownFor: Milliseconds = 600_000

    /// As logind said last; nil before its first word, and where a box does not ask.
    private var event: SleepEvent?
    /// It said that it falls asleep, and not yet that it woke up.
    private var isFallingAsleep = false
    private var wokeUp: Milliseconds?
    let hasLid: Bool

    init(hasLid: Bool = LidSwitch.isPresent()) { self.hasLid = hasLid }

    /// Where somebody is watched, a machine on mains stays awake, and so does one without a lid, which nobody closes to put it away.
    func isToStayAwake(isWatching: Bool, power: BoxPower) -> Bool { isWatching && (power == .mains || !hasLid) }

    mutating func take(_ event: SleepEvent, at now: Milliseconds) {
        switch event {
        case .wokeUp: (isFallingAsleep, wokeUp) = (false, now)
        case .fallsAsleep: isFallingAsleep = true
        // logind speaks of locks again: whatever it began is over.
        case .held, .refused, .released: (isFallingAsleep, self.event) = (false, event)
        }
    }

    func weaknesses(at now: Milliseconds) -> [BoxStatus.Weakness] {
        var found: [BoxStatus.Weakness] = []
        if isFallingAsleep || event.map({ $0 != .held }) ?? false { found.append(.mayFallAsleep) }
        if let wokeUp, now - wokeUp < Self.shownFor { found.append(.wasAsleep) }
        return found
    }
}
