internal import Distress
public import Languages
public import Logging
internal import Monitoring
internal import Peripherals
public import Seams
internal import Sensing
internal import Vitals

/// Shows the running agent's notices on the desktop of whoever is logged in, with buttons, until the task is cancelled. A box that does not
/// answer is a notice of its own: a desktop without notices must mean that nothing is wrong.
/// - Parameter controlSocket: where the agent is at present; it may come later, or elsewhere.
public func showOnDesktop(
    language: Language?, controlSocket: @escaping @Sendable () -> String, logger: Logger, machine: Machine = .system
) async throws {
    let (presses, continuation) = AsyncStream.makeStream(
        of: (key: String, request: ControlRequest).self, bufferingPolicy: .bufferingNewest(16))
    let report: @Sendable (SourceProblem) -> Void = { logger.warning("\($0)") }
    let notifier = DesktopNotifier(report: report) { event in
        switch event {
        case .connected(let server, let showsButtons):
            logger.notice("notices are shown by \(server)\(showsButtons ? "" : ", which has no buttons")")
        case .action(let key, let action):
            guard let request = DesktopNotifications.request(key, action) else { return }
            continuation.yield((key, request))
        case .dismissed: break
        }
    }
    try notifier.start()
    defer { notifier.stop() }
    let desk = DesktopPresses(language: language, logger: logger, machine: machine) { request in
        try await ControlClient(ofPressesAt: controlSocket(), machine: machine).send(request)
    } perform: { change in
        change.perform(on: notifier)
    }
    let answering = machine.start {
        await withDiscardingTaskGroup { group in
            for await press in presses { group.addTask { await desk.answer(press.key, press.request) } }
        }
    }
    defer { answering.cancel() }
    @Sendable func watch() -> AsyncThrowingStream<BoxStatus, any Error> { ControlClient(path: controlSocket(), machine: machine).watch() }
    await followStatus(watch, logger: logger, machine: machine) { status in
        await desk.update(status)
    } lost: { problem in
        await desk.lost(unenrolled: problem?.unenrolled)
    }
}

/// Which notifications stand on the desktop.
struct DesktopNotifications {
    struct Change {
        var shown: [DesktopNotice] = []
        var withdrawn: [String] = []

        func perform(on notifier: DesktopNotifier) {
            for key in withdrawn { notifier.withdraw(key) }
            for notice in shown { notifier.show(notice) }
        }
    }

    /// Why a press was not taken.
    struct Failure {
        /// Whether the agent itself said no; else nobody knows what it did.
        var isAnswered: Bool
        /// In English, with what to do.
        var why: String
    }

    private static let lostKey = "box-lost"
    private static let unenrolledKey = "box-unenrolled"
    /// Stands where a person stands, in the keys of what is everybody's.
    private static let box = "box"
    /// Of the person who logged in; the box's own when nil.
    private let language: Language?
    private var shown: [String: DesktopNotice] = [:]
    private var words: Wording

    init(language: Language?) {
        self.language = language
        words = Wording(language ?? .english)
    }

    mutating func update(_ status: BoxStatus) -> Change {
        words = Wording(language ?? status.language)
        var wanted: [DesktopNotice] = []
        for person in status.persons {
            let isAlone = status.persons.count == 1
            wanted += emergencies(of: person, alone: isAlone)
            for checkIn in person.checkIns ?? [] where checkIn.phase == .open {
                wanted.append(show(checkIn, "\(person.person) check-in-\(checkIn.id)"))
            }
            for notice in person.notices {
                let owner = notice.isOfBox ? Self.box : person.person.description
                wanted.append(show(notice, "\(owner) \(notice.rawValue)", of: person, alone: notice.isOfBox || isAlone))
            }
        }
        var change = Change(), stands: [String: DesktopNotice] = [:]
        for notice in wanted where stands[notice.key] == nil {
            stands[notice.key] = notice
            if shown[notice.key] == nil { change.shown.append(notice) }
        }
        change.withdrawn = shown.keys.filter { stands[$0] == nil }.sorted()
        shown = stands
        return change
    }

    /// The box does not answer any more.
    /// - Parameter unenrolled: its language, where it answers that it belongs to no hub yet: nobody relies on it then.
    mutating func lost(unenrolled: Language? = nil) -> Change {
        let key = unenrolled == nil ? Self.lostKey : Self.unenrolledKey
        guard shown[key] == nil else { return Change() }
        if let unenrolled { words = Wording(language ?? unenrolled) }
        let over = shown.keys.filter { unenrolled != nil || $0 == Self.unenrolledKey }.sorted()
        for key in over { shown[key] = nil }
        let name = unenrolled == nil ? "lost" : "unenrolled"
        let notice = DesktopNotice(
            key: key, title: words["\(name).title"], body: words["\(name).text"], urgency: unenrolled == nil ? .critical : .normal)
        shown[key] = notice
        return Change(shown: [notice], withdrawn: over)
    }

