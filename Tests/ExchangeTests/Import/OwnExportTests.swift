import Exchange
import TestSupport
import Testing
import Vitals

/// Our own exports, read back.
@Suite struct OwnExportTests {
    /// Gaps count from 0: an export does not say which segments are missing.
    private func counted(_ samples: SampleSet) -> SampleSet {
        var set = samples
        set.clocks = []
        set.gaps = samples.gaps.map { gap in
            let distance = gap.sequences.upperBound - gap.sequences.lowerBound
            return GapRecord(time: gap.time, sequences: 0...min(distance, .max - 1), reason: gap.reason)
        }
        return set
    }

    /// What a hub would have stored.
    private func stored(seed: UInt64) throws -> SampleSet {
        var set = SampleSet.madeUp(seed: seed)
        set.heartRates = set.heartRates.map { sample in
            var sample = sample
            sample.beatsPerMinute = min(sample.beatsPerMinute, SampleLimits.beatsPerMinuteMax)
            return sample
        }
        set.positions = set.positions.filter { position in
            (position.altitude.map(SampleLimits.altitude.contains) ?? true) && (position.speed.map(SampleLimits.speed.contains) ?? true)
                && (position.course.map(SampleLimits.course.contains) ?? true)
        }
        set.scalars = try SampleSet.everyScalar().scalars
        set.gaps = set.gaps.filter { $0.sequences.upperBound - $0.sequences.lowerBound < UInt64(Int64.max) }
        return set
    }

    @Test("DATA-9: our own CSV comes back the same, every kind, with its provenance", arguments: 0..<6 as Range<UInt64>)
    func csv(seed: UInt64) throws {
        let samples = try stored(seed: seed), provenance = Provenance.allCases[Int(seed) % 5]
        for subject in [nil, "=Anna, \"A\"\nB"] {
            let file = try CSVWriter(subject: subject, scalars: true).file(of: samples, from: provenance)
            let back = SampleCSVReader(now: importTime).all(of: file, inPiecesOf: [1, 13, 1 << 20][Int(seed % 3)])
            #expect(back.samples == counted(samples) && back.report.problems.isEmpty)
            #expect(back.parts.allSatisfy { $0.stated == provenance })
            let again = try CSVWriter(subject: subject, scalars: true).file(of: back.samples, from: provenance)
            #expect(again == file)
        }
    }

    @Test("DATA-9: our own JSON comes back the same, as a document and as lines", arguments: 0..<6 as Range<UInt64>)
    func json(seed: UInt64) throws {
        let samples = try stored(seed: seed), size = [1, 13, 1 << 20][Int(seed % 3)]
        let document = try JSONWriter(created: someTime).file(of: samples, from: .manual)
        let back = SampleJSONReader(isLines: false, now: importTime).all(of: document, inPiecesOf: size)
        #expect(back.samples == counted(samples) && back.report.problems.isEmpty && back.report.created == someTime)
        #expect(back.parts.allSatisfy { $0.stated == .manual })
        let lines = try JSONLinesWriter().file(of: samples, from: .drill)
        let backLines = SampleJSONReader(isLines: true, now: importTime).all(of: lines, inPiecesOf: size)
        #expect(backLines.samples == counted(samples) && backLines.report.problems.isEmpty)
        #expect(try JSONLinesWriter().file(of: backLines.samples, from: .drill) == lines)
    }

    @Test("DATA-13: every scalar kind is read as JSON")
    func everyKind() throws {
        let samples = try SampleSet.everyScalar()
        let back = SampleJSONReader(isLines: true, now: importTime).all(of: try JSONLinesWriter().file(of: samples))
        #expect(back.samples == samples && Set(back.samples.scalars.map(\.kind)) == Set(DataKind.scalars))
    }

    @Test("DATA-2: damaged lines and items of our own exports are counted by place, and the others are read")
    func damaged() throws {
        let samples = try SampleSet.everyScalar(), count = samples.scalars.count
        var lines = String(decoding: try CSVWriter(scalars: true).file(of: samples), as: UTF8.self).split(separator: "\r\n").map(
            String.init)
        lines[2] = "nonsense"
        lines[3] = lines[3].replacing("2026-", with: "x026-")
        lines[4] = lines[4].replacing("steps", with: "hops")
        lines[5] = "\"" + lines[5]
        let csv = SampleCSVReader(now: importTime).all(of: lines.joined(separator: "\r\n").utf8)
        #expect(csv.problems.prefix(2) == ["fields line 3 x2", "time steps line 4"] && csv.report.unknown == ["hops": 1])
        #expect(csv.samples.scalars.count == count - 4)
        var items = String(decoding: try JSONWriter(created: someTime).file(of: samples), as: UTF8.self).split(separator: "\n").map(
            String.init)
        let first = try #require(items.firstIndex { $0.contains("body_temperature") })
        items[first] = items[first].replacing("\"kind\"", with: "\"kind")
        items[first + 2] = items[first + 2].replacing("}", with: "]")
        let json = SampleJSONReader(isLines: false, now: importTime).all(of: items.joined(separator: "\n").utf8)
        #expect(json.report.problemCounts[.notJSON] == 2 && json.samples.scalars.count == count - 2)
        #expect(json.problems.first == "notJSON scalar[0] x2")
    }
}
