internal import BlueZ
internal import Foundation
internal import Logging
internal import Monitoring
internal import Sensing
internal import SyncProtocol
internal import Vitals

extension ChoiceRequests {
    func scan(_ request: ControlRequest) async throws -> ControlReply {
        let seconds = min(max(1, request.seconds ?? 8), 60)
        let found = try await SensorSearch.scan(
            seconds: seconds, transport: context.configuration.bluetooth.transport, on: context.clock.machine)
        SensorSearch.note(found.sensors, at: context.clock.boottime())
        return SensorSearch.reply(found, batteries: batteries())
    }

    private func batteries() -> [SensorAddress: Int] {
        var batteries: [SensorAddress: Int] = [:]
        for (person, monitor) in monitors.all {
            if let address = choices[person].sensor { batteries[address] = monitor.summary.batteryPercent }
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

    func add(_ request: ControlRequest) async throws -> ControlReply {
        let address = try address(request)
        guard let person = try context.persons(request).first else { throw AgentProblem.notEnrolled(context.directory.path) }
        if choices[person].sensor == address {
            throw AgentProblem(
                "\(address) is used for the heart rate, and for whatever else it measures", advice: "Give the address of another sensor")
        }
        guard choices.settings.add(address, name: SensorSearch.heard(address)?.name, for: person) else {
            throw AgentProblem(
                "\(BoxSettings.othersMax) sensors are used beside the heart rate already",
                advice: "Forget one of them: trackme-agent sensors forget ADDRESS")
        }
        let name = try context.identity.person(person.description).name
        let problem = listenOrSay()
        let reply = await lasting("The sensor \(address) is used beside the heart rate of \(name).")
        if let problem { throw problem }
        return reply
    }

    func use(_ request: ControlRequest) async throws -> ControlReply {
        let address = try address(request)
        if SensorSearch.heard(address)?.isBesides == true {
            throw AgentProblem(
                "\(address) tells no heart rate", advice: "Use it beside a strap: trackme-agent sensors add \(request.address ?? "ADDRESS")"
            )
        }
        guard let person = try context.persons(request).first else { throw AgentProblem.notEnrolled(context.directory.path) }
        let name = try context.identity.person(person.description).name
        choices.settings.use(address, name: SensorSearch.heard(address)?.name, for: person)
        let problem = listenOrSay()
        let reply = await lasting("The sensor \(address) is used for \(name). It is connected as soon as it is worn.")
        if let problem { throw problem }
        return reply
    }

    private func listenOrSay() -> SourceProblem? {
        do throws(SourceProblem) { try sensors.listen() } catch { return error }
        return nil
    }

    func forget(_ request: ControlRequest) async throws -> ControlReply {
        let straps = context.identity.persons.compactMap { choices[$0.person].sensor }
        let chosen = straps + context.identity.persons.flatMap { (choices[$0.person].others ?? []).map(\.address) }
        let wanted = request.address.flatMap { SensorAddress($0) } ?? (chosen.count == 1 ? chosen[0] : nil)
        guard let address = wanted, chosen.contains(address) else {
            throw AgentProblem(
                chosen.isEmpty ? "No sensor is chosen" : "Which sensor is meant is not clear",
                advice: chosen.isEmpty ? "There is nothing to forget" : "Give one of: \(chosen.map(\.description).joined(separator: ", "))")
        }
        choices.settings.forget(address)
        let problem = listenOrSay()
        var reply = await lasting("The sensor \(address) is forgotten.")
        if let problem { throw problem }
        do { try await SensorSearch.forget(address, on: context.clock.machine) } catch {
            reply.isDone = false
            reply.message = "The sensor \(address) is not used any more, but bluetoothd keeps its pairing: \(error)"
            reply.advice = "Remove it yourself: bluetoothctl remove \(address.description.prefix(17))"
        }
        publisher.publish()
        reply.status = publisher.status()
        return reply
    }
}
