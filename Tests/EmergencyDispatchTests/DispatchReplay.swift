import Distress
import Foundation
import Vitals

@testable import EmergencyDispatch

/// Runs a ``DispatchScenario`` in virtual time as the hub does: detectors and cases are the real values, crews and ways are those of the file.
/// What is stored is kept as JSON, and a restart goes on with that alone.
struct DispatchReplay {
    /// One of the people, as the hub has them in memory.
    struct Person {
        /// nil for the only one.
        let name: String?
        let id: PersonID
        var watch: DistressWatch
        /// Their case, also when it is over.
        var incident: IncidentID?
        /// The case that was over last.
        var last: EndedCase?
        /// When they asked for help on a page.
        var helpAt: [Milliseconds] = []
        /// What the store holds.
        var stored: Data?
        /// Alarms of their boxes, by the names of the file.
        var alarms: [String: Alarm] = [:]
        /// What each of their boxes reported last.
        var reported: [String: IncidentID] = [:]
    }

    static let start: Milliseconds = 1_000_000_000
    let scenario: DispatchScenario
    let boot = StreamID(high: 9, low: 9)
    var people: [Person]
    /// Whose turn it is.
    var current = 0
    var cases = SOSCases()
    /// Searches for crews that are still being read.
    private var searches: [(endsAt: Milliseconds, person: Int, result: SOSSearchResult)] = []
    private var isHandingOver = false
    private(set) var time = start
    var isConsented: Bool
    var failing: Set<String> = [], onDuty: Set<String>
    /// Crews whose phones say all the time where they are, as metres from the person.
    var crewsSeen: [String: Int] = [:]
    /// Presses and reports so far.
    var wordCount: UInt64 = 0
    private var secrets = 0
    private(set) var lines: [String] = []

    static func run(_ scenario: DispatchScenario) throws -> [String] {
        var replay = DispatchReplay(scenario)
        for event in scenario.events {
            try replay.wait(until: start + event.time)
            try replay.play(event)
        }
        replay.finish()
        return replay.lines
    }

    private init(_ scenario: DispatchScenario) {
        self.scenario = scenario
        (isConsented, onDuty) = (scenario.isConsented, Set(scenario.crews.map(\.name)))
        let names: [String?] = scenario.people.isEmpty ? [nil] : scenario.people.map(Optional.some)
        people = names.enumerated().map { index, name in
            let id = PersonID(high: 0, low: UInt64(index) + 1)
            return Person(name: name, id: id, watch: Self.watch(of: id, at: Self.start))
        }
    }

    static func watch(of person: PersonID, at time: Milliseconds) -> DistressWatch {
        var settings = DistressSettings()
        (settings.isOn, settings.age) = (true, 40)
        return DistressWatch(person: person, provenance: .live, side: .hub, settings: settings, at: time)
    }

    /// The case of whose turn it is, also when it is over.
    var item: SOSCase? { people[current].incident.flatMap { cases[$0] } }
    /// The same while it is open.
    var open: SOSCase? { item.flatMap { $0.isOpen ? $0 : nil } }

    mutating func begin(_ new: SOSCase) {
        cases[new.id] = new
        people[current].incident = new.id
    }

    /// Everybody's turn, one after the other.
    mutating func everybody(_ body: (inout DispatchReplay) throws -> Void) throws {
        for index in people.indices {
            current = index
            try body(&self)
        }
    }

    mutating func say(_ line: String) {
        lines.append("\(DispatchScenario.clock(time - Self.start)) \(people[current].name.map { "\($0) " } ?? "")\(line)")
    }

    private mutating func finish() {
        for index in people.indices {
            current = index
            let name = people[index].name.map { "\($0) " } ?? ""
            guard let item else {
                lines.append("end \(name)nothing")
                continue
            }
            let owner = item.owner.map { " \(self.name(of: $0))" } ?? (item.isOpen ? " nobody" : "")
            lines.append("end \(name)" + (item.isOpen ? "open\(owner)\(item.hasNobody ? " and nobody to call" : "")" : "over"))
        }
    }

    // MARK: Time

    private mutating func wait(until end: Milliseconds) throws {
        while time < end {
            time += 1000
            try tick()
        }
    }

    private mutating func tick() throws {
        let now = time, done = searches.filter { $0.endsAt <= now }
        searches.removeAll { $0.endsAt <= now }
        for search in done {
            current = search.person
            try decide(.crew(.found(search.result)))
        }
        try everybody { replay in
            if let due = replay.people[replay.current].watch.nextDeadline, due <= replay.time {
                try replay.tell([.tick], isHandedOver: false)
            }
            try replay.decide(.hub(.tick))
            try replay.decide(.hub(.holdIsOver))
            try replay.send()
            if replay.time % 10_000 == 0 { try replay.decide(.hub(.ownerDue(crew: replay.sight))) }
        }
    }

    /// The hub did not listen.
    mutating func pause(_ missed: Milliseconds) throws {
        time += missed
        try everybody { try $0.decide(.hub(.missed(missed, stepped: 0))) }
        try tick()
    }

    /// The hub was down: what it had not stored, and what it was reading, is gone.
    mutating func restart(after missed: Milliseconds) throws {
        time += missed
        (cases, searches) = (SOSCases(), [])
        try everybody { replay in
            let stored = try replay.people[replay.current].stored.map { try JSONDecoder().decode(SOSCase.self, from: $0) }
            replay.people[replay.current].incident = nil
            if let stored { replay.begin(stored) }
        }
        try everybody { try $0.decide(.hub(.restarted)) }
        try tick()
    }

    // MARK: Deciding and carrying out

