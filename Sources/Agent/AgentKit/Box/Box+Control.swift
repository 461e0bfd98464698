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
            case .flag: return try await flag(request)
            case .drill: return try drill(request)
            case .pause: return try await pause(request)
            case .resume: return try await resume(request)
            case .sync: return await syncNow()
            case .record: return try await startRecording(request)
            case .recordStop: return await stopRecording()
            case .scan: return try await scan(request)
            case .use: return try await use(request)
            case .add: return try await add(request)
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

    /// Whom a request means: the one that it names, or the only one.
    private func persons(_ request: ControlRequest) throws(AgentProblem) -> [PersonID] {
        if request.person == nil, identity.persons.count == 1 { return identity.persons.map(\.person) }
        return [try identity.person(request.person).person]
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
        for person in persons {
            watchings[person]?.chosen = now
            handle(.pause(until: pause.until, utc: pause.knownUTC), of: person, at: now)
        }
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
            watchings[person]?.chosen = now
            handle(.kinds(heartRate: kinds.heartRate, position: kinds.position), of: person, at: now)
            message.append("Heart rate: \(word(kinds.heartRate)). Position: \(word(kinds.position)).")
        }
        forgetPlaces()
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

    private func address(_ request: ControlRequest) throws(AgentProblem) -> SensorAddress {
        guard let text = request.address, let address = SensorAddress(text) else {
            throw AgentProblem(
                "\(request.address ?? "Nothing") is no Bluetooth address", advice: "Take one that `trackme-agent sensors scan` lists")
        }
        return address
    }

    private func add(_ request: ControlRequest) async throws -> ControlReply {
        let address = try address(request)
        guard let person = try persons(request).first else { throw AgentProblem.notEnrolled(directory.path) }
        if settings[person].sensor == address {
            throw AgentProblem(
                "\(address) is used for the heart rate, and for whatever else it measures", advice: "Give the address of another sensor")
        }
        guard settings.add(address, name: SensorSearch.heard(address)?.name, for: person) else {
            throw AgentProblem(
                "\(BoxSettings.othersMax) sensors are used beside the heart rate already",
                advice: "Forget one of them: trackme-agent sensors forget ADDRESS")
        }
        let name = try identity.person(person.description).name
        let problem = listenOrSay()
        let reply = await lasting("The sensor \(address) is used beside the heart rate of \(name).")
        if let problem { throw problem }
        return reply
    }

    private func use(_ request: ControlRequest) async throws -> ControlReply {
        let address = try address(request)
        if SensorSearch.heard(address)?.isBesides == true {
            throw AgentProblem(
                "\(address) tells no heart rate", advice: "Use it beside a strap: trackme-agent sensors add \(request.address ?? "ADDRESS")"
            )
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
        let straps = identity.persons.compactMap { settings[$0.person].sensor }
        let chosen = straps + identity.persons.flatMap { (settings[$0.person].others ?? []).map(\.address) }
        let wanted = request.address.flatMap { SensorAddress($0) } ?? (chosen.count == 1 ? chosen[0] : nil)
        guard let address = wanted, chosen.contains(address) else {
            throw AgentProblem(
                chosen.isEmpty ? "No sensor is chosen" : "Which sensor is meant is not clear",
                advice: chosen.isEmpty ? "There is nothing to forget" : "Give one of: \(chosen.map(\.description).joined(separator: ", "))")
        }
        settings.forget(address)
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
