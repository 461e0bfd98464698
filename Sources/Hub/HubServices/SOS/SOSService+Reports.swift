import Accounts
import Distress
import HubStore
import Logging
public import SyncProtocol
import Synchronization
public import Vitals

extension SOSService {
    /// A box is the one that watches when it told so within this, by the hub's clock: three reports may be lost.
    static let boxSilentAfter: Milliseconds = 90_000
    /// While a case is open a box reports again after this.
    static let repeatOpen: Milliseconds = 2000
    static let repeatCalm: Milliseconds = 60_000
    /// So long a limit is silent after "I'm OK" (docs/decisions/0013).
    static let quietTime: Milliseconds = 600_000
    /// A press on a page waits so long for the box.
    static let pressLifetime: Milliseconds = 300_000
    static let pressesMax = 16

    /// Takes what a box tells (docs/decisions/0009). The answer comes after the commit; where nothing can be stored it says so.
    /// - Throws: `ErrorAnswer` for a person who is not the box's.
    public func take(_ report: SOSReport, from session: Authenticator.Session, isOld: Bool = false) async throws -> SOSAnswer {
        let agent = session.agent
        var report = report
        // An ending that this hub does not know ends nothing.
        if report.outcome == .unknown { report.outcome = nil }
        guard agent.people[report.person] != nil, try prepare(report.person) else {
            throw ErrorAnswer(error: "not_bound", description: "This box is not enrolled for person \(report.person).")
        }
        report.others = report.others.map { others in others.filter { $0 != report.person && agent.people[$0] != nil } }
        for other in report.others ?? [] { _ = try? prepare(other) }
        let isUnknown = isUnknownAlarm(report, of: agent.id.description)
        let work = state.withLock { [report] in take(report, agent.id.description, isUnknown, isOld: isOld, &$0) }
        lookAtDetection(of: report.person)
        var isDurable = await finish(work ?? Work())
        if report.isDrill, !report.calls.isEmpty { isDurable = await takeDrillEnd(report, from: agent.id.description) && isDurable }
        let wantsSettings = await takeHeld(report, from: agent)
        var answer = answer(to: report, of: agent.id.description, isDurable: isDurable, version: try version(of: Array(agent.people.keys)))
        answer.wantsSettings = wantsSettings
        return answer
    }

    /// Whether nobody here has ever heard of the alarm that is open in a report. Where that cannot be read it counts as unknown: a case too
    /// many is closed by a press, one too few by nobody.
    private func isUnknownAlarm(_ report: SOSReport, of agent: String) -> Bool {
        guard let alarm = report.alarm, report.isLive, report.outcome == nil,
            state.withLock({ $0.entries[report.person]?.state.boxes[agent]?.earlier.contains(report.boot) }) == true
        else { return false }
        return ((try? store.incident(alarm.id)) ?? nil) == nil
    }

    /// nil for a report that is older than one that was taken.
    private func take(_ report: SOSReport, _ agent: String, _ isUnknown: Bool, isOld: Bool, _ state: inout State) -> Work? {
        catchUp(&state)
        guard var entry = state.entries[report.person] else { return nil }
        guard report.isLive else {
            // Nobody is called, and it says nothing of who is watched (design rule 11).
            if let alarm = report.alarm { takeTest(alarm.shifted(by: now() - report.sentAt)) }
            if report.isDrill { entry.noteDrill(by: agent) }
            store(report.person, &entry, [], &state)
            return Work(topics: [report.person])
        }
        let known = entry.state.boxes[agent]
        guard var box = Self.box(report, known, now: now()) else { return takeLate(report, known, isUnknown, &state) }
        box.isOld = isOld ? true : nil
        entry.state.boxes[agent] = box
        // That there is this box is known after a restart: its silence is told then, too. What it says of a case is kept with it, so that an
        // older word stays older over a restart.
        if known == nil || report.alarm != nil || known?.hadMeans == nil && box.hadMeans != nil { entry.isDirty = true }
        let alarm = report.alarm?.shifted(by: box.offset ?? now() - report.sentAt)
        entry.noteSigns(of: report, agent)
        if var warning = report.warning {
            warning.at += box.offset ?? now() - report.sentAt
            take(warning, &entry, &state)
        }
        if let alarm { join(alarm, of: box, after: known?.alarm, &entry, &state) }
        passOnReactivation(report, of: agent, known, &entry)
        let broughtBack = entry.bringBack(by: report, known, at: now())
        state.entries[report.person] = entry
        var events = alarm.map { take($0, of: report, &entry, &state) } ?? []
        if let broughtBack { events.append((broughtBack, now())) }
        // What the hub asks about a fall, its boxes ask as well.
        if let answered = report.answered, answered == Self.asked(entry)?.id { events.append((report.pressed(.ok, at: now()), now())) }
        if isReactivated(report, of: agent, known, entry) { events.append((report.pressed(.reactivated, at: now()), now())) }
        var work = handle(events, of: report.person, &state)
        // A phone whose page is closed is asked, too: its person may be in another room than the box.
        let isAskedHere = box.question?.id == Self.asked(entry)?.id
        if let question = box.question, known?.question?.id != question.id, !isAskedHere { work.questions.append(report.person) }
        if let alarm { work.add(goOn(alarm, of: report, &state)) }
        note(report, offset: box.offset ?? now() - report.sentAt, &state)
        work.topics.insert(report.person)
        return work
    }

