import BlueZ
import SyncProtocol
import Testing

@testable import AgentKit

/// What the box tells the hub of itself.
struct BoxTellingTests {
    @Test("EDGE-12: the hub is told when something changed, and otherwise every five minutes")
    func due() {
        var reporting = BoxTelling()
        let report = BoxCondition(version: "1", batteryPercent: 50, sensors: [])
        #expect(reporting.isDue(report, at: .zero))
        reporting.note(report, at: .seconds(10))
        #expect(!reporting.isDue(report, at: .seconds(309)) && reporting.isDue(report, at: .seconds(310)))
        var other = report
        other.batteryPercent = 49
        #expect(reporting.isDue(other, at: .seconds(11)))
    }

    @Test("EDGE-12: the report holds version, battery and sensors, and nothing that was measured")
    func content() {
        var status = BoxStatus.sample
        status.power.batteryPercent = 61
        let report = BoxCondition(status)
        #expect(report.version == status.version && report.batteryPercent == 61 && report.isPlausible)
        #expect(report.sensors.count == status.persons.compactMap(\.sensor).count + status.persons.flatMap { $0.otherSensors ?? [] }.count)
    }

    @Test("EDGE-16: a box of one person says what it is set to now; one of several does not", .timeLimit(.minutes(1)))
    func settings() async throws {
        let one = try BoxFixture(), several = try BoxFixture(people: ["Ada", "Bruno"])
        for fixture in [one, several] { try await fixture.box.begin(listening: false) }
        defer { for fixture in [one, several] { fixture.parts.sources.stop() } }
        let before = try #require(await one.box.condition().settings)
        #expect(before.sensor?.address == one.strap(of: one.person).description && before.off.isEmpty)
        let reply = await one.box.perform(ControlRequest(.kinds, kinds: KindsChoice(position: false)))
        #expect(reply.isDone, "\(reply.message)")
        let condition = await one.box.condition(), other = await several.box.condition()
        #expect(condition.settings?.off == ["position"] && condition.isPlausible && condition.settings?.sensor == before.sensor)
        #expect(other.settings == nil && other.sensors.count == 2)
    }
}
