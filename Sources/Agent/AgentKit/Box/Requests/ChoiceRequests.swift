internal import BlueZ
internal import Distress
internal import Foundation
internal import Logging
internal import Monitoring
internal import Sensing
internal import SyncProtocol
internal import Vitals

/// Requests of people who choose at the box: pauses, what is collected, sensors.
@BoxActor
final class ChoiceRequests {
    let context: BoxContext
    let choices: BoxChoices
    let monitors: PersonMonitors
    let sensors: SensorListening
    let publisher: StatusPublisher
    private let stations: SOSStations
    private let places: LastPlaces
    private let monitoring: MonitorRunner

    init(
        _ context: BoxContext, _ choices: BoxChoices, _ monitors: PersonMonitors, _ stations: SOSStations, _ places: LastPlaces,
        _ monitoring: MonitorRunner, _ sensors: SensorListening, _ publisher: StatusPublisher
    ) {
        (self.context, self.choices, self.monitors, self.stations) = (context, choices, monitors, stations)
        (self.places, self.monitoring, self.sensors, self.publisher) = (places, monitoring, sensors, publisher)
    }

    func pause(_ request: ControlRequest) async throws(AgentProblem) -> ControlReply {
        let minutes = request.minutes ?? 60
        guard (1...1440).contains(minutes) else {
            throw AgentProblem(
                "A pause of \(minutes) minutes is not possible", advice: "Give 1 to 1440 minutes; a pause always ends by itself")
        }
        let length = Milliseconds(minutes) * 60_000, now = context.clock.boottime()
        let pause = BoxSettings.Pause(boot: context.boot, until: now + length, utc: context.confirmedUTC.map { $0 + length } ?? 0)
        var changed = choices.settings
        let persons = try context.persons(request)
        for person in persons { changed[person].pause = pause }
        choices.settings = changed
        for person in persons {
            stations.all[person]?.chosen = now
            monitoring.handle(.pause(until: pause.until, utc: pause.knownUTC), of: person, at: now)
        }
        let end = pause.knownUTC.map { "until \(ISO8601.string($0))" } ?? "for \(minutes) minutes"
        return await lasting("Paused \(end). It ends by itself.")
    }

    func resume(_ request: ControlRequest) async throws(AgentProblem) -> ControlReply {
        var changed = choices.settings
        let persons = try context.persons(request)
        for person in persons { changed[person].pause = nil }
        choices.settings = changed
        for person in persons { monitoring.handle(.resume, of: person, at: context.clock.boottime()) }
        return await lasting("The pause is over.")
    }

    func choose(_ request: ControlRequest) async throws(AgentProblem) -> ControlReply {
        guard let choice = request.kinds, choice.heartRate != nil || choice.position != nil else {
            throw AgentProblem("The request names no kinds", advice: "Say for heart rate or for position whether it is collected")
        }
        let now = context.clock.boottime()
        var message: [String] = []
        func word(_ isOn: Bool) -> String { isOn ? "collected and sent" : "not collected" }
        for person in try context.persons(request) {
            var kinds = choices[person].kinds
            kinds.heartRate = choice.heartRate ?? kinds.heartRate
            kinds.position = choice.position ?? kinds.position
            choices[person].kinds = kinds
            stations.all[person]?.chosen = now
            monitoring.handle(.kinds(heartRate: kinds.heartRate, position: kinds.position), of: person, at: now)
            message.append("Heart rate: \(word(kinds.heartRate)). Position: \(word(kinds.position)).")
        }
        places.forgetSwitchedOff()
        return await lasting(message.joined(separator: " "))
    }

    /// A choice holds from now on, also where the disk does not take it: that it will not last is said then.
    func lasting(_ message: String) async -> ControlReply {
        publisher.publish()
        let written = await choices.keep().value(within: .seconds(1))
        var reply = ControlReply(isDone: true, message: message, status: publisher.status())
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
}
