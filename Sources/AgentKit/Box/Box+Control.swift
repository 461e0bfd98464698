internal import BlueZ
internal import Distress
internal import Foundation
internal import Logging
internal import Monitoring
internal import Sensing
internal import SyncProtocol
internal import Vitals

extension Box: BoxControl {
    func perform(_ request: ControlRequest) async -> ControlReply {
        do {
            switch request.action {
            case .status, .watch: return await tellStatus()
            case .ok, .help, .falseAlarm, .reactivate: return try await press(request)
            case .drill: return try drill(request)
            case .pause: return try await pause(request)
            case .resume: return try await resume(request)
            case .sync: return await syncNow()
            case .record: return try await startRecording(request)
            case .recordStop: return await stopRecording()
            case .scan: return try await scan(request)
            case .use: return try await use(request)
            case .forget: return try await forget(request)
            case .kinds: return try await choose(request)
            case .checkIn: return try await answerCheckIn(request)
            }
        } catch let problem as AgentProblem {
            return ControlReply(problem)
        } catch let problem as SourceProblem {
            return ControlReply(problem)
        } catch {
            return ControlReply(isDone: false, message: "\(error)", advice: "Look at the agent's log: journalctl -u trackme-agent")
        }
    }

    private func tellStatus() async -> ControlReply {
        lookAtBuffer(counts: true)
        await awaitBuffer()
        var status = status()
        status.buffer = glance.status
        return ControlReply(isDone: true, message: status.text, status: status)
    }

    /// Whom a request means: the one that it names, the only one, or with `everybody` all.
    private func persons(_ request: ControlRequest, everybody: Bool = false) throws(AgentProblem) -> [PersonID] {
        if request.person == nil, everybody || identity.persons.count == 1 { return identity.persons.map(\.person) }
        return [try identity.person(request.person).person]
    }

    // MARK: - What the person says

    private func press(_ request: ControlRequest) async throws -> ControlReply {
        // Whoever is near shall come, whatever becomes of the rest.
        if request.action == .help { parts.announcer.alarm(true, saying: "prompt.sos.near-help") }
        let persons: [PersonID]
        do throws(AgentProblem) {
            persons = try self.persons(request, everybody: true)
            if persons.isEmpty {
                throw AgentProblem("This box looks after nobody", advice: "Bind it to a person on the hub, and enrol it anew")
            }
        } catch {
            if request.action != .help { quieten() }
            say(prompt: request.action == .help ? "prompt.help-failed" : "prompt.failed")
            let phone = request.action == .help ? "NOBODY WAS TOLD: phone 112 for help now. " : ""
            throw AgentProblem("Nothing was recorded: \(error.what)", advice: phone + error.advice)
        }
        let code = request.action.code
        logger.notice("the person pressed \(request.action.rawValue)")
        let event = StateEvent(time: clock.boottime(), code: code), recorder = parts.recorder
        let hadCase = persons.map(hasCase)
        // What the press withdraws must not end the tone that it began.
        for person in persons { watchings[person]?.callsNear = request.action == .help }
        // The alarm acts first; its record is written beside it.
        for person in persons { watch(event, of: person) }
        // Any other word of the person ends the tone, unless it is wanted for something else.
        if request.action != .help { quieten() }
        let stored = Pending<Void>.task {
            for person in persons { await recorder.take(event, of: person) }
        }
        publish()
        let isHelp = request.action == .help, calls = !isHelp || persons.contains(where: canCall)
        let isExpected = request.action == .ok && persons.contains { watchings[$0]?.owner != nil && watchings[$0]?.outcome == nil }
        let results = zip(persons, hadCase).map { result(of: request.action, for: $0, hadCase: $1) }
        let gravest = PressResult.allCases.first { results.contains($0) } ?? .done, key = request.action.rawValue + gravest.suffix
        say(prompt: isHelp && !calls ? "prompt.sos.nobody" : isExpected ? "prompt.sos.still-coming" : "prompt.\(key)")
        let isStored = await stored.value(within: .seconds(2)) != nil
        let message = zip(persons, results).map { answer(to: request.action, $1, of: $0) }.joined(separator: " ")
        var reply = ControlReply(isDone: true, message: message, status: status())
        if gravest != .done { reply.words = "reply.\(key)" }
        if !isStored {
            reply.message += " The disk does not come back: it is recorded as soon as it does."
        } else if recorder.trouble != nil {
            reply.message += " Kept in memory and sent from there, because the disk takes nothing."
        }
        return reply
    }