    mutating func decide(_ event: DispatchEvent) throws {
        guard let before = item else { return }
        let effects = cases.handle(event, in: before.id, at: time)
        let offers = cases[before.id]?.offers ?? []
        for offer in offers where offer.state == .expired && before.offers.contains(where: { $0.isOpen(like: offer) }) {
            say("unanswered \(name(of: offer.account))")
        }
        for offer in offers.suffix(max(0, offers.count - before.offers.count)) { say("offer \(name(of: offer.account))") }
        if cases[before.id]?.hasNobody == true, !before.hasNobody { say("nobody to call") }
        for effect in effects { try carryOut(effect) }
    }

    private mutating func carryOut(_ effect: DispatchEffect) throws {
        switch effect {
        case .store: people[current].stored = try JSONEncoder().encode(item)
        case .tell(let events, let isHandedOver): try tell(events, isHandedOver: isHandedOver)
        case .plan: try beginRound()
        case .search: try decide(.hub(.searches(isConsented: isConsented)))
        case .findCrews(let search): try find(search)
        case .send: try send()
        case .deliver(let call): try deliver(call)
        case .notify(let crews):
            if crews.isEmpty { try decide(.hub(.notifies)) }
            for crew in crews {
                say("notify \(name(of: crew))")
                try decide(.crew(.notified(crew)))
            }
        case .show, .showCrews: break
        case .over(let outcome):
            say("over \(text(outcome))")
            people[current].last = item.map {
                EndedCase(id: $0.id, outcome: outcome, at: time, opened: $0.opened, aliases: $0.alarm.aliases)
            }
        case .lostOwner: say("no answer of \(item?.goneOwner.map(name(of:)) ?? "")")
        case .refused(let why): say("refused \(why)")
        }
    }

    mutating func tell(_ events: [DistressEvent], isHandedOver: Bool) throws {
        isHandingOver = isHandedOver
        defer { isHandingOver = false }
        for event in events { for effect in people[current].watch.handle(event, at: time) { try take(effect) } }
    }

    private mutating func take(_ effect: DistressEffect) throws {
        switch effect {
        case .deliver(let delivery):
            if open != nil {
                try decide(.detector(.alarm(delivery.alarm)))
            } else {
                begin(SOSCase(delivery.alarm, isTest: false, opened: time))
                say("case")
            }
            if !isHandingOver { try beginRound() }
        case .report(let alarm): try decide(.detector(.help(alarm)))
        case .tell(.over(let alarm, let outcome)) where open == nil:
            people[current].last = EndedCase(id: alarm.id, outcome: outcome, at: time, opened: alarm.raisedAt, aliases: alarm.aliases)
            say("it was: \(text(outcome))")
            try decide(.detector(.corrected(outcome)))
            try send()
        case .tell(let announcement):
            if case .taken(_, let owner) = announcement { say("taken \(name(of: owner))") }
            if case .released(_, let owner) = announcement { say("released \(name(of: owner))") }
            try decide(.detector(.announced(announcement, name: nil, isHandedOver: isHandingOver, roomsWithoutNews: [])))
            try send()
        case .sameEpisode:
            guard open != nil, let alarm = people[current].watch.incident.alarm else { break }
            say("one case with two names")
            try decide(.detector(.alarm(alarm)))
        case .ask, .withdraw, .warn, .test, .protection, .decided: break
        }
    }

    private mutating func beginRound() throws {
        guard item?.heldUntil == nil else { return }
        try decide(.hub(.began(isConsented: isConsented)))
        try decide(.hub(.planned(plan())))
    }

    mutating func plan() -> SOSPlan {
        var plan = SOSPlan()
        (plan.contacts, plan.rooms, plan.isConsented) = (scenario.contacts, scenario.rooms, isConsented)
        (plan.caregivers, plan.hasVoice) = (scenario.caregivers.map(account), scenario.hasVoice)
        plan.links = plan.contacts.map { _ in secret() }
        for room in plan.rooms { plan.roomLinks[room] = secret() }
        return plan
    }

    private mutating func secret() -> String {
        secrets += 1
        return String(repeating: "0", count: 32 - "\(secrets)".count) + "\(secrets)"
    }

    private mutating func find(_ search: CrewSearch) throws {
        var result = SOSSearchResult(crews: [], rooms: scenario.rooms)
        for room in scenario.rooms { result.links[room] = secret() }
        result.isToHome = item?.alarm.position == nil
        for crew in scenario.crews(near: current) where onDuty.contains(crew.name) && result.crews.count < search.missing {
            guard search.isFree(account(crew.name)) else { continue }
            result.crews.append(FoundCrew(account: account(crew.name), ambulance: 1, metres: crew.metres))
        }
        guard scenario.searchTime > 0 else { return try decide(.crew(.found(result))) }
        searches.append((time + scenario.searchTime, current, result))
    }

    mutating func send() throws {
        for call in item?.calls ?? [] where call.isDue(time) { try decide(.call(.hasRoom(call.number, lease: 45_000))) }
    }

    private mutating func deliver(_ call: SOSCall) throws {
        let to = name(of: call.recipient.owner), way = "\(call.channel.rawValue) \(to)"
        let fails = !failing.isDisjoint(with: [way, call.channel.rawValue, "never \(way)"])
        say("\(way) \(call.message.rawValue)\(fails ? " fails" : "")")
        let retry: SOSCallResult.Retry = failing.contains("never \(way)") ? .never : .again
        let result: SOSCallResult = fails ? .failed(why: "made up", retry) : .left(proof: "made up")
        try decide(.call(.ended(call.number, result, tries: call.tries, isSpoken: call.channel == .voice)))
    }
}

extension SOSOffer {
    fileprivate func isOpen(like other: SOSOffer) -> Bool { state == .open && account == other.account && made == other.made }
}
