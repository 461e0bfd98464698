import HubServices
import SyncProtocol
import Testing
import Vitals

/// What boxes say of themselves.
struct BoxConditionsTests {
    private static let ada = PersonID(high: 1, low: 1), eve = PersonID(high: 1, low: 2), box = AgentID(high: 2, low: 1)

    private static func sensor(_ person: PersonID, battery: Int? = 80) -> BoxCondition.Sensor {
        BoxCondition.Sensor(person: person, name: "Strap", isConnected: true, batteryPercent: battery)
    }

    @Test("EDGE-14: the last report of a box is kept, without sensors of people whom it does not serve, until it is disconnected")
    func kept() throws {
        let reports = BoxConditions()
        #expect(reports.last(of: Self.box) == nil)
        let report = BoxCondition(version: "1", batteryPercent: 50, sensors: [Self.sensor(Self.ada), Self.sensor(Self.eve)])
        try reports.take(report, from: Self.box, serving: [Self.ada], now: 5)
        let heard = try #require(reports.last(of: Self.box))
        #expect(heard.time == 5 && heard.report.sensors.map(\.person) == [Self.ada] && heard.report.batteryPercent == 50)
        try reports.take(BoxCondition(version: "2", batteryPercent: nil, sensors: []), from: Self.box, serving: [Self.ada], now: 9)
        #expect(reports.last(of: Self.box)?.report.version == "2" && reports.last(of: Self.box)?.time == 9)
        reports.forget(Self.box)
        #expect(reports.last(of: Self.box) == nil)
    }

    @Test(
        "what cannot be a report is refused",
        arguments: [
            BoxCondition(version: "", batteryPercent: nil, sensors: []),
            BoxCondition(version: String(repeating: "1", count: 65), batteryPercent: nil, sensors: []),
            BoxCondition(version: "1", batteryPercent: 101, sensors: []),
            BoxCondition(version: "1", batteryPercent: nil, sensors: [sensor(ada, battery: -1)]),
            BoxCondition(version: "1", batteryPercent: nil, sensors: (0...BoxCondition.sensorsMax).map { _ in sensor(ada) }),
            BoxCondition(version: "1", batteryPercent: nil, sensors: [], people: (0...BoxCondition.peopleMax).map { _ in ada }),
        ])
    func refused(report: BoxCondition) {
        let reports = BoxConditions()
        #expect(throws: ErrorAnswer.self) { try reports.take(report, from: Self.box, serving: [Self.ada], now: 0) }
        #expect(reports.last(of: Self.box) == nil)
    }
}