    /// Once, whichever box tells it.
    private func take(_ warning: Warning, _ entry: inout Entry, _ state: inout State) {
        let before = entry.state.toldWarnings
        entry.state.owe(warning, entry.choice, isConsented: entry.isConsented, now: now())
        guard entry.state.toldWarnings != before else { return }
        entry.isDirty = true
        state.owing.insert(entry.state.watch.incident.person)
    }

    /// What the box did by itself stands in the case.
    /// - Parameter offset: what to add to the box's times to have them on the hub's clock.
    private func note(_ report: SOSReport, offset: Milliseconds, _ state: inout State) {
        guard let id = state.entries[report.person]?.open else { return }
        if let others = report.others { _ = dispatch(.box(.others(others)), to: id, &state) }
        guard !report.calls.isEmpty, let owner = state.cases[id].map(\.owner) else { return }
        let yes = report.calls.last { $0.state == .acknowledged && Owner("tel:\($0.recipient)") == owner }
        let told = report.calls.filter { [.text, .call].contains($0.channel) && [.sent, .acknowledged].contains($0.state) }
        _ = dispatch(
            .box(
                .tried(
                    report.tries, told: told.map(\.recipient),
                    yes: yes.map { .init(owner: Owner("tel:\($0.recipient)"), at: $0.at + offset) })), to: id, &state)
    }

    /// Of a boot that is over, or overtaken. Everything that it says was said again since, but for an alarm that nobody ever heard of.
    private func takeLate(_ report: SOSReport, _ known: SOSWatchState.Box?, _ isUnknown: Bool, _ state: inout State) -> Work? {
        guard isUnknown, report.boot != known?.boot, let alarm = report.alarm, state.cases[alarm.id] == nil,
            state.entries[report.person]?.state.last?.isAbout(alarm) != true
        else { return nil }
        logger.critical("an alarm of a boot that is over was never heard of, and counts", metadata: ["incident": "\(alarm.id)"])
        return handle([(.reported(alarm.shifted(by: now() - report.sentAt)), now())], of: report.person, &state)
    }

    /// Test everywhere: nobody is called (design rule 11). A real case under the same name stays what it is, also one that is over.
    private func takeTest(_ alarm: Alarm) {
        var item = SOSCase(alarm, isTest: true, opened: now())
        item.end(.test, now: now())
        writer.record(item)
    }

    /// What is known of a box from here on; nil when the report is late.
    private static func box(_ report: SOSReport, _ known: SOSWatchState.Box?, now: Milliseconds) -> SOSWatchState.Box? {
        var box = known ?? .init(boot: report.boot, revision: 0, received: now, unprotected: [], isDetectorDown: false)
        if box.boot != report.boot {
            guard !box.earlier.contains(report.boot) else { return nil }
            box.earlier = (box.earlier + [box.boot]).suffix(SOSWatchState.Box.earlierMax)
            (box.boot, box.offset, box.steps, box.broughtBack) = (report.boot, nil, nil, nil)
        } else if known != nil, report.revision <= box.revision {
            return nil
        }
        (box.revision, box.received, box.unprotected) = (report.revision, now, report.unprotected)
        (box.isDetectorDown, box.question) = (report.detectorDown, report.question)
        box.weaknesses = report.weaknesses.map { said in shownWeaknesses.filter(said.contains) }
        box.noteClocks(sentAt: report.sentAt, now: now)
        box.alarm = report.alarm?.id ?? box.alarm
        box.isPositionOff = report.isPositionOff
        box.holds = report.holds
        box.broughtBack = report.broughtBack ?? box.broughtBack
        box.means = report.means.map { Array($0.filter(["text", "call", "hook"].contains).prefix(3)) }
        if box.means?.contains(where: { $0 != "hook" }) == true { box.hadMeans = now }
        return box
    }

