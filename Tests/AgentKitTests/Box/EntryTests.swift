import Foundation
import GRDB
import Segments
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import AgentKit
@testable import SampleBuffer

@Suite struct EntryTests {
    private func segments(_ fixture: BoxFixture) throws -> [Segment] {
        try fixture.buffer.read { try Data.fetchAll($0, sql: "SELECT bytes FROM segment ORDER BY key") }.map { row in
            try Array(row).withUnsafeBytes { try Segment(decoding: $0) }
        }
    }

    @Test("DATA-2: a value that a person enters at the box is on the disk before the answer, as entered by hand, with its time")
    func enters() async throws {
        let fixture = try BoxFixture()
        try await fixture.box.begin(listening: false)
        let weight = EnteredValue(kind: "weight", value: "160", unit: "[lb_av]")
        let reply = await fixture.box.perform(ControlRequest(.enter, entry: weight))
        #expect(reply.isDone && reply.message.contains("weight 160 [lb_av]"), "\(reply.message)")
        let time = fixture.clock.now + BoxFixture.utcOffset - 3_600_000
        let pressure = EnteredValue(kind: "blood_pressure", value: "121", second: "79", time: time)
        #expect(await fixture.box.perform(ControlRequest(.enter, entry: pressure)).isDone)
        let stored = try segments(fixture).filter { $0.header.provenance == .manual }
        try #require(stored.count == 2)
        let samples = stored.flatMap { $0.samples.scalars.byKind.flatMap(\.samples) }
        #expect(samples.map(\.kind) == [.weight, .bloodPressure] && samples[1].time == time)
        let row = DataKind.weight.entry, pounds = try #require(row.entryUnits.first { $0.name == "[lb_av]" })
        #expect(samples[0].value == row.value(of: 160, in: pounds) && samples[0].time == fixture.clock.now + BoxFixture.utcOffset)
        #expect(stored.allSatisfy { $0.header.person == fixture.person })
        _ = try await fixture.stored()
    }

    @Test(
        "DATA-2: what is no value is refused with what to give, and nothing is kept",
        arguments: [
            EnteredValue(kind: "mood", value: "3"), EnteredValue(kind: "weight", value: "heavy"),
            EnteredValue(kind: "weight", value: "99999"),
            EnteredValue(kind: "weight", value: "70", unit: "stone"), EnteredValue(kind: "weight", value: "70", time: .max / 2),
            EnteredValue(kind: "blood_pressure", value: "121"), EnteredValue(kind: "blood_pressure", value: "80", second: "121"),
            EnteredValue(kind: "sleep", value: "deep"), EnteredValue(kind: "heart_rate", value: "60"),
        ])
    func refuses(_ entry: EnteredValue) async throws {
        let fixture = try BoxFixture()
        try await fixture.box.begin(listening: false)
        let reply = await fixture.box.perform(ControlRequest(.enter, entry: entry))
        #expect(!reply.isDone && reply.advice?.isEmpty == false, "\(reply.message)")
        #expect(try segments(fixture).allSatisfy { $0.header.provenance != .manual })
        _ = try await fixture.stored()
    }
}
