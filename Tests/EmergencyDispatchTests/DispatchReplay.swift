import Distress
import Foundation
import Vitals

@testable import EmergencyDispatch

/// Runs a ``DispatchScenario`` in virtual time as the hub does: the detector and the case are the real values, crews and ways are those of the
/// file. What is stored is kept as JSON, and a restart goes on with that alone.
struct DispatchReplay {
    private static let start: Milliseconds = 1_000_000_000
    private let scenario: DispatchScenario
    private let person = PersonID(high: 0, low: 1), boot = StreamID(high: 9, low: 9)
    private var watch: DistressWatch
    private var item: SOSCase?
    private var isHandingOver = false
    private var time = start
    private var isConsented: Bool
    private var failing: Set<String> = [], onDuty: Set<String>
    private var presses: UInt64 = 0
    private var secrets = 0
    /// What the store holds.
    private var stored: Data?
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
        watch = Self.watch(of: person, at: Self.start)
    }

    private static func watch(of person: PersonID, at time: Milliseconds) -> DistressWatch {
        var settings = DistressSettings()
        (settings.isOn, settings.age) = (true, 40)
        return DistressWatch(person: person, provenance: .live, side: .hub, settings: settings, at: time)
    }

    private mutating func say(_ line: String) { lines.append("\(DispatchScenario.clock(time - Self.start)) \(line)") }

    private mutating func finish() {
        guard let item else { return lines.append("end nothing") }
        let owner = item.owner.map { " \(name(of: $0))" } ?? (item.isOpen ? " nobody" : "")
        lines.append(item.isOpen ? "end open\(owner)\(item.hasNobody ? " and nobody to call" : "")" : "end over")
    }

    // MARK: Time

    private mutating func wait(until end: Milliseconds) throws {
        while time < end {
            time += 1000
            try tick()
        }
    }

    private mutating func tick() throws {
        if let due = watch.nextDeadline, due <= time { try tell([.tick], isHandedOver: false) }
        try decide(.hub(.tick))
        try decide(.hub(.holdIsOver))
        try send()
        guard time % 10_000 == 0 else { return }
        try decide(.hub(.ownerDue(crewPlaceAt: nil)))
    }

    // MARK: Deciding and carrying out

    private mutating func decide(_ event: DispatchEvent) throws {
        guard var changed = item else { return }
        let before = changed.offers
        let effects = changed.handle(event, at: time)
        item = changed
        for offer in changed.offers where offer.state == .expired && before.contains(where: { $0.isOpen(like: offer) }) {
            say("unanswered \(name(of: offer.account))")
        }
        for effect in effects { try carryOut(effect) }
    }

    private mutating func carryOut(_ effect: DispatchEffect) throws {
        switch effect {
        case .store: stored = try JSONEncoder().encode(item)
        case .tell(let events, let isHandedOver): try tell(events, isHandedOver: isHandedOver)
        case .plan: try beginRound()
        case .search: try decide(.hub(.searches(isConsented: isConsented)))
        case .findCrews(let missing, let excluded): try find(missing, but: excluded)
        case .send: try send()
        case .deliver(let call): try deliver(call)
        case .notify(let crews):
            if crews.isEmpty { try decide(.hub(.notifies)) }
            for crew in crews {
                say("notify \(name(of: crew))")
                try decide(.crew(.notified(crew)))
            }
        case .show, .showCrews: break
        case .over(let outcome): say("over \(text(outcome))")
        case .lostOwner: say("no answer of \(item?.goneOwner.map(name(of:)) ?? "")")
        case .refused(let why): say("refused \(why)")
        }
    }

    private mutating func tell(_ events: [DistressEvent], isHandedOver: Bool) throws {
        isHandingOver = isHandedOver
        defer { isHandingOver = false }
        for event in events { for effect in watch.handle(event, at: time) { try take(effect) } }
    }

    private mutating func take(_ effect: DistressEffect) throws {
        switch effect {
        case .deliver(let delivery):
            if item?.isOpen == true {
                try decide(.detector(.alarm(delivery.alarm)))
            } else {
                item = SOSCase(delivery.alarm, isTest: false, opened: time)
                say("case")
            }
            if !isHandingOver { try beginRound() }
        case .report(let alarm): try decide(.detector(.help(alarm)))
        case .tell(let announcement):
            if case .taken(_, let owner) = announcement { say("taken \(name(of: owner))") }
            if case .released(_, let owner) = announcement { say("released \(name(of: owner))") }
            try decide(.detector(.announced(announcement, name: nil, isHandedOver: isHandingOver, roomsWithoutNews: [])))
            try send()
        case .ask, .withdraw, .warn, .test, .sameEpisode, .protection, .decided: break
        }
    }

    private mutating func beginRound() throws {
        guard item?.heldUntil == nil else { return }
        try decide(.hub(.began(isConsented: isConsented)))
        try decide(.hub(.planned(plan())))
    }

    private mutating func plan() -> SOSPlan {
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

    private mutating func find(_ missing: Int, but excluded: Set<AccountID>) throws {
        var result = SOSSearchResult(crews: [], rooms: scenario.rooms)
        for room in scenario.rooms { result.links[room] = secret() }
        result.isToHome = item?.alarm.position == nil
        for crew in scenario.crews where onDuty.contains(crew.name) && result.crews.count < missing {
            guard !excluded.contains(account(crew.name)) else { continue }
            result.crews.append(FoundCrew(account: account(crew.name), ambulance: 1, metres: crew.metres))
            say("offer \(crew.name)")
        }
        try decide(.crew(.found(result)))
    }

    private mutating func send() throws {
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

    // MARK: Names

    private func account(_ name: String) -> AccountID {
        AccountID(PersonID(high: 2, low: name.utf8.reduce(7) { $0 &* 31 &+ UInt64($1) }))
    }

    private func name(of account: AccountID) -> String {
        (scenario.caregivers + scenario.crews.map(\.name)).first { self.account($0) == account } ?? "\(account)"
    }

    private func name(of owner: Owner) -> String {
        for (index, contact) in scenario.contacts.enumerated()
        where owner == .contact(index) || owner.id == "tel:\(DispatchScenario.number(index))" { return contact.name }
        for name in scenario.caregivers + scenario.crews.map(\.name) where owner == .account(account(name)) || owner == .crew(account(name))
        {
            return name
        }
        return owner.id.hasPrefix("room:") ? String(owner.id.dropFirst(5)) : owner.id
    }

    private func text(_ outcome: Outcome) -> String {
        switch outcome {
        case .finished(let owner): "finished by \(name(of: owner))"
        case .answeredLate: "the person is OK"
        case .falseAlarm: "false alarm"
        case .test, .unknown: "\(outcome)"
        }
    }

    private func helper(_ name: String) -> SOSHelper? {
        if let index = scenario.contacts.firstIndex(where: { $0.name == name }) { return .contact(index, name: name) }
        if scenario.caregivers.contains(name) { return .account(account(name), name: name) }
        return scenario.rooms.contains(name) ? .room(name: name) : nil
    }

    // MARK: Events of the file

    private mutating func play(_ event: DispatchScenario.Event) throws {
        let words = event.words, first = words[0], second = words.count > 1 ? words[1] : ""
        switch first {
        case "end": return
        case "alarm": try tell([.reported(alarm(.heartRateHigh))], isHandedOver: false)
        case "test", "confirm": try test(first, second)
        case "help", "ok", "false-alarm", "reactivate": try press(first)
        case "fails", "works": set(words, isFailing: first == "fails")
        case "duty": if words.last == "on" { onDuty.insert(second) } else { onDuty.remove(second) }
        case "consent": isConsented = second == "on"
        case "accept", "reject", "sees", "status": try play(crew: second, first, words.last ?? "")
        case "pause", "restart", "held", "forgot": try stop(first, second)
        case "box": try box(Array(words.dropFirst()))
        case "others": try decide(.box(.others([PersonID(high: 0, low: 2)])))
        case "other-ok", "person-ok":
            let known = item?.saidOK
            try decide(.hub(.saidOK(first == "person-ok" ? person : PersonID(high: 0, low: 2))))
            if item?.saidOK != known { say("one of several is OK, and \(item?.meant.count ?? 0) meant") }
        case "moved":
            let metres = Double(second)
            let place = LastPosition(PositionSample(time: time, latitude: 450_100_000, longitude: 70_000_000, source: .gnss))
            try decide(
                .hub(.moved(place, metres: metres, metresTold: item?.toldPosition == nil ? nil : metres, roomsWithoutNews: [])))
        case "no-place-kept": try decide(.hub(.lookedForPlace))
        case "parent-ends": try act(.finish, second, speaksForPerson: true)
        default:
            guard let act = SOSHelperAct(rawValue: first) else {
                throw DispatchScenario.Problem(line: event.line, what: "`\(first)` is no event")
            }
            try self.act(act, second, speaksForPerson: false)
        }
        try send()
    }

    private mutating func act(_ act: SOSHelperAct, _ name: String, speaksForPerson: Bool) throws {
        guard let helper = helper(name) else { throw DispatchScenario.Problem(line: 0, what: "nobody is called \(name)") }
        try decide(.helper(act, by: helper, speaksForPerson: speaksForPerson))
    }

    private mutating func set(_ words: [String], isFailing: Bool) {
        let way = words.dropFirst().joined(separator: " ")
        if isFailing { failing.insert(way) } else { failing.remove(way) }
    }

    private mutating func press(_ button: String) throws {
        presses += 1
        let codes: [String: StateEvent.Code] = ["help": .help, "ok": .ok, "false-alarm": .falseAlarm, "reactivate": .reactivated]
        guard let code = codes[button] else { return }
        let key = SampleKey(stream: boot, sequence: presses, kind: .event, index: 0)
        try tell([.state(StateEvent(time: time, code: code), key)], isHandedOver: false)
        try decide(.hub(.began(isConsented: isConsented)))
    }

    private mutating func play(crew name: String, _ what: String, _ status: String) throws {
        let account = account(name)
        switch what {
        case "accept":
            let label = AmbulanceLabel(name: name, plate: "ZA 1")
            try decide(.crew(.accepted(SOSCrew(account: account, ambulance: 1, label: label, since: time), hasAnother: status == "busy")))
        case "reject": try decide(.crew(.rejected(account)))
        case "sees": try decide(.crew(.saw(account)))
        default: try decide(.crew(.status(SOSCrew.Status(rawValue: status), of: account)))
        }
    }

    private mutating func stop(_ what: String, _ seconds: String) throws {
        let missed = (Milliseconds(seconds) ?? 0) * 1000
        switch what {
        case "pause":
            time += missed
            try decide(.hub(.missed(missed, stepped: 0)))
            try tick()
        case "restart":
            time += missed
            item = try stored.map { try JSONDecoder().decode(SOSCase.self, from: $0) }
            try decide(.hub(.restarted))
            try tick()
        case "held": try decide(.hub(.held(until: time + missed)))
        default:
            try decide(.hub(.forgot))
            watch = Self.watch(of: person, at: time)
        }
    }

    /// `test`, and `confirm NAME`: it arrived.
    private mutating func test(_ what: String, _ name: String) throws {
        if what == "test" {
            var alarm = alarm(.help)
            alarm.provenance = .drill
            item = SOSCase(alarm, isTest: true, opened: time)
            return try decide(.hub(.tested(plan())))
        }
        guard let helper = helper(name) else { return }
        try decide(.call(.confirmed(by: helper)))
        if item?.isConfirmed(by: helper) == true { say("confirmed by \(name)") }
    }

    /// `box told NAME`, `box yes NAME`, `box takes NAME`, `box speaks`.
    private mutating func box(_ words: [String]) throws {
        let index = scenario.contacts.firstIndex { $0.name == words.last } ?? 0, number = DispatchScenario.number(index)
        let owner = Owner("tel:\(number)")
        func attempt(_ state: String) -> SOSBoxTry {
            SOSBoxTry(channel: "text", recipient: number, state: state, isDelivered: nil, why: nil, problem: nil)
        }
        switch words.first {
        case "told": try decide(.box(.tried([attempt("sent")], told: [number], yes: nil)))
        case "yes": try decide(.box(.tried([attempt("acknowledged")], told: [number], yes: .init(owner: owner, at: time))))
        case "takes": try tell([.taken(by: owner, of: item?.id)], isHandedOver: false)
        case "failed": try decide(.box(.tried([attempt("failed")], told: [], yes: nil)))
        default: try decide(.box(.spoke))
        }
    }

    private func alarm(_ trigger: Trigger) -> Alarm {
        let key = SampleKey(stream: boot, sequence: UInt64(time), kind: .heartRate, index: 0),
            reading = Reading(time: time, value: 180, key: key)
        let found = Abnormality(
            trigger: trigger, tier: .critical, limit: 131, context: .unknown, first: reading, latest: reading, worst: 180, count: 3)
        let source: PositionSource = scenario.isPlaceFixed ? .fixed : .gnss
        let place = LastPosition(PositionSample(time: time, latitude: 450_000_000, longitude: 70_000_000, source: source))
        return Alarm(
            id: IncidentID(person: person, first: key), person: person, provenance: .live, raisedAt: time, abnormalities: [found],
            position: scenario.hasPlace ? place : nil)
    }
}

extension SOSOffer {
    fileprivate func isOpen(like other: SOSOffer) -> Bool { state == .open && account == other.account && made == other.made }
}