    /// What is true now, in words: who is called, or that nobody can be.
    private func answer(to action: ControlRequest.Action, _ result: PressResult, of person: PersonID) -> String {
        switch (action, result) {
        case (.ok, _): return "Recorded: you are OK."
        case (.falseAlarm, .noAlarm): return "Recorded. No alarm was open."
        case (.falseAlarm, _): return "Recorded: it was a false alarm. Whoever was called is told."
        case (.help, _): return helpAnswer(person)
        case (_, .stillOpen): return "Recorded, but nothing is reactivated: an alarm is still open."
        case (_, .notWatched): return "Recorded, but heart rate is not watched now: `trackme-agent status` says why."
        default: return "Recorded: watching again."
        }
    }

    private func helpAnswer(_ person: PersonID) -> String {
        guard let watching = watchings[person], canCall(person) else {
            return
                "NOBODY CAN BE CALLED: the hub does not answer, and this box has neither a modem with contacts nor hooks that a test has proven. "
                + (hooksGlance.count > 0 ? "Its hooks run all the same. " : "") + "Phone 112 now. The box goes on trying."
        }
        let names = Self.recipients(of: watching.settings).map(\.contact.name).joined(separator: ", ")
        let own = hasOwnMeans(person) ? "the box itself calls \(names.isEmpty ? "by its hooks" : names)" : nil
        switch watching.watch.incident.state {
        case .taken: return "Help is on the way."
        case .delivering where watching.isHandedOver: return "The hub has reached somebody who can help."
        case .delivering where !isHubHeard(person): return "The hub does not answer: \(own ?? "nobody is called by the box")."
        case .waiting: return "Recorded."
        default:
            return "You ask for help: the hub was told. "
                + (own.map { "If it reaches nobody within two seconds, \($0)." } ?? "The box itself can call nobody: in danger, phone 112.")
        }
    }

    private func pause(_ request: ControlRequest) async throws(AgentProblem) -> ControlReply {
        let minutes = request.minutes ?? 60
        guard (1...1440).contains(minutes) else {
            throw AgentProblem(
                "A pause of \(minutes) minutes is not possible", advice: "Give 1 to 1440 minutes; a pause always ends by itself")
        }
        let length = Milliseconds(minutes) * 60_000, now = clock.boottime()
        let pause = BoxSettings.Pause(boot: boot, until: now + length, utc: confirmedUTC.map { $0 + length } ?? 0)
        var changed = settings
        let persons = try persons(request)
        for person in persons { changed[person].pause = pause }
        settings = changed
        for person in persons { handle(.pause(until: pause.until, utc: pause.knownUTC), of: person, at: now) }
        let end = pause.knownUTC.map { "until \(ISO8601.string($0))" } ?? "for \(minutes) minutes"
        return await lasting("Paused \(end). It ends by itself.")
    }

    private func resume(_ request: ControlRequest) async throws(AgentProblem) -> ControlReply {
        var changed = settings
        let persons = try persons(request)
        for person in persons { changed[person].pause = nil }
        settings = changed
        for person in persons { handle(.resume, of: person, at: clock.boottime()) }
        return await lasting("The pause is over.")
    }

    private func choose(_ request: ControlRequest) async throws(AgentProblem) -> ControlReply {
        guard let choice = request.kinds, choice.heartRate != nil || choice.position != nil else {
            throw AgentProblem("The request names no kinds", advice: "Say for heart rate or for position whether it is collected")
        }
        let now = clock.boottime()
        var message: [String] = []
        func word(_ isOn: Bool) -> String { isOn ? "collected and sent" : "not collected" }
        for person in try persons(request) {
            var kinds = settings[person].kinds
            kinds.heartRate = choice.heartRate ?? kinds.heartRate
            kinds.position = choice.position ?? kinds.position
            settings[person].kinds = kinds
            handle(.kinds(heartRate: kinds.heartRate, position: kinds.position), of: person, at: now)
            message.append("Heart rate: \(word(kinds.heartRate)). Position: \(word(kinds.position)).")
        }
        return await lasting(message.joined(separator: " "))
    }

