import Foundation
import HubStore
import TestSupport
import Testing
import Vitals

@testable import HubServices
@testable import Privacy

/// Values that a person enters by hand, over the real pipeline.
struct ManualEntryTests {
    private struct Town {
        let hub: ServicesFixture
        let entry: ManualEntry

        init() throws {
            hub = try ServicesFixture()
            let clock = hub.clock
            entry = ManualEntry(devices: DeviceFixture.ingest(hub), now: { clock.now })
        }

        func enter(
            _ kind: DataKind, _ value: String, second: String = "", unit: String = "", ago: Milliseconds = 60_000,
            lasts: Milliseconds? = nil
        )
            async throws -> ScalarSample
        {
            try await entry.enter(written(value, second: second, unit: unit, ago: ago, lasts: lasts), kind, of: hub.person)
        }

        func written(
            _ value: String, second: String = "", unit: String = "", ago: Milliseconds = 60_000, lasts: Milliseconds? = nil
        ) -> WrittenEntry {
            var written = WrittenEntry()
            (written.value, written.second, written.unit) = (value, second, unit)
            (written.time, written.hasTime) = (hub.clock.now - ago, true)
            if let lasts { (written.end, written.hasEnd) = (hub.clock.now - ago + lasts, true) }
            return written
        }

        func problems(_ kind: DataKind, _ written: WrittenEntry) -> [EntryProblem] {
            do throws(EntryProblems) { _ = try ManualEntry.sample(written, kind, now: hub.clock.now) } catch { return error.list }
            return []
        }
    }

    @Test(
        "DATA-2, DATA-3: an entry of each kind is stored once, marked as entered by hand, also after merging", arguments: KindEntry.entered)
    func stores(kind: DataKind) async throws {
        let town = try Town(), row = kind.entry
        let value = row.codes.first ?? row.range.upperBound.text(places: row.decimals)
        let second = row.second.map { $0.codes.first ?? $0.range.upperBound.text(places: row.decimals) } ?? ""
        let lasts: Milliseconds? = row.span == .none ? nil : 60_000
        let sample = try await town.enter(kind, value, second: second, ago: 120_000, lasts: lasts)
        #expect(try await town.enter(kind, value, second: second, ago: 120_000, lasts: lasts) == sample)
        try town.hub.series.merger.merge(now: town.hub.clock.now)
        #expect(try await town.enter(kind, value, second: second, ago: 120_000, lasts: lasts) == sample)
        let reading = try town.hub.stored()
        #expect(reading.scalars == [sample] && reading.provenance == .manual && sample.problem == nil)
    }

    @Test("DATA-2: all that is wrong with an entry is said, at its field")
    func refusals() async throws {
        let town = try Town()
        func codes(_ kind: DataKind, _ written: WrittenEntry) -> [EntryProblem.Field: EntryProblem.Code] {
            Dictionary(uniqueKeysWithValues: town.problems(kind, written).map { ($0.field, $0.code) })
        }
        let kg = EntryUnit.all(for: "kg")[0]
        #expect(codes(.weight, town.written("7235")) == [.value: .outside(0.2...650, kg)])
        #expect(codes(.weight, town.written("0.19")) == [.value: .outside(0.2...650, kg)])
        #expect(codes(.weight, WrittenEntry()) == [.value: .missing, .time: .missing])
        #expect(codes(.weight, town.written("72 kg")) == [.value: .notANumber])
        #expect(codes(.weight, town.written("72", unit: "stone")) == [.unit: .notAChoice])
        #expect(codes(.nutritionEnergy, town.written("1,200")) == [.value: .tooExact(places: 1)])
        #expect(codes(.steps, town.written("12.5")) == [.value: .tooExact(places: 0)])
        #expect(codes(.bloodPressure, town.written("120")) == [.second: .missing])
        #expect(codes(.bloodPressure, town.written("120", second: "900")).keys.sorted { $0.rawValue < $1.rawValue } == [.second])
        #expect(codes(.bloodPressure, town.written("80", second: "120")) == [.second: .aboveFirst])
        #expect(codes(.sleep, town.written("dreaming", lasts: 1000)) == [.value: .notAChoice])
        #expect(codes(.sleep, town.written("deep")) == [.end: .missing])
        #expect(codes(.sleep, town.written("deep", ago: 60_000, lasts: -1)) == [.end: .endBeforeStart])
        #expect(codes(.sleep, town.written("deep", ago: 90_000_000, lasts: 86_400_001)) == [.end: .tooLong(86_400_000)])
        #expect(codes(.weight, town.written("72", ago: -180_000)) == [.time: .inTheFuture])
        #expect(codes(.weight, town.written("72", ago: town.hub.clock.now)) == [.time: .tooLongAgo])
        var noTime = town.written("72")
        noTime.time = nil
        #expect(codes(.weight, noTime) == [.time: .notATime])
        await #expect(throws: EntryProblems.self) { try await town.enter(.weight, "7235") }
        #expect(try town.hub.stored().scalars.isEmpty)
    }

