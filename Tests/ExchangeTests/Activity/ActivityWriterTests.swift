import Exchange
import TestSupport
import Testing
import Vitals

/// Made-up workouts.
enum MadeWorkout {
    /// 2026-03-01T08:00:00Z.
    static let start: Milliseconds = 1_772_352_000_000

    /// Positions once a second with heart rates at the same times, a stretch without positions, a pause and two laps.
    static func file(_ format: ActivityFile.Format, sport: Int64, seed: UInt64 = 1) throws -> ActivityFile {
        var generator = SeededGenerator(seed: seed), samples = SampleSet(), latitude: Int32 = 454_000_000
        for second in 0..<300 where !(100..<160).contains(second) {
            let time = start + Milliseconds(second) * 1000
            latitude += Int32.random(in: -300...900, using: &generator)
            if !(200..<230).contains(second) {
                samples.positions.append(
                    PositionSample(
                        time: time, latitude: latitude, longitude: -1_799_999_000 - Int32.random(in: 0...500, using: &generator),
                        altitude: Int32.random(in: 500...700, using: &generator) * 2, speed: Int32.random(in: 0...700, using: &generator),
                        mode: .unknown))
            }
            let intervals = second == 50 ? [UInt16](repeating: 768, count: 3) : []
            samples.heartRates.append(
                HeartRateSample(time: time, beatsPerMinute: UInt16.random(in: 90...190, using: &generator), rrIntervals: intervals))
            samples.scalars.append(
                try #require(ScalarSample(.cadence, time: time, value: Int64.random(in: 70...90, using: &generator) * 20)))
        }
        var session = ActivitySection(sport: ActivitySport(code: sport))
        (session.energy, session.ascent, session.descent, session.averagePower) = (250, 12, 13, 210)
        var laps = [ActivitySection(start: start), ActivitySection(start: start + 150_000)]
        for index in laps.indices {
            (laps[index].elapsed, laps[index].timer) = (150_000, 120_000)
            (laps[index].distance, laps[index].energy, laps[index].maximumSpeed) = (50_012, 125, 700)
            (laps[index].averageHeartRate, laps[index].maximumHeartRate) = (141, 190)
        }
        return ActivityFile(
            format: format, samples: samples, session: session, laps: laps, pauses: [start + 100_000...start + 160_000], device: "Made & up"
        )
    }
}

@Suite struct ActivityWriterTests {
    @Test("DATA-17: a workout's points carry position, heart rate and cadence together, and those without a position stand alone")
    func merged() throws {
        let file = try MadeWorkout.file(.fit, sport: 2)
        #expect(file.points.count == 240 && file.points.count { $0.place != nil } == 210)
        #expect(file.points.allSatisfy { $0.heartRate != nil && $0.cadence != nil } && file.segments == [0, 100])
        #expect(
            file.totals.timer == 239_000 && file.totals.elapsed == 299_000
                && file.totals.maximumHeartRate == file.points.compactMap(\.heartRate).max())
    }

    @Test("DATA-17: a workout that is written as FIT comes back the same", arguments: 0..<12 as Range<Int64>)
    func fit(sport: Int64) throws {
        let made = try MadeWorkout.file(.fit, sport: sport, seed: UInt64(sport)), bytes = FITWriter.write(made)
        let file = try ActivityFile.read(bytes)
        #expect(file.problems.isEmpty && file.leftOut.isEmpty)
        #expect(file.points == made.points && file.pauses == made.pauses && file.intervals == made.intervals)
        #expect(file.start == made.start && file.device == made.device && file.sport?.code == sport)
        #expect(file.laps == made.laps && file.totals.distance == made.totals.distance && file.totals.energy == 250)
        #expect(file.totals.timer == made.totals.timer && file.totals.averageHeartRate == made.totals.averageHeartRate)
        #expect(file.totals.ascent == 12 && file.totals.descent == 13 && file.totals.averagePower == 210)
        #expect(FITWriter.write(file) == bytes, "written once more it is the same, byte for byte")
    }

