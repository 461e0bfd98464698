internal import Distress
internal import Logging
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

extension Box {
    /// With each look.
    func keepAwake() {
        let isWatching = watchings.values.contains { $0.settings.distress.isOn }
        parts.sources.keep(awake: sleep.isToStayAwake(isWatching: isWatching, power: power.power))
    }

    func take(_ event: SleepEvent) {
        sleep.take(event, at: clock.boottime())
        switch event {
        case .held: logger.notice("this machine is kept awake while somebody is watched")
        case .released: logger.notice("nothing keeps this machine awake")
        case .refused(let problem): logger.error("\(problem)")
        case .fallsAsleep:
            logger.error("this machine falls asleep: nobody is watched until it wakes up")
            tellOfSleep("prompt.sos.asleep")
        case .wokeUp:
            logger.error("this machine was asleep: nobody was watched meanwhile")
            tellOfSleep("prompt.sos.awake")
        }
        publish()
    }

    private func tellOfSleep(_ prompt: String) {
        let watched = watchings.values.filter(\.settings.distress.isOn).map(\.person)
        guard !watched.isEmpty else { return }
        say(prompt: prompt)
        for person in watched.sorted() { tellHub(of: person, isNews: true) }
    }
}