    @Test("DATA-2, PERF-6: what cannot be kept at one minute is said, not left out in silence; who enters too fast is told to wait")
    func crowds() async throws {
        let town = try Town()
        for value in 0..<DataKind.water.densityMax { _ = try await town.enter(.water, "\(value)", ago: 600_000) }
        await #expect(throws: ManualEntry.Refusal.crowded) { try await town.enter(.water, "500", ago: 600_000) }
        #expect(try await town.enter(.water, "500", ago: 660_000).value == 500)
        #expect(try town.hub.stored().scalars.count == DataKind.water.densityMax + 1)
        var refused: ManualEntry.Refusal?
        for value in 0..<100 where refused == nil {
            do { _ = try await town.enter(.steps, "\(value)", ago: Milliseconds(value) * 60_000) } catch let refusal as ManualEntry.Refusal
            {
                refused = refusal
            }
        }
        #expect(refused == .slowDown(seconds: 2))
    }

    @Test("DATA-2: a typed value makes live data neither typed nor newer: no box is heard by it")
    func besideLive() async throws {
        let phone = try DeviceFixture()
        let clock = phone.hub.clock, entry = ManualEntry(devices: phone.ingest, now: { clock.now })
        try await phone.send(phone.message(seconds: -10))
        let heard = try phone.hub.stored().received
        clock.advance(3 * 3_600_000)
        var written = WrittenEntry()
        (written.value, written.time, written.hasTime) = ("72", clock.now, true)
        _ = try await entry.enter(written, .weight, of: phone.hub.person)
        let reading = try phone.hub.stored()
        #expect(reading.received == heard && reading.provenance == .live && reading.scalars.map(\.value) == [7200])
        let last = try #require(try phone.hub.series.reader.last(10, .maintenance(of: phone.hub.person), now: clock.now))
        #expect(last.positions.count == 1, "the newest position is within what is shown")
        let own = Grant.maintenance(of: phone.hub.person), all = 0...Milliseconds.max / 2
        let pieces = try #require(try phone.hub.series.reader.hours(own, in: all, now: clock.now)).joined().flatMap {
            try phone.hub.series.reader.pieces(own, kinds: DataKind.allCases, hour: $0, in: all, now: clock.now) ?? []
        }
        #expect(pieces.map(\.provenance) == [.live, .manual] && pieces.last?.samples.scalars.count == 1)
    }

    @Test("DATA-1, DATA-2: the newest value of each kind is found however old it is, merged or not, of the granted kinds alone")
    func newest() async throws {
        let town = try Town(), day: Milliseconds = 86_400_000
        func newest(_ kinds: Set<DataKind>? = nil) throws -> [DataKind: Int64] {
            let all = try #require(try town.hub.series.reader.newestScalars(.maintenance(of: town.hub.person), now: town.hub.clock.now))
            return Dictionary(uniqueKeysWithValues: all.map { ($0.sample.kind, $0.sample.value) })
        }
        #expect(try newest().isEmpty)
        _ = try await town.enter(.weight, "71", ago: 400 * day)
        _ = try await town.enter(.height, "175", ago: 30 * day)
        #expect(try newest() == [.weight: 7100, .height: 1750])
        try town.hub.series.merger.merge(now: town.hub.clock.now)
        #expect(try newest() == [.weight: 7100, .height: 1750])
        _ = try await town.enter(.weight, "72", ago: 60_000)
        _ = try await town.enter(.weight, "70", ago: 500 * day)
        _ = try await town.enter(.steps, "900", ago: 60_000)
        #expect(try newest() == [.weight: 7200, .height: 1750, .steps: 900])
        try town.hub.series.merger.merge(now: town.hub.clock.now)
        #expect(try newest() == [.weight: 7200, .height: 1750, .steps: 900])
        let height = Grant(person: town.hub.person, kinds: [.height, .heartRate], ground: .system(.maintenance))
        let found = try #require(try town.hub.series.reader.newestScalars(height, now: town.hub.clock.now))
        #expect(found.map(\.sample.kind) == [.height] && found.map(\.provenance) == [.manual])
    }

    @Test("DATA-2, DATA-10, DATA-13: typed values have no device on any list, none to revoke, and go with the person")
    func device() async throws {
        let town = try Town(), devices = town.hub.accounts.devices
        _ = try await town.enter(.weight, "72")
        let device = try devices.manualDevice(of: town.hub.person, now: 0)
        #expect(try devices.manualDevice(of: town.hub.person, now: 1).row == device.row && device.provenance == .manual)
        #expect(try devices.devices(of: town.hub.person).isEmpty)
        #expect(try !devices.revokeDevice(device.row, of: town.hub.person, now: 1))
        #expect(throws: Devices.Problem.name) { try Devices(devices: devices).add("mine", .manual, of: town.hub.person, now: 0) }
        for index in 0..<DeviceStore.devicesMax {
            _ = try Devices(devices: devices).add("phone \(index)", .osmAnd, of: town.hub.person, now: 0)
        }
        _ = try town.hub.accounts.deletePerson(town.hub.person, now: town.hub.clock.now)
        await #expect(throws: ManualEntry.Refusal.gone) { try await town.enter(.weight, "73") }
    }
}