    private func answer(to report: SOSReport, of agent: String, isDurable: Bool, version: Int) -> SOSAnswer {
        let time = now()
        let (entry, item) = state.withLock { state in
            let entry = state.entries[report.person]
            return (entry, entry?.open.flatMap { state.cases[$0] })
        }
        let isTest = !report.isLive
        var answer = SOSAnswer(
            utc: time, isDurable: isDurable, addresseeReached: !isTest && item?.isReached(at: time) ?? false,
            incident: isTest ? report.alarm?.id : item?.id, owner: item?.owner, ownerName: item?.ownerName,
            repeatAfter: item == nil && report.alarm == nil ? Self.repeatCalm : Self.repeatOpen, settingsVersion: version)
        // Said once it is known.
        answer.reachesNobody = entry.flatMap { $0.addresseesSeen > .min / 2 ? $0.hubReachesNobody : nil }
        // Of a warning that comes before anybody looked, it is said at once: the box may be the only one that can tell it.
        let warned = entry.flatMap { $0.warned ?? (report.warning == nil ? nil : try? self.warned(of: report.person, $0.choice)) }
        answer.warned = warned?.map(\.rawValue)
        if !isTest { answer.told = item?.toldNumbers }
        if !isTest { answer.reachedNobody = item?.reachedNobody(at: time) }
        answer.asksOwner = item.flatMap(asksOwner)
        answer.coming = item.flatMap { coming($0, now: time) }
        // One that is held waits for a box that knows it, and not for one that hears of it here.
        if !isTest, report.alarm == nil, let item, !item.isHeld(at: time) {
            answer.open = item.alarm
            answer.open?.history = []
            // A box of 0.3.0 would take it for one of its time.
            if item.alarm.position?.isAgeUnknown == true { answer.open?.position = nil }
        }
        if isTest, report.alarm != nil { answer.outcome = .test }
        if item == nil, !isTest, let alarm = report.alarm {
            if let last = entry?.state.last, last.isAbout(alarm) {
                (answer.incident, answer.outcome) = (last.id, last.outcome)
            } else if let known = (try? store.incident(alarm.id)) ?? nil, !known.isTest, let outcome = known.outcome {
                // Another case came in between.
                (answer.incident, answer.outcome) = (known.id, outcome)
            }
        }
        answer.aliveAgo = isTest ? nil : entry?.state.sign(notOf: agent).map { max(0, time - $0) }
        answer.flagged = isTest ? nil : entry.flatMap(Self.flagged)
        answer.rhythm = entry.flatMap { Self.rhythmToShow($0, at: time) }
        answer.drill = isTest ? nil : entry?.state.boxDrill?.isOpen(for: agent, at: time)
        answer.elsewhere = isTest ? nil : entry?.elsewhere(notOf: agent, at: time)?.rawValue
        answer.pressed = (entry?.state.presses ?? []).filter { time - $0.at < Self.pressLifetime }.compactMap { $0.pressed(at: time) }
        return answer
    }

    /// One version for all people of a box.
    private func version(of people: [PersonID]) throws -> Int {
        for person in people { _ = try prepare(person) }
        let version = state.withLock { state in people.compactMap { state.entries[$0]?.choice.version }.max() ?? 0 }
        return version | Self.settingsForm << SOSSettings.formShift
    }

    /// Counts up with what ``settings(for:)`` tells of the same choices, so that boxes fetch them again behind an upgrade. 1: contacts also of
    /// people who have AutomatedSOS off, and reminders. 2: which change they are.
    private static let settingsForm = 2

    /// What a box must know to watch and to call by itself.
    /// - Parameter capsBaselines: the box's detector caps baselines by itself; one of 0.3.0 gets the cap as overrides.
    public func settings(for session: Authenticator.Session, capsBaselines: Bool) throws -> SOSSettings {
        let people = session.agent.people.keys.sorted()
        let list = try people.compactMap { person -> SOSSettings.Person? in
            guard try prepare(person), let entry = state.withLock({ $0.entries[person] }) else { return nil }
            let account = try accounts.account(AccountID(person))
            let distress = Self.settings(entry.choice, entry.isConsented, account, now: now())
            // Also of a person who never turned it on: asking for help is consent for that call (SOS-16).
            let contacts = entry.choice.contacts
            var settings = SOSSettings.Person(
                person: person, distress: capsBaselines ? distress : distress.cappedFor030,
                name: try account?.name ?? accounts.person(person)?.name ?? "",
                birthYear: account.flatMap { Int($0[.dateOfBirth].prefix(4)) }, language: account?.language ?? "en",
                phone: account.map { $0[.phone] }.flatMap { $0.isEmpty ? nil : $0 },
                address: account.map { $0[.residence] }.flatMap { $0.isEmpty ? nil : $0 },
                contacts: contacts.compactMap { contact in
                    contact.phone.map {
                        .init(
                            name: contact.name, phone: $0, language: contact.language, isTexted: contact.isTexted,
                            isCalled: contact.isCalled)
                    }
                })
            settings.reminders = entry.choice.reminders ?? ReminderPlan()
            settings.wasTurnedOff = !settings.distress.isOn && entry.choice.offSince != nil ? true : nil
            try tellOrigin(in: &settings, entry.choice, to: session.agent)
            return settings
        }
        return SOSSettings(version: try version(of: people), people: list, detector: capsBaselines ? 2 : nil)
    }

