import Distress
import Vitals

@testable import EmergencyDispatch

/// What happens in a ``DispatchScenario``.
extension DispatchReplay {
    /// Events that are about nobody's case.
    private static let general: Set<String> = ["end", "duty", "crew-at", "fails", "works", "consent", "pause", "restart"]

    mutating func play(_ event: DispatchScenario.Event) throws {
        var words = event.words
        current = 0
        if let named = scenario.people.firstIndex(of: words[0]) {
            current = named
            words.removeFirst()
        } else if !scenario.people.isEmpty, !Self.general.contains(words[0]) {
            throw DispatchScenario.Problem(line: event.line, what: "`\(words[0])` does not begin with the person whom it is about")
        }
        guard let first = words.first else {
            throw DispatchScenario.Problem(line: event.line, what: "nothing happens to \(event.words[0])")
        }
        try play(first, Array(words.dropFirst()), event.line)
        try everybody { try $0.send() }
    }

    private mutating func play(_ first: String, _ words: [String], _ line: Int) throws {
        let second = words.first ?? ""
        switch first {
        case "end": return
        case "alarm": try tell([.reported(alarm(.heartRateHigh))], isHandedOver: false)
        case "test", "confirm": try test(first, second)
        case "help", "ok", "false-alarm", "reactivate": try press(first)
        case "fails", "works": set(words, isFailing: first == "fails")
        case "duty": if words.last == "on" { onDuty.insert(second) } else { onDuty.remove(second) }
        case "consent": isConsented = second == "on"
        case "accept", "reject", "sees", "status": try play(crew: second, first, words.last ?? "")
        case "crew-at": crewsSeen[second] = words.last.flatMap { Int($0) }
        case "pause": try pause((Milliseconds(second) ?? 0) * 1000)
        case "restart": try restart(after: (Milliseconds(second) ?? 0) * 1000)
        case "held": try decide(.hub(.held(until: time + (Milliseconds(second) ?? 0) * 1000)))
        case "forgot":
            try decide(.hub(.forgot))
            people[current].watch = Self.watch(of: people[current].id, at: time)
        case "box": try box(words)
        case "report": try report(words, line)
        case "others": try decide(.box(.others([other(second)])))
        case "other-ok", "person-ok": try saidOK(first == "person-ok" ? people[current].id : other(""))
        case "moved":
            let metres = Double(second)
            let place = LastPosition(PositionSample(time: time, latitude: 450_100_000, longitude: 70_000_000, source: .gnss))
            try decide(
                .hub(.moved(place, metres: metres, metresTold: item?.toldPosition == nil ? nil : metres, roomsWithoutNews: [])))
        case "no-place-kept": try decide(.hub(.lookedForPlace))
        case "parent-ends": try act(.finish, second, speaksForPerson: true)
        default:
            guard let act = SOSHelperAct(rawValue: first) else {
                throw DispatchScenario.Problem(line: line, what: "`\(first)` is no event")
            }
            try self.act(act, second, speaksForPerson: false)
        }
    }

    private mutating func act(_ act: SOSHelperAct, _ name: String, speaksForPerson: Bool) throws {
        guard let helper = helper(name) else { throw DispatchScenario.Problem(line: 0, what: "nobody is called \(name)") }
        try decide(.helper(act, by: helper, speaksForPerson: speaksForPerson))
    }

    private mutating func set(_ words: [String], isFailing: Bool) {
        let way = words.joined(separator: " ")
        if isFailing { failing.insert(way) } else { failing.remove(way) }
    }

    // MARK: The person

