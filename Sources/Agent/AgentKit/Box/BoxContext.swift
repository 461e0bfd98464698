internal import Logging
internal import Monitoring
internal import SyncProtocol
internal import Vitals

/// Constants that every part of the box knows.
struct BoxContext: Sendable {
    let identity: Identity
    let configuration: AgentConfiguration
    let directory: StateDirectory
    let boot: BootID
    let clock: BoxClock
    let time: TokenClock
    let announcer: Announcer
    let logger: Logger

    var people: [PersonID] { identity.persons.map(\.person) }

    /// The person whom a request means: the one that it names, or the only one.
    func persons(_ request: ControlRequest) throws(AgentProblem) -> [PersonID] {
        if request.person == nil, identity.persons.count == 1 { return people }
        return [try identity.person(request.person).person]
    }

    func say(_ notice: Notice) { announcer.tell(notice) }

    func say(prompt key: String) { announcer.prompt(key) }

    // MARK: - What is known of the time

    var trust: BoxStatus.ClockTrust {
        switch time.now().source {
        case .hub: .hub
        case .gnss: .gnss
        case .box: clock.isSynchronized() ? .ntp : .unconfirmed
        case .floor: .unconfirmed
        }
    }

    /// UTC as the hub, a satellite fix or NTP has told it since the boot; nil before.
    var confirmedUTC: Milliseconds? { trust == .unconfirmed ? nil : time.utc() }

    var wayTime: BoxWays.Now { .init(utc: confirmedUTC ?? clock.utc(), isConfirmed: confirmedUTC != nil, boottime: clock.boottime()) }
}