    // MARK: Presses on pages

    /// A button on a page of the hub: it counts here at once, and travels to the person's box.
    public func press(_ button: SOSAnswer.Pressed.Button, for person: PersonID) async throws -> Bool {
        guard button != .unknown, try prepare(person) else { return false }
        var person = person
        if button == .ok, let item = openCase(of: person),
            case let work = dispatch(.hub(.saidOK(person)), to: item.id), work.refusal == nil
        {
            let isDurable = await finish(work.showing(item.people))
            // It is not theirs to end. Whoever else is meant may have a question of their own, which this answers.
            if item.person == person { return isDurable }
        } else if button == .ok || button == .falseAlarm, let item = openCase(of: person) {
            person = item.person
        }
        return try await pressed(button, for: person)
    }

    private func pressed(_ button: SOSAnswer.Pressed.Button, for person: PersonID) async throws -> Bool {
        let time = now()
        let work = state.withLock { state -> Work in
            guard var entry = state.entries[person] else { return Work() }
            let number = entry.state.note(button, at: time)
            if button == .reactivate { entry.state.reactivated = time }
            entry.noteLife { $0.noteSign(at: time) }
            entry.isDirty = true
            state.entries[person] = entry
            let code: StateEvent.Code
            switch button {
            case .ok: code = .ok
            case .help: code = .help
            case .falseAlarm: code = .falseAlarm
            case .reactivate: code = .reactivated
            case .unknown: return Work()
            }
            let key = SOSAnswer.Pressed.key(of: person, number: number)
            var work = handle([(.state(StateEvent(time: time, code: code), key), time)], of: person, &state)
            work.topics.insert(person)
            return work
        }
        return await finish(work)
    }
}

extension SOSService.Work {
    /// Pages of all these people show something new.
    fileprivate func showing(_ people: [PersonID]) -> Self {
        var work = self
        work.topics.formUnion(people)
        return work
    }
}

extension SOSWatchState {
    /// A press that goes to the person's boxes. Returns its number.
    @discardableResult
    mutating func note(_ button: SOSAnswer.Pressed.Button, at time: Milliseconds) -> UInt64 {
        // By the clock: a hub whose database was restored counts no number again that a box has taken.
        pressNumber = max(pressNumber + 1, UInt64(clamping: time))
        presses = (presses.filter { time - $0.at < SOSService.pressLifetime }).suffix(SOSService.pressesMax - 1)
        presses.append(.init(number: pressNumber, button: button.rawValue, at: time))
        return pressNumber
    }
}

extension SOSWatchState.Press {
    /// As boxes hear of it; nil for a button of another version.
    fileprivate func pressed(at time: Milliseconds) -> SOSAnswer.Pressed? {
        guard let button = SOSAnswer.Pressed.Button(rawValue: button) else { return nil }
        var pressed = SOSAnswer.Pressed(button: button, number: number, ago: time - at)
        pressed.bringsBack = bringsBack
        return pressed
    }
}

extension SOSReport {
    var tries: [SOSBoxTry] {
        calls.suffix(32).map { call in
            SOSBoxTry(
                channel: call.channel.rawValue, recipient: call.recipient, state: call.state.rawValue, isDelivered: call.isDelivered,
                why: call.why, problem: call.problem.map { String($0.prefix(200)) })
        }
    }

    /// All three say so: whatever contradicts calls nobody.
    var isLive: Bool { provenance == .live && !isDrill && alarm?.isTest != true }

    /// What its person did, as the box says: its word is its own key, of each report once.
    func pressed(_ code: StateEvent.Code, at time: Milliseconds) -> DistressEvent {
        let key = SampleKey(
            stream: StreamID(high: boot.high, low: boot.low), sequence: revision, kind: .event, index: UInt32(code.rawValue))
        return .state(StateEvent(time: time, code: code), key)
    }
}