    /// The button of a notice was pressed. Some servers leave the notice where it is.
    func pressed(_ key: String) -> Change { Change(withdrawn: [key]) }

    /// The agent took what was asked by the notice's button.
    func taken(_ request: ControlRequest, of key: String) -> Change { Change(withdrawn: [key, Self.failureKey(request)]) }

    /// The agent did not take it: why, and with `again` the notice once more, unless it is over.
    func failed(_ request: ControlRequest, of key: String, _ failure: Failure, again: Bool) -> Change {
        let isHelp = request.action == .help
        let title = isHelp ? "reply.help.failed" : failure.isAnswered ? "reply.failed" : "press.lost"
        let notice = DesktopNotice(
            key: Self.failureKey(request), title: words[title], body: (isHelp ? words["press.help.again"] + " " : "") + failure.why,
            urgency: .critical)
        return Change(shown: (again ? [shown[key]].compactMap(\.self) : []) + [notice])
    }

    /// No person's, and without buttons.
    private static func failureKey(_ request: ControlRequest) -> String {
        "press-failed \(request.action.rawValue) \(request.person ?? box)"
    }

    /// The identifier with which the key begins; nil for everybody.
    static func person(of key: String) -> String? { key.split(separator: " ").first.map(String.init).flatMap { $0 == box ? nil : $0 } }

    /// The request of a button; nil for one that is not ours.
    static func request(_ key: String, _ action: String) -> ControlRequest? {
        let person = person(of: key)
        if let mark = key.firstRange(of: " check-in-"), let answer = ControlRequest.Answer(rawValue: action) {
            return ControlRequest(.checkIn, person: person, answer: answer, checkIn: String(key[mark.upperBound...]))
        }
        return ControlRequest.Action(rawValue: action).map { ControlRequest($0, person: person) }
    }

    /// What the organiser reads and until when stands above the buttons.
    private func show(_ checkIn: BoxStatus.CheckInState, _ key: String) -> DesktopNotice {
        DesktopNotice(
            key: key, title: words("checkIn.title", ["run": checkIn.run]), body: words.question(checkIn), urgency: .normal,
            actions: ControlRequest.Answer.allCases.map { .init(key: $0.rawValue, label: words["checkIn.\($0.rawValue)"]) })
    }

    /// The question, the alarm, and that nobody could be called.
    private func emergencies(of person: BoxStatus.PersonState, alone: Bool) -> [DesktopNotice] {
        guard let sos = person.sos else { return [] }
        let owner = person.person.description, head = alone ? "" : person.name + ": "
        func notice(_ key: String, _ title: String, _ body: String, _ actions: [ControlRequest.Action]) -> DesktopNotice {
            DesktopNotice(
                key: "\(owner) \(key)", title: head + title, body: body, urgency: .critical,
                actions: actions.map { .init(key: $0.rawValue, label: words["action.\($0.rawValue)"]) })
        }
        var found: [DesktopNotice] = []
        if let question = sos.question {
            let trigger = words["sos.trigger.\(question.trigger.rawValue)"]
            found.append(notice("question-\(question.id)", words["sos.question"], trigger, [.ok, .help]))
        }
        // An answered question needs nobody.
        if let alarm = sos.alarm, alarm.phase != .answered {
            let nobody = alarm.reachesNobody ? words[alarm.isNobodySetUp == true ? "sos.nobodySetUp" : "sos.nobody"] + " " : ""
            // No notice says that a call goes out which does not.
            let phase = alarm.phase.rawValue, shown = alarm.reachesNobody ? "helpless" : phase
            let actions: [ControlRequest.Action] =
                switch alarm.phase {
                case .raised, .calling, .atHub: [.ok, .falseAlarm]
                case .handedOver, .taken: [.falseAlarm]
                case .over: [.reactivate, .falseAlarm]
                case .answered: []
                }
            found.append(
                notice(
                    "alarm-\(alarm.id)-\(phase)-\(alarm.reachesNobody)", words["sos.phase.\(shown)"],
                    nobody + words["sos.phase.\(shown).text"], actions))
        } else if sos.isOn, sos.reasons.contains(.nobodyToCall) {
            found.append(notice("nobody-to-call", words["sos.notProtected"], words["sos.not.nobodyToCall"], [.help]))
        }
        if let why = sos.elsewhere?.rawValue {
            found.append(notice("elsewhere-\(why)", words["sos.notProtected"], words["sos.elsewhere.\(why)"], [.reactivate]))
        }
        return found
    }

    private func show(_ notice: Notice, _ key: String, of person: BoxStatus.PersonState, alone: Bool) -> DesktopNotice {
        let actions: [ControlRequest.Action] = notice == .paused ? [.resume, .help] : [.ok, .help]
        return DesktopNotice(
            key: key, title: (alone ? "" : person.name + ": ") + words.title(notice), body: words.text(notice),
            urgency: notice == .paused ? .low : .critical,
            actions: actions.map { .init(key: $0.rawValue, label: words["action.\($0.rawValue)"]) })
    }
}