    /// What was asked for holds from now on, also where the disk does not take it: that it will not last is said then.
    private func lasting(_ message: String) async -> ControlReply {
        publish()
        let written = await settingsFile.write(settings).value(within: .seconds(1))
        var reply = ControlReply(isDone: true, message: message, status: status())
        switch written {
        case .some(.none): break
        case .some(.some(let problem)):
            reply.message += " BUT it holds only until the agent restarts: \(problem.what)."
            reply.advice = problem.advice
            reply.caution = "reply.unkept"
        case .none:
            reply.message += " BUT the disk has not taken it yet: until it does, it holds only until the agent restarts."
            reply.advice = "Check the card or disk"
            reply.caution = "reply.unkept"
        }
        return reply
    }

    // MARK: - Sensors

    private func scan(_ request: ControlRequest) async throws -> ControlReply {
        let seconds = min(max(1, request.seconds ?? 8), 60)
        let found = try await SensorSearch.scan(seconds: seconds, transport: configuration.bluetooth.transport)
        SensorSearch.note(found.sensors, at: clock.boottime())
        return SensorSearch.reply(found, batteries: batteries())
    }

    private func batteries() -> [SensorAddress: Int] {
        var batteries: [SensorAddress: Int] = [:]
        for (person, monitor) in monitors {
            if let address = settings[person].sensor { batteries[address] = monitor.summary.batteryPercent }
        }
        return batteries
    }

    private func use(_ request: ControlRequest) async throws -> ControlReply {
        guard let text = request.address, let address = SensorAddress(text) else {
            throw AgentProblem(
                "\(request.address ?? "Nothing") is no Bluetooth address", advice: "Take one that `trackme-agent sensors scan` lists")
        }
        guard let person = try persons(request).first else { throw AgentProblem.notEnrolled(directory.path) }
        let name = try identity.person(person.description).name
        settings.use(address, name: SensorSearch.heard(address)?.name, for: person)
        let problem = listenOrSay()
        let reply = await lasting("The sensor \(address) is used for \(name). It is connected as soon as it is worn.")
        if let problem { throw problem }
        return reply
    }

    private func listenOrSay() -> SourceProblem? {
        do throws(SourceProblem) { try listen() } catch { return error }
        return nil
    }

    private func forget(_ request: ControlRequest) async throws -> ControlReply {
        let chosen = identity.persons.compactMap { settings[$0.person].sensor }
        let wanted = request.address.flatMap { SensorAddress($0) } ?? (chosen.count == 1 ? chosen[0] : nil)
        guard let address = wanted, chosen.contains(address) else {
            throw AgentProblem(
                chosen.isEmpty ? "No sensor is chosen" : "Which sensor is meant is not clear",
                advice: chosen.isEmpty ? "There is nothing to forget" : "Give one of: \(chosen.map(\.description).joined(separator: ", "))")
        }
        for person in identity.persons where settings[person.person].sensor == address {
            settings[person.person].sensor = nil
            settings[person.person].sensorName = nil
        }
        let problem = listenOrSay()
        var reply = await lasting("The sensor \(address) is forgotten.")
        if let problem { throw problem }
        do { try await SensorSearch.forget(address) } catch {
            reply.isDone = false
            reply.message = "The sensor \(address) is not used any more, but bluetoothd keeps its pairing: \(error)"
            reply.advice = "Remove it yourself: bluetoothctl remove \(address.description.prefix(17))"
        }
        publish()
        reply.status = status()
        return reply
    }
}

extension ControlRequest.Action {
    /// As a press of the person is recorded.
    fileprivate var code: StateEvent.Code {
        switch self {
        case .ok: .ok
        case .help: .help
        case .falseAlarm: .falseAlarm
        default: .reactivated
        }
    }
}