    /// On a page of the hub.
    private mutating func press(_ button: String) throws {
        let codes: [String: StateEvent.Code] = ["help": .help, "ok": .ok, "false-alarm": .falseAlarm, "reactivate": .reactivated]
        guard let code = codes[button] else { return }
        let person = people[current].id, press = cases.press(code, by: person, own: open?.id)
        if let id = press.saysOK, let index = people.firstIndex(where: { $0.incident == id }) {
            current = index
            try saidOK(person)
        }
        guard let heardBy = press.heardBy, let index = people.firstIndex(where: { $0.id == heardBy }) else { return }
        current = index
        wordCount += 1
        if code == .help { people[current].helpAt.append(time) }
        let key = SampleKey(stream: boot, sequence: wordCount, kind: .event, index: 0)
        try tell([.state(StateEvent(time: time, code: code), key)], isHandedOver: false)
        try decide(.hub(.began(isConsented: isConsented)))
    }

    private mutating func saidOK(_ person: PersonID) throws {
        let known = item?.saidOK
        try decide(.hub(.saidOK(person)))
        if item?.saidOK != known { say("one of several is OK, and \(item?.meant.count ?? 0) meant") }
    }

    /// Whoever else may be meant: somebody who is named, or nobody in particular.
    private func other(_ name: String) -> PersonID {
        scenario.people.firstIndex(of: name).map { people[$0].id } ?? PersonID(high: 0, low: 2)
    }

    /// `test`, and `confirm NAME`: it arrived.
    private mutating func test(_ what: String, _ name: String) throws {
        if what == "test" {
            var alarm = alarm(.help)
            alarm.provenance = .drill
            begin(SOSCase(alarm, isTest: true, opened: time))
            return try decide(.hub(.tested(plan())))
        }
        guard let helper = helper(name) else { return }
        try decide(.call(.confirmed(by: helper)))
        if item?.isConfirmed(by: helper) == true { say("confirmed by \(name)") }
    }

    // MARK: Crews

    private mutating func play(crew name: String, _ what: String, _ status: String) throws {
        let account = account(name)
        switch what {
        case "accept":
            let label = AmbulanceLabel(name: name, plate: "ZA 1")
            try decide(.crew(.accepted(SOSCrew(account: account, ambulance: 1, label: label, since: time, place: place(of: account)))))
        case "reject": try decide(.crew(.rejected(account)))
        case "sees": try decide(.crew(.saw(account)))
        default: try decide(.crew(.status(SOSCrew.Status(rawValue: status), of: account, place: place(of: account))))
        }
    }

    /// A point at so many metres from the person, who is at 0, 0.
    private func place(of crew: AccountID) -> CrewPlace? {
        crewsSeen[name(of: crew)].map { CrewPlace(latitude: Int32($0), longitude: 0, accuracy: nil) }
    }

    /// Where the crew is that has the case.
    var sight: CrewSight? {
        guard let crew = item?.crew, let place = place(of: crew.account) else { return nil }
        func metres(_ place: CrewPlace) -> Int? { item?.alarm.position == nil ? nil : Int(place.latitude) }
        return CrewSight(
            at: time, place: place, metres: metres(place), metresBefore: crew.place.flatMap(metres), personAccuracy: nil)
    }

    // MARK: Boxes

    /// `box told NAME`, `box failed NAME`, `box yes NAME`, `box takes NAME`, `box speaks`. It reports what it did before as well.
    private mutating func box(_ words: [String]) throws {
        let index = scenario.contacts.firstIndex { $0.name == words.last } ?? 0, number = DispatchScenario.number(index)
        let owner = Owner("tel:\(number)")
        func attempts(_ state: String) -> [SOSBoxTry] {
            (item?.boxTries ?? []) + [
                SOSBoxTry(channel: "text", recipient: number, state: state, isDelivered: nil, why: nil, problem: nil)
            ]
        }
        switch words.first {
        case "told": try decide(.box(.tried(attempts("sent"), told: [number], yes: nil)))
        case "yes": try decide(.box(.tried(attempts("acknowledged"), told: [number], yes: .init(owner: owner, at: time))))
        case "takes": try tell([.taken(by: owner, of: item?.id)], isHandedOver: false)
        case "failed": try decide(.box(.tried(attempts("failed"), told: [], yes: nil)))
        default: try decide(.box(.spoke))
        }
    }

