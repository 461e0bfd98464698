import HubStore
import NIOCore
import Runs
import TestSupport
import Testing
import Vitals

@testable import HubServices

@Suite(.timeLimit(.minutes(2))) struct RunLiveStreamTests {
    private func row(_ bib: Int, _ second: Int) -> PublicSheet.Row {
        var row = PublicSheet.Row(bib: bib, group: 1)
        (row.place, row.metres) = (bib, second * 3 + (bib + second) % 3)
        (row.pace, row.gap, row.heartRate) = (300 + (bib * 7 + second / 3) % 90, bib * 2 + second / 10, 0)
        row.seen = Milliseconds(second) * 1000
        return row
    }

    @Test("RUN-7: bytes a second for each spectator are at most half of full snapshots, with 1,000 runners")
    func bytes() throws {
        var sheet = PublicSheet(), deltas = 0, snapshots = 0, random = SeededGenerator(seed: 1)
        for second in 1...60 {
            // Paces and gaps that are never still.
            let rows = (1...1000).map { bib in
                var row = row(bib, second)
                row.pace = 330 + Int.random(in: -12...12, using: &random)
                row.gap = bib * 2 + Int.random(in: -3...3, using: &random)
                row.heartRate = bib.isMultiple(of: 2) ? 150 + Int.random(in: -4...4, using: &random) : 0
                row.seen = 1_790_000_000_000 + Milliseconds(second) * 1000
                return row
            }
            let delta = sheet.delta(rows, naming: { "Runner \($0)" }, at: 1_790_000_000_000 + Milliseconds(second) * 1000, turn: second)
            // The first one is everything.
            if second > 1 { deltas += try #require(delta).readableBytes }
            if second > 1 { snapshots += sheet.snapshot(at: 1_790_000_000_000, state: "live").readableBytes }
        }
        print("bytes per spectator and second: \(deltas / 59) in deltas, \(snapshots / 59) in full snapshots")
        #expect(deltas * 2 < snapshots)
    }

    @Test("RUN-7: what is sent of one runner more seldom adds up to what is so, and groups change at once")
    func adds() throws {
        var sheet = PublicSheet(), spectator = RunLiveSpectator(), random = SeededGenerator(seed: 7)
        var rows = (1...40).map { row($0, 1) }
        _ = sheet.delta(rows, naming: { _ in "" }, at: 1, turn: 0)
        spectator.hear(try RunLiveEvent(sheet.snapshot(at: 1, state: "live")))
        for second in 2...300 {
            for index in rows.indices where Int.random(in: 0..<4, using: &random) > 0 {
                rows[index].metres += Int.random(in: -2...6, using: &random)
                rows[index].pace = Int.random(in: 250...400, using: &random)
                rows[index].seen = Milliseconds(second)
            }
            if Int.random(in: 0..<10, using: &random) == 0 { rows.swapAt(0, Int.random(in: 0..<rows.count, using: &random)) }
            if second == 100 { rows.removeLast(3) }
            if second == 150 { rows[5].group = 0 }
            if second == 160 { rows[6].spot = .init(latitude: 4_540_000, longitude: 900_000) }
            guard let delta = sheet.delta(rows, naming: { _ in "" }, at: Milliseconds(second), turn: second) else { continue }
            let event = try RunLiveEvent(delta)
            if second == 150 { #expect(event.rows("r").contains { $0[0] == rows[5].bib && $0[1] == 0 }) }
            if second == 160 { #expect(event.rows("r").contains { $0.count == 10 && $0[0] == rows[6].bib }) }
            spectator.hear(event)
            for row in rows { #expect(spectator.rows[row.bib]?[3] == row.metres) }
        }
        let whole = try RunLiveEvent(sheet.snapshot(at: 300, state: "live"))
        #expect(spectator.gaps == 0 && spectator.rows == Dictionary(uniqueKeysWithValues: whole.rows().map { ($0[0], $0) }))
        #expect(spectator.rows.count == 37)
    }

    @Test("RUN-7: somebody of whom nothing new comes is told as not seen any more; an old fix is told with its time")
    func silent() throws {
        var sheet = PublicSheet(), spectator = RunLiveSpectator(), runner = row(1, 1), late = row(2, 1)
        (runner.seen, late.seen) = (1_000_000, 400_000)
        _ = sheet.delta([runner, late], naming: { _ in "" }, at: 1_000_000, turn: 0)
        spectator.hear(try RunLiveEvent(sheet.snapshot(at: 1_000_000, state: "live")))
        for second in 1...30 {
            let now = 1_000_000 + Milliseconds(second) * 1000
            // The first one's box is dead after 10 s; the second one is shown 10 minutes behind.
            if second <= 10 { (runner.metres, runner.seen) = (runner.metres + 3, now - 1000) }
            (late.metres, late.seen) = (late.metres + 3, now - 600_000)
            guard let delta = sheet.delta([runner, late], naming: { _ in "" }, at: now, turn: second) else { continue }
            spectator.hear(try RunLiveEvent(delta))
        }
        #expect(spectator.rows[1]?[3] == runner.metres && spectator.rows[1]?[7] == 1_010_000)
        let behind = try #require(spectator.rows[2])
        #expect(behind[7] <= 430_000 && behind[3] >= late.metres - 15 && spectator.gaps == 0)
    }

    @Test("RUN-7: in a rehearsal at 10x who moves is seen by each delta, too")
    func rehearsed() throws {
        var sheet = PublicSheet(), spectator = RunLiveSpectator(), runner = row(1, 1)
        runner.seen = 1_000_000
        _ = sheet.delta([runner], naming: { _ in "" }, at: 1_000_000, turn: 0)
        spectator.hear(try RunLiveEvent(sheet.snapshot(at: 1_000_000, state: "live")))
        for second in 1...30 {
            let now = 1_000_000 + Milliseconds(second) * 10_000
            (runner.metres, runner.seen) = (runner.metres + 30, now - 12_000)
            let delta = sheet.delta([runner], naming: { _ in "" }, at: now, turn: second)
            spectator.hear(try RunLiveEvent(try #require(delta)))
            #expect(spectator.rows[1]?[3] == runner.metres && (spectator.rows[1]?[7] ?? 0) >= Int(now) - 12_000)
        }
    }

    @Test("RUN-7: a reader who takes nothing holds up nobody, misses what came, and goes on with a snapshot")
    func slow() async throws {
        let audience = RunAudience(), places = RunPlaces()
        let slow = try audience.join(places, "a"), quick = try audience.join(places, "b")
        func snapshot(_ number: Int) -> ByteBuffer { ByteBuffer(string: "snapshot \(number)") }
        func hear(_ reader: RunReader, _ number: Int) async -> String? {
            let waiting = Task { await reader.next() }
            while !reader.isAsking { await Task.yield() }
            audience.send(ByteBuffer(string: "delta \(number)")) { snapshot(number) }
            return await waiting.value.map { String(buffer: $0) }
        }
        #expect(await hear(quick, 0) == "snapshot 0")
        #expect(await hear(slow, 1) == "snapshot 1")
        #expect(await quick.next().map { String(buffer: $0) } == "delta 1")
        for number in 2..<50 {
            audience.send(ByteBuffer(string: "delta \(number)")) { snapshot(number) }
            #expect(await quick.next().map { String(buffer: $0) } == "delta \(number)")
        }
        // Whatever waited was thrown away: nothing half is told.
        #expect(await hear(slow, 50) == "snapshot 50")
        #expect(await hear(slow, 51) == "delta 51")
        // Who goes away leaves the place, also while waiting.
        let gone = Task { await slow.next() }
        gone.cancel()
        #expect(await gone.value == nil)
        #expect(places.count == 2)
        audience.end(ByteBuffer(string: "end"))
        withExtendedLifetime((slow, quick)) {}
    }

    @Test("RUN-7: a reader who is gone leaves the place")
    func leaves() throws {
        let audience = RunAudience(), places = RunPlaces(most: 1)
        do {
            let reader = try audience.join(places, "a")
            #expect(!audience.isEmpty && places.count == 1)
            withExtendedLifetime(reader) {}
        }
        #expect(audience.isEmpty && places.count == 0)
        _ = try audience.join(places, "b")
    }

    @Test("RUN-7: what somebody calls themselves breaks neither the stream nor a page")
    func names() throws {
        var sheet = PublicSheet()
        let name = "a\nevent: end\ndata: {}\n\n\"\\</script>\u{1}é\u{2028}"
        _ = sheet.delta([row(1, 1)], naming: { _ in name }, at: 1, turn: 1)
        let event = try RunLiveEvent(sheet.snapshot(at: 1, state: "live"))
        #expect(event.names == ["1": name])
        #expect(!String(buffer: sheet.snapshot(at: 1, state: "live")).contains("</script>"))
    }

    @Test("RUN-7: degrees have five decimals")
    func degrees() {
        var buffer = ByteBuffer()
        for value in [454_000_000, -454_000_049, 49, -51, 0, 1_800_000_000] as [Int32] {
            buffer.degrees(value)
            buffer.writeString(" ")
        }
        #expect(String(buffer: buffer) == "45.40000 -45.40000 0.00000 -0.00001 0.00000 180.00000 ")
    }
}
