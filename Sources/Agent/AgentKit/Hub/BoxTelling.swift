internal import Foundation
internal import Seams
internal import SyncProtocol
internal import Vitals

/// The hub, as far as it hears what the box says of itself.
protocol BoxConditionHub: Sendable {
    /// False when it was not taken, or is to be told again before it changes: the hub does not know somebody of this box.
    func tell(_ condition: BoxCondition) async -> Bool
}

/// With the token that sends samples, over a connection of its own.
struct BoxConditionLink: BoxConditionHub {
    let client: HubClient
    let access: SOSAccess
    let departures: Departures?
    let recorder: Recorder?

    func tell(_ condition: BoxCondition) async -> Bool {
        guard let token = access.token, let body = try? JSONEncoder().encode(WireForm(condition)) else { return false }
        let headers = [("Authorization", "Bearer \(token)"), ("Content-Type", "application/json")]
        guard let response = try? await client.send(.post, SyncRoute.box, headers: headers, body: Array(body)), response.status == 200
        else { return false }
        // A box that has nothing to send learns it here.
        if let answer = try? JSONDecoder().decode(BoxConditionAnswer.self, from: Data(response.body)) {
            await departures?.note(answer)
            await recorder?.bringBack(Set(answer.bound ?? []))
        }
        return departures?.unbound.isEmpty ?? true
    }
}

extension BoxCondition {
    init(_ status: BoxStatus) {
        let sensors = status.persons.flatMap { person in
            let chosen = person.sensor.map { (name: $0.name, isConnected: $0.isConnected, battery: $0.batteryPercent) }
            let others = (person.otherSensors ?? []).map { (name: $0.name, isConnected: $0.isConnected, battery: $0.batteryPercent) }
            return ([chosen].compactMap(\.self) + others).map {
                BoxCondition.Sensor(person: person.person, name: $0.name, isConnected: $0.isConnected, batteryPercent: $0.battery)
            }
        }
        self.init(
            version: status.version, batteryPercent: status.power.batteryPercent,
            sensors: Array(sensors.prefix(BoxCondition.sensorsMax)),
            people: status.persons.prefix(BoxCondition.peopleMax).map(\.person))
    }
}

/// Tells the hub what the box is like: when that changed, at most twice a minute, and every five minutes. Nothing waits for it.
struct BoxTelling: Sendable {
    static let pause = Duration.seconds(30), longest = Duration.seconds(300)
    /// After what was not taken: the box's first token comes with what it sends. Doubled each time, up to ``longest``.
    static let firstPause = Duration.seconds(5)

    /// The last report, and its time.
    private var told: (condition: BoxCondition, at: Duration)?

    /// Whether this is to be told now.
    func isDue(_ condition: BoxCondition, at now: Duration) -> Bool {
        guard let told else { return true }
        return told.condition != condition || now - told.at >= Self.longest
    }

    mutating func note(_ condition: BoxCondition, at now: Duration) { told = (condition, now) }

    /// Until the task is cancelled.
    static func run(_ box: Box, to hub: any BoxConditionHub) async {
        let machine = box.context.clock.machine
        var telling = BoxTelling(), again = firstPause
        while !Task.isCancelled {
            let condition = await box.condition()
            if !telling.isDue(condition, at: machine.uptime) {
                try? await machine.sleep(for: pause)
            } else if await hub.tell(condition) {
                telling.note(condition, at: machine.uptime)
                again = firstPause
                try? await machine.sleep(for: pause)
            } else {
                try? await machine.sleep(for: again)
                again = min(again * 2, longest)
            }
        }
    }
}
