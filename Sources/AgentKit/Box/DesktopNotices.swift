internal import Distress
public import Logging
internal import Monitoring
internal import Peripherals
internal import Sensing
internal import Vitals

/// Shows the running agent's notices on the desktop of whoever is logged in, with buttons, until the task is cancelled. A box that does not
/// answer is a notice of its own: a desktop without notices must mean that nothing is wrong.
/// - Parameter controlSocket: where the agent is at present; it may come later, or elsewhere.
public func showOnDesktop(language: Language?, controlSocket: @escaping @Sendable () -> String, logger: Logger) async throws {
    let (presses, continuation) = AsyncStream.makeStream(
        of: (key: String, request: ControlRequest).self, bufferingPolicy: .bufferingNewest(16))
    let report: @Sendable (SourceProblem) -> Void = { logger.warning("\($0)") }
    let notifier = DesktopNotifier(report: report) { event in
        switch event {
        case .connected(let server, let showsButtons):
            logger.notice("notices are shown by \(server)\(showsButtons ? "" : ", which has no buttons")")
        case .action(let key, let action):
            guard let request = DesktopNotices.request(key, action) else { return }
            continuation.yield((key, request))
        case .dismissed: break
        }
    }
    try notifier.start()
    defer { notifier.stop() }
    var notices = DesktopNotices(language: language)
    let answering = Task {
        await withDiscardingTaskGroup { group in
            for await press in presses {
                // Some servers leave a notice where it is after its button was pressed.
                notifier.withdraw(press.key)
                group.addTask {
                    let failure = await tell(press.request, ControlClient(path: controlSocket()), logger)
                    if let failure { notifier.show(DesktopNotices.failed(failure, language)) }
                }
            }
        }
    }
    defer { answering.cancel() }
    while !Task.isCancelled {
        do {
            for try await status in ControlClient(path: controlSocket()).watch() { notices.update(status).perform(on: notifier) }
        } catch {
            logger.warning("\(error)")
        }
        guard !Task.isCancelled else { return }
        notices.lost().perform(on: notifier)
        try? await Task.sleep(for: .seconds(3))
    }
}

/// nil when it was done; else why it was not, and what to do.
private func tell(_ request: ControlRequest, _ client: ControlClient, _ logger: Logger) async -> String? {
    do {
        let reply = try await client.send(request)
        if reply.isDone {
            logger.notice("\(reply.message)")
            return nil
        }
        logger.error("\(reply.message)")
        return AgentProblem(reply.message, advice: reply.advice ?? "Look at `trackme-agent status`").description
    } catch {
        logger.error("\(error)")
        return "\(error)"
    }
}

/// Which notifications stand on the desktop.
struct DesktopNotices {
    struct Change {
        var shown: [DesktopNotice] = []
        var withdrawn: [String] = []

        func perform(on notifier: DesktopNotifier) {
            for key in withdrawn { notifier.withdraw(key) }
            for notice in shown { notifier.show(notice) }
        }
    }

    private static let lostKey = "box-lost"
    /// Stands where a person stands, in the keys of what is everybody's.
    private static let box = "box"
    /// Of the person who logged in; the box's own when nil.
    private let language: Language?
    private var shown: Set<String> = []
    private var words: Wording

    init(language: Language?) {
        self.language = language
        words = Wording(language ?? .en)
    }

    mutating func update(_ status: BoxStatus) -> Change {
        words = Wording(language ?? status.language)
        var change = Change(), wanted: Set<String> = []
        for person in status.persons {
            for (key, notice) in emergencies(of: person, alone: status.persons.count == 1)
            where wanted.insert(key).inserted && !shown.contains(key) { change.shown.append(notice) }
            for checkIn in person.checkIns ?? [] where checkIn.phase == .open {
                let key = "\(person.person) check-in-\(checkIn.id)"
                if wanted.insert(key).inserted, !shown.contains(key) { change.shown.append(show(checkIn, key)) }
            }
            for notice in person.notices {
                let owner = notice.isOfBox ? Self.box : person.person.description
                let key = "\(owner) \(notice.rawValue)"
                let isNew = wanted.insert(key).inserted && !shown.contains(key)
                if isNew { change.shown.append(show(notice, key, of: person, alone: notice.isOfBox || status.persons.count == 1)) }
            }
        }
        change.withdrawn = shown.subtracting(wanted).sorted()
        shown = wanted
        return change
    }

    /// The box does not answer any more.
    mutating func lost() -> Change {
        guard !shown.contains(Self.lostKey) else { return Change() }
        shown.insert(Self.lostKey)
        return Change(shown: [
            DesktopNotice(key: Self.lostKey, title: words["lost.title"], body: words["lost.text"], urgency: .critical)
        ])
    }

    static func failed(_ why: String, _ language: Language?) -> DesktopNotice {
        DesktopNotice(
            key: "press-failed", title: Wording(language ?? .en)["reply.lost"], body: why, urgency: .critical)
    }

    /// The identifier with which the key begins; nil for everybody.
    static func person(of key: String) -> String? { key.split(separator: " ").first.map(String.init).flatMap { $0 == box ? nil : $0 } }

    /// What a button asks for; nil for what is none of ours.
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
    private func emergencies(of person: BoxStatus.PersonState, alone: Bool) -> [(String, DesktopNotice)] {
        guard let sos = person.sos else { return [] }
        let owner = person.person.description, head = alone ? "" : person.name + ": "
        func notice(_ key: String, _ title: String, _ body: String, _ actions: [ControlRequest.Action]) -> (String, DesktopNotice) {
            let key = "\(owner) \(key)"
            return (
                key,
                DesktopNotice(
                    key: key, title: head + title, body: body, urgency: .critical,
                    actions: actions.map { .init(key: $0.rawValue, label: words["action.\($0.rawValue)"]) })
            )
        }
        var found: [(String, DesktopNotice)] = []
        if let question = sos.question {
            let trigger = words["sos.trigger.\(question.trigger.rawValue)"]
            found.append(notice("question-\(question.id)", words["sos.question"], trigger, [.ok, .help]))
        }
        if let alarm = sos.alarm {
            let phase = alarm.phase.rawValue, nobody = alarm.reachesNobody ? words["sos.nobody"] + " " : ""
            let actions: [ControlRequest.Action] =
                switch alarm.phase {
                case .raised, .calling, .atHub: [.ok, .falseAlarm]
                case .handedOver, .taken: [.falseAlarm]
                case .over: [.reactivate, .falseAlarm]
                }
            found.append(
                notice(
                    "alarm-\(alarm.id)-\(phase)-\(alarm.reachesNobody)", words["sos.phase.\(phase)"],
                    nobody + words["sos.phase.\(phase).text"], actions))
        } else if sos.isOn, sos.reasons.contains(.nobodyToCall) {
            found.append(notice("nobody-to-call", words["sos.notProtected"], words["sos.not.nobodyToCall"], [.help]))
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
