public import HubStore
public import Privacy
public import Vitals

/// The hub's knowledge of somebody who is looked after. Each value carries its time: a page that shows it says how old it is.
public struct CareState: Sendable, Hashable {
    public struct Beats: Sendable, Hashable {
        public let time: Milliseconds
        public let beatsPerMinute: Int
    }

    /// The heart-rate sensor, as the box last told.
    public enum Sensor: String, Sendable, Hashable, CaseIterable {
        case unknown, connected, lost, notWorn, charging, away, frozen
    }

    public var heartRate: Beats?
    /// When the newest position was taken; where it is, the live page shows.
    public var position: Milliseconds?
    /// When the hub last received anything from the person's boxes; nil when nothing came since it started.
    public var received: Milliseconds?
    public var sensor = Sensor.unknown
    public var sensorSince: Milliseconds?
    /// Until when monitoring is paused, UTC; 0 when that is open, nil when it is not paused.
    public var pausedUntil: Milliseconds?
    /// Where the newest sample comes from.
    public var provenance: Provenance?

    public init(_ reading: Reading, now: Milliseconds) {
        // Zero, and a value without skin contact, say nothing of the heart.
        heartRate = reading.heartRates.last { $0.beatsPerMinute > 0 && $0.contact != .notDetected }.map {
            Beats(time: $0.time, beatsPerMinute: Int($0.beatsPerMinute))
        }
        position = reading.positions.last?.time
        (received, provenance) = (reading.received, reading.provenance)
        for event in reading.events where event.time <= now { take(event) }
        if let until = pausedUntil, until != 0, until <= now { pausedUntil = nil }
    }

    private mutating func take(_ event: StateEvent) {
        let next: Sensor?
        switch event.code {
        case .sensorConnected: next = .connected
        case .sensorLost: next = .lost
        case .sensorContact: next = event.value == 0 ? .notWorn : .connected
        case .sensorCharging: next = event.value == 1 ? .charging : .connected
        case .sensorAway: next = event.value == 1 ? .away : .connected
        case .sensorFrozen: next = event.value == 1 ? .frozen : .connected
        case .paused:
            pausedUntil = event.value
            next = nil
        case .resumed:
            pausedUntil = nil
            next = nil
        default: next = nil
        }
        if let next { (sensor, sensorSince) = (next, event.time) }
    }
}

/// Somebody whom an account looks after.
public struct CaredPerson: Sendable, Hashable {
    public let person: PersonID
    public let name: String
    public let grant: Grant
    /// Whether the account is the parent, who decides for the minor.
    public let isWard: Bool
    public let state: CareState
    /// Questions that wait for the parent's answer; 0 for a caregiver.
    public let questions: Int
}

extension CareService {
    /// People on one list, at most.
    public static let listMax = 100
    /// As far back as the state is looked for before the newest sample, milliseconds.
    static let lookBack: Milliseconds = 12 * 3_600_000
    /// Heart rates that are looked through for one that says something.
    static let lookBackSamples = 600

    /// Minors in the account's hands first, then whom it looks after by consent. Each look stands in the person's ledger.
    public func list(for account: AccountID) throws -> [CaredPerson] {
        let time = now
        let wards = try accounts.care.wards(of: account, now: time).compactMap {
            try accounts.consents.authority(over: $0).grant(to: account, at: time)
        }
        var grants: [PersonID: Grant] = [:]
        for grant in try consents.careGrants(of: account).map(\.grant) where grant.kinds.count > grants[grant.person]?.kinds.count ?? 0 {
            grants[grant.person] = grant
        }
        let others = grants.values.filter { grant in !wards.contains { $0.person == grant.person } }.sorted { $0.person < $1.person }
        return try (wards.map { ($0, true) } + others.map { ($0, false) }).prefix(Self.listMax).compactMap { grant, isWard in
            try cared(grant, isWard: isWard, for: account, time)
        }
    }

    /// One of them, also beyond ``listMax``; nil for everybody else. The look stands in that person's ledger alone.
    public func cared(_ person: PersonID, for account: AccountID) throws -> CaredPerson? {
        guard person != account.person, let grant = try consents.siteGrant(of: person, to: account) else { return nil }
        let time = now, authority = try accounts.consents.authority(over: person)
        return try cared(grant, isWard: authority.isMinor(at: time) && authority.grant(to: account, at: time) != nil, for: account, time)
    }

    private func cared(_ grant: Grant, isWard: Bool, for account: AccountID, _ time: Milliseconds) throws -> CaredPerson? {
        try accounts.ledger.recordRead(grant, now: time)
        // nil: it ended a moment ago.
        guard let person = try accounts.person(grant.person),
            var reading = try series.last(Self.lookBackSamples, grant, within: Self.lookBack, now: time)
        else { return nil }
        // That something came tells of kinds that are not granted, too.
        if !grant.kinds.contains(.event) { reading.received = nil }
        // However old: it stands there with its age.
        if reading.positions.isEmpty, let place = try series.newestPosition(grant, now: time) { reading.positions = [place] }
        let questions = isWard ? try consents.followers(of: grant.person, for: account).items.count { $0.consent.isOpen } : 0
        return CaredPerson(
            person: grant.person, name: person.name, grant: grant, isWard: isWard, state: CareState(reading, now: time),
            questions: questions)
    }

    /// A code that connects a box for somebody who is looked after; the person is told by mail. nil for everybody else.
    public func boxCode(for person: PersonID, by account: StoredAccount) throws -> String? {
        guard let grant = try consents.siteGrant(of: person, to: account.id), account.id.person != person else { return nil }
        let code = try enrolment.makeCode(for: [grant.person], now: now)
        if let own = try accounts.account(AccountID(person)) {
            try accounts.notices.addNotice(.careBoxCode, ["caregiver": account.name], to: own, now: now)
        }
        return code
    }

    /// The caregiver looks after somebody no more: every such consent ends. False when there was none.
    public func end(_ person: PersonID, by account: AccountID) throws -> Bool {
        let running = try consents.careGrants(of: account).filter { $0.grant.person == person }
        for item in running { try consents.end(item.consent.id, by: .caregiver(account)) }
        return !running.isEmpty
    }
}

extension Consent {
    var isOpen: Bool {
        if case .pending = state { true } else { false }
    }
}