    @Test("DATA-17: a FIT file that was written has the header, checksums and messages that the format wants")
    func fitForm() throws {
        let bytes = FITWriter.write(try MadeWorkout.file(.fit, sport: 3))
        #expect(Array(bytes[8..<12]) == Array(".FIT".utf8) && bytes[0] == 14)
        #expect(Array(bytes[12..<14]) == MadeFIT.checksum(Array(bytes.prefix(12))))
        #expect(Array(bytes.suffix(2)) == MadeFIT.checksum(Array(bytes.dropLast(2))))
    }

    @Test("DATA-17: fractions of a second survive FIT to its 1/128 s, and altitudes to 0.2 m")
    func fitResolution() throws {
        let samples = SampleSet(
            positions: (0..<1000).map {
                PositionSample(
                    time: MadeWorkout.start + Milliseconds($0) * 1001, latitude: Int32($0) * 7, longitude: -Int32($0), altitude: Int32($0))
            })
        let made = ActivityFile(format: .fit, samples: samples, session: ActivitySection())
        let file = try ActivityFile.read(FITWriter.write(made))
        #expect(file.points.map(\.place) == made.points.map(\.place))
        for (read, made) in zip(file.points, made.points) {
            let time = (try #require(read.time), try #require(made.time)),
                altitude = (try #require(read.altitude), try #require(made.altitude))
            #expect(abs(time.0 - time.1) <= 8 && abs(altitude.0 - altitude.1) <= 1)
        }
        let again = try ActivityFile.read(FITWriter.write(file))
        #expect(again.points == file.points)
    }

    @Test("DATA-17: a workout that is written as TCX comes back the same", arguments: [0, 2, 3] as [Int64])
    func tcx(sport: Int64) throws {
        let made = try MadeWorkout.file(.tcx, sport: sport, seed: 7), bytes = TCXWriter.write(made)
        let file = try ActivityFile.read(bytes)
        #expect(file.problems.isEmpty && file.points == made.points && file.start == made.start && file.device == made.device)
        #expect(file.sport?.code == sport && file.laps.map(\.timer) == made.laps.map(\.timer))
        #expect(file.laps.map(\.distance) == made.laps.map(\.distance) && file.laps.map(\.averageHeartRate) == [141, 141])
        #expect(file.segments.contains(100), "the pause begins a new track")
        #expect(TCXWriter.write(file) == bytes)
    }

    @Test("DATA-17: a workout that is written as GPX comes back with the same positions and heart rates")
    func gpx() throws {
        let samples = try MadeWorkout.file(.gpx, sport: 2).samples
        var writer = GPXWriter(name: "A run", created: MadeWorkout.start), bytes: [UInt8] = []
        writer.begin(&bytes)
        writer.append(samples, from: .live, to: &bytes)
        writer.end(&bytes)
        let file = try ActivityFile.read(bytes)
        #expect(file.problems.isEmpty && file.samples.positions == samples.positions && file.points.count == 210)
        let withPosition = Set(samples.positions.map(\.time))
        let rates = samples.heartRates.filter { withPosition.contains($0.time) }.map(\.beatsPerMinute)
        #expect(file.samples.heartRates.map(\.beatsPerMinute) == rates)
    }

    @Test("DATA-17: an empty workout, and names of any characters, are written and read")
    func odd() throws {
        let empty = ActivityFile(format: .fit, samples: SampleSet(), session: ActivitySection())
        #expect(throws: ActivityProblem.self) { try ActivityFile.read(FITWriter.write(empty)) }
        #expect(throws: ActivityProblem.self) { try ActivityFile.read(TCXWriter.write(empty)) }
        let samples = SampleSet(heartRates: [HeartRateSample(time: MadeWorkout.start, beatsPerMinute: 99)])
        for name in ["<&\"'>", String(repeating: "\u{E8}", count: 70), "a\u{0}b"] {
            let made = ActivityFile(format: .fit, samples: samples, session: ActivitySection(), device: name)
            #expect(try ActivityFile.read(FITWriter.write(made)).points.count == 1)
            #expect(try ActivityFile.read(TCXWriter.write(made)).points.count == 1)
        }
    }
}