    /// `report BOX ALARM`, and behind that `ago S`, `by NAME`, or how it ended: `ok`, `false-alarm`, `finished NAME`.
    private mutating func report(_ words: [String], _ line: Int) throws {
        guard words.count > 1 else { throw DispatchScenario.Problem(line: line, what: "write a box and an alarm") }
        let box = words[0]
        var rest = words.dropFirst(2), raisedAt = time, outcome: Outcome?, owner: Owner?
        while let word = rest.popFirst() {
            switch word {
            case "ago": raisedAt = time - (rest.popFirst().flatMap { Milliseconds($0) } ?? 0) * 1000
            case "by": owner = rest.popFirst().map(self.owner(atBox:))
            case "ok": outcome = .answeredLate
            case "false-alarm": outcome = .falseAlarm
            case "finished": outcome = rest.popFirst().map { Outcome.finished(self.owner(atBox: $0)) }
            default: throw DispatchScenario.Problem(line: line, what: "`\(word)` says nothing of an alarm")
            }
        }
        let reported = people[current].alarms[words[1]] ?? alarm(.heartRateHigh, of: box, raisedAt: raisedAt)
        people[current].alarms[words[1]] = reported
        try report(reported, of: box, outcome, by: owner)
    }

    private mutating func report(_ alarm: Alarm, of box: String, _ outcome: Outcome?, by owner: Owner?) throws {
        wordCount += 1
        var matcher = ReportMatcher(
            open: open, last: people[current].last, incident: people[current].watch.incident, helpAt: people[current].helpAt)
        if let joined = matcher.join(alarm, after: people[current].reported[box], steps: [], at: time) {
            people[current].last = matcher.last
            say("counts as the case that is over")
            try decide(.box(.joined(joined.what)))
        }
        people[current].reported[box] = alarm.id
        let report = BoxReport(boot: BootID(high: 8, low: Self.number(of: box)), revision: wordCount, outcome: outcome, owner: owner)
        for effect in matcher.handle(alarm, of: report, isKept: cases[alarm.id] != nil, at: time) {
            switch effect {
            case .inform(let event): try decide(.box(event))
            case .tell(let event): try tell([event], isHandedOver: false)
            case .keep:
                people[current].last = matcher.last
                say("kept as over, and nobody is called")
            }
        }
        if open != nil { try decide(.box(.spoke)) }
    }

    /// As a box names whoever has it: contacts by their numbers.
    private func owner(atBox name: String) -> Owner {
        if let index = scenario.contacts.firstIndex(where: { $0.name == name }) { return Owner("tel:\(DispatchScenario.number(index))") }
        return scenario.crews.contains { $0.name == name } ? .crew(account(name)) : helper(name)?.owner ?? Owner(name)
    }

    /// - Parameter box: that raised it; none for one of no box in particular.
    private func alarm(_ trigger: Trigger, of box: String = "", raisedAt: Milliseconds? = nil) -> Alarm {
        let raisedAt = raisedAt ?? time, person = people[current].id
        let stream = box.isEmpty ? boot : StreamID(high: 9, low: Self.number(of: box))
        let key = SampleKey(stream: stream, sequence: UInt64(raisedAt), kind: .heartRate, index: 0)
        let reading = Reading(time: raisedAt, value: 180, key: key)
        let found = Abnormality(
            trigger: trigger, tier: .critical, limit: 131, context: .unknown, first: reading, latest: reading, worst: 180, count: 3)
        let source: PositionSource = scenario.isPlaceFixed ? .fixed : .gnss
        let place = LastPosition(PositionSample(time: raisedAt, latitude: 450_000_000, longitude: 70_000_000, source: source))
        return Alarm(
            id: IncidentID(person: person, first: key), person: person, provenance: .live, raisedAt: raisedAt, abnormalities: [found],
            position: scenario.hasPlace ? place : nil)
    }
}
