import Exchange
import Testing
import Vitals

private func problems(_ file: ActivityFile) -> [ActivityProblem.Code] { file.problems.map(\.code) }

@Suite struct FITReaderTests {
    @Test("DATA-2: records of a FIT file give time, place, heart rate, distance, height and speed, in both byte orders and header sizes")
    func records() throws {
        for isBigEndian in [false, true] {
            var fit = MadeFIT()
            fit.isBigEndian = isBigEndian
            fit.fileID()
            fit.define(1, 20, MadeFIT.record)
            for index in 0..<20 { fit.point(index) }
            let file = try ActivityFile.read(fit.file(headerSize: isBigEndian ? 12 : 14))
            #expect(file.format == .fit && file.problems.isEmpty && file.points.count == 20 && file.device == "Garmin 1551")
            let point = file.points[11]
            #expect(point.time == Milliseconds(MadeFIT.start + 11 + 631_065_600) * 1000)
            #expect(point.place == ActivityPoint.Place(latitude: 454_001_100, longitude: 91_000_000))
            #expect(point.heartRate == 141 && point.distance == 1221 && point.altitude == 1202 && point.speed == 111)
            #expect(abs(file.measuredDistance - 19 * 1.112) < 0.1)
        }
    }

    @Test("DATA-2: an invalid value of any type is none")
    func invalid() throws {
        var fit = MadeFIT()
        fit.fileID()
        fit.define(1, 20, MadeFIT.record + [(7, 2, 0x84), (13, 1, 1), (4, 1, 2)])
        fit.message(
            1,
            [
                (Int64(MadeFIT.start), 4), (0x7FFF_FFFF, 4), (0x7FFF_FFFF, 4), (0xFF, 1), (0xFFFF_FFFF, 4), (0xFFFF, 2), (0xFFFF, 2),
                (0xFFFF, 2), (0x7F, 1), (0xFF, 1),
            ])
        let file = try ActivityFile.read(fit.file())
        #expect(file.points == [ActivityPoint(time: Milliseconds(MadeFIT.start + 631_065_600) * 1000)] && file.problems.isEmpty)
    }

    @Test("DATA-2: values that are impossible are left out, and listed with their first place and number")
    func impossible() throws {
        var fit = MadeFIT()
        fit.fileID()
        fit.define(1, 20, [(253, 4, 0x86), (0, 4, 0x85), (1, 4, 0x85), (78, 4, 0x86), (3, 2, 0x84)])
        let first = 14 + fit.data.count + 1
        for index in 0..<3 {
            fit.message(1, [(Int64(MadeFIT.start) + Int64(index), 4), (2_000_000_000, 4), (5, 4), (90_000, 4), (400, 2)])
        }
        let file = try ActivityFile.read(fit.file())
        #expect(file.points.count == 3 && file.points.allSatisfy { $0.place == nil && $0.altitude == nil && $0.heartRate == nil })
        #expect(Set(file.problems.map(\.detail)) == ["place", "altitude", "heartRate"])
        #expect(file.problems.allSatisfy { $0.code == .value && $0.count == 3 && $0.place == .byte(first) })
    }

    @Test("DATA-2: compressed timestamps go on from the last whole one, over the turn of their 5 bits")
    func compressedTimestamps() throws {
        var fit = MadeFIT()
        fit.fileID()
        fit.define(1, 20, [(253, 4, 0x86), (3, 1, 2)])
        fit.define(2, 20, [(3, 1, 2)])
        // 1,141,286,400 is a multiple of 32.
        fit.message(1, [(Int64(MadeFIT.start) + 20, 4), (100, 1)])
        for (offset, rate) in [(25, 101), (31, 102), (2, 103), (2, 104), (1, 105)] as [(UInt8, Int64)] {
            fit.message(0x80 | 2 << 5 | offset, [(rate, 1)])
        }
        let file = try ActivityFile.read(fit.file())
        let seconds = file.points.compactMap(\.time).map { $0 / 1000 - 631_065_600 - Int64(MadeFIT.start) }
        #expect(seconds == [20, 25, 31, 34, 34, 65])
        #expect(file.points.compactMap(\.heartRate) == [100, 101, 102, 103, 104, 105])
    }

    @Test("DATA-2: compressed speed and distance add up over the turn of their 12 bits")
    func compressedDistance() throws {
        var fit = MadeFIT()
        fit.fileID()
        fit.define(1, 20, [(253, 4, 0x86), (8, 3, 13)])
        for (index, sixteenths) in [160, 2000, 4000, 1904, 1904].enumerated() {
            let packed = Int64(250 | (sixteenths & 0xFFF) << 12)
            fit.message(1, [(Int64(MadeFIT.start) + Int64(index), 4), (packed, 3)])
        }
        fit.message(1, [(Int64(MadeFIT.start) + 9, 4), (0xFF_FFFF, 3)])
        let file = try ActivityFile.read(fit.file())
        #expect(file.points.map(\.distance) == [1000, 12_500, 25_000, 37_500, 37_500, nil])
        #expect(file.points.prefix(5).allSatisfy { $0.speed == 250 })
    }

    @Test("DATA-2: developer fields and unknown messages are passed over and counted")
    func developerFields() throws {
        var fit = MadeFIT()
        fit.fileID()
        fit.define(1, 20, [(253, 4, 0x86), (3, 1, 2)], developer: [(0, 4, 0), (1, 2, 0)])
        fit.define(2, 65_281, [(1, 3, 13)])
        for index in 0..<5 {
            fit.message(1, [(Int64(MadeFIT.start) + Int64(index), 4), (120, 1), (-1, 4), (-1, 2)])
            fit.message(2, [(7, 3)])
        }
        let file = try ActivityFile.read(fit.file())
        #expect(file.points.compactMap(\.heartRate) == [120, 120, 120, 120, 120] && file.problems.isEmpty)
        #expect(file.leftOut == [.developerFields: 10, .messages: 5])
    }

    @Test("DATA-2: a field whose length does not fit its type is passed over, and the fields behind it are read")
    func misaligned() throws {
        var fit = MadeFIT()
        fit.fileID()
        fit.define(1, 20, [(253, 4, 0x86), (5, 1, 0x86), (3, 1, 2)])
        fit.message(1, [(Int64(MadeFIT.start), 4), (77, 1), (130, 1)])
        let file = try ActivityFile.read(fit.file())
        #expect(file.points.map(\.heartRate) == [130] && file.points.map(\.distance) == [nil])
        #expect(file.problems.map(\.code) == [.fieldSize] && file.problems.map(\.detail) == ["20.5"])
    }

    @Test("DATA-2: sessions, laps, sport, pauses, RR intervals, the device's name and its time zone are read")
    func messages() throws {
        var fit = MadeFIT.activity(3)
        let start = Int64(MadeFIT.start), date = Milliseconds(start + 631_065_600) * 1000
        fit.define(2, 78, [(0, 6, 0x84)])
        fit.message(2, [(1000, 2), (500, 2), (0xFFFF, 2)])
        fit.define(3, 21, [(253, 4, 0x86), (0, 1, 0), (1, 1, 0)])
        for (time, type) in [(0, 0), (60, 4), (90, 0), (200, 4)] as [(Int64, Int64)] {
            fit.message(3, [(start + time, 4), (0, 1), (type, 1)])
        }
        fit.define(
            4, 18, [(2, 4, 0x86), (5, 1, 0), (6, 1, 0), (7, 4, 0x86), (8, 4, 0x86), (9, 4, 0x86), (11, 2, 0x84), (16, 1, 2), (22, 2, 0x84)])
        fit.message(4, [(start, 4), (1, 1), (1, 1), (200_000, 4), (170_000, 4), (61_234, 4), (45, 2), (143, 1), (12, 2)])
        fit.define(5, 19, [(2, 4, 0x86), (7, 4, 0x86), (16, 1, 2)])
        fit.message(5, [(start + 100, 4), (100_000, 4), (171, 1)])
        fit.define(6, 34, [(253, 4, 0x86), (5, 4, 0x86)])
        fit.message(6, [(start + 200, 4), (start + 200 + 5400, 4)])
        fit.define(7, 23, [(0, 1, 2), (27, 8, 7)])
        fit.message(7, [(0, 1)])
        fit.data += Array("Made up!".utf8)
        let file = try ActivityFile.read(fit.file()), session = try #require(file.sessions.first)
        #expect(file.problems.isEmpty && file.device == "Made up!" && file.utcOffset == 90 && file.start == date)
        #expect(session.sport?.code == 2 && session.sport?.isIndoor == true && session.distance == 61_234 && session.energy == 45)
        #expect(session.timer == 170_000 && session.end == date + 200_000 && session.averageHeartRate == 143 && session.ascent == 12)
        #expect(file.laps.map(\.maximumHeartRate) == [171] && file.laps.map(\.start) == [date + 100_000])
        #expect(file.pauses == [date + 60_000...date + 90_000])
        #expect(file.intervals == [ActivityFile.Intervals(time: date + 2000, values: [1024, 512])])
        #expect(file.samples.heartRates.last?.rrIntervals == [1024, 512])
        #expect(file.summary.map(\.kind) == [.activity, .distance, .activeEnergy] && file.summary.map(\.value) == [2, 6123, 450])
    }

    @Test("DATA-2: cadence of a sport on foot counts both feet, of another one turns of the crank")
    func cadence() throws {
        for (sport, expected) in [(1, 1715), (2, 858)] as [(Int64, Int32)] {
            var fit = MadeFIT()
            fit.fileID()
            fit.define(1, 20, [(253, 4, 0x86), (4, 1, 2), (53, 1, 2)])
            fit.message(1, [(Int64(MadeFIT.start), 4), (85, 1), (96, 1)])
            fit.define(2, 18, [(5, 1, 0)])
            fit.message(2, [(sport, 1)])
            let file = try ActivityFile.read(fit.file())
            // 85.75 is 85.8 in tenths.
            #expect(abs((file.points[0].cadence ?? 0) - expected) <= 1)
        }
    }

    @Test("DATA-2: heart rates that a sensor stored under water are put at their times, from whole and 12-bit counts")
    func storedHeartRates() throws {
        var fit = MadeFIT.activity(1)
        fit.define(2, 132, [(253, 4, 0x86), (0, 2, 0x84), (9, 4, 0x86), (6, 1, 2)])
        fit.message(2, [(Int64(MadeFIT.start), 4), (16_384, 2), (4000, 4), (120, 1)])
        fit.define(3, 132, [(10, 3, 13), (6, 2, 2)])
        // 5,024 and 6,048 in their last twelve bits: 928 and 1952.
        fit.message(3, [(Int64(928 | 1952 << 12), 3), (121 | 122 << 8, 2)])
        let file = try ActivityFile.read(fit.file()), date = Milliseconds(MadeFIT.start + 631_065_600) * 1000 + 500
        #expect(file.heartRates.map(\.time) == [date, date + 1000, date + 2000])
        #expect(file.heartRates.map(\.beatsPerMinute) == [120, 121, 122] && file.problems.isEmpty)
        #expect(file.samples.heartRates.map(\.beatsPerMinute) == [140], "the point's own go first")
    }

    @Test("DATA-2: times that count from switching on get their date from the clock on the wall, or none, which is said")
    func relativeTimes() throws {
        func made(_ isDated: Bool) -> [UInt8] {
            var fit = MadeFIT()
            fit.fileID()
            fit.define(1, 20, [(253, 4, 0x86), (3, 1, 2)])
            for index in 0..<3 { fit.message(1, [(5000 + Int64(index), 4), (100, 1)]) }
            fit.define(2, 34, [(253, 4, 0x86), (5, 4, 0x86)])
            if isDated { fit.message(2, [(5002, 4), (Int64(MadeFIT.start) + 3600, 4)]) }
            return fit.file()
        }
        let dated = try ActivityFile.read(made(true)) { $0 - 3_600_000 }
        #expect(dated.points.first?.time == Milliseconds(MadeFIT.start - 2 + 631_065_600) * 1000 && dated.problems.isEmpty)
        for file in [try ActivityFile.read(made(false)), try ActivityFile.read(made(true)) { _ in nil }] {
            #expect(file.points.count == 3 && file.points.allSatisfy { $0.time == nil } && problems(file) == [.relativeTime])
        }
    }

    @Test("DATA-2: several FIT files one behind the other are one activity")
    func chained() throws {
        var second = MadeFIT()
        second.fileID()
        second.define(5, 20, MadeFIT.record)
        for index in 10..<15 { second.point(index, local: 5) }
        let bytes = MadeFIT.activity(10).file() + second.file(headerSize: 12)
        let file = try ActivityFile.read(bytes)
        #expect(file.points.count == 15 && file.problems.isEmpty)
        let filled = try ActivityFile.read(bytes + [UInt8](repeating: 0, count: 100))
        #expect(filled == file, "blocks of memory are filled up")
        let behind = try ActivityFile.read(bytes + Array("something else behind it".utf8))
        #expect(behind.points.count == 15 && behind.problems.map(\.code) == [.header] && behind.problems.map(\.detail) == ["24"])
    }
}

@Suite struct FITDamageTests {
    @Test("DATA-2: a FIT file that is cut anywhere gives the points before the cut, and says how much is missing", arguments: 0..<40)
    func cut(step: Int) throws {
        let whole = MadeFIT.activity(100).file(), before = whole.count - 100 * 22 - 2
        let length = before + 22 * step + step % 22
        let file: ActivityFile
        do { file = try ActivityFile.read(Array(whole.prefix(length))) } catch {
            #expect(step == 0, "\(error)")
            return
        }
        #expect(file.points.count == step && problems(file).allSatisfy { $0 == .cut })
        #expect(file.problems.first?.detail == "\(whole.count - length)" && file.problems.first?.place == .byte(length))
    }

    @Test("DATA-2: a recording that was never ended, with a header that says nothing, is read")
    func unfinished() throws {
        let file = try ActivityFile.read(Array(MadeFIT.activity(50).file(size: 0).dropLast(2)))
        #expect(file.points.count == 50 && problems(file) == [.cut])
        let short = try ActivityFile.read(MadeFIT.activity(50).file(size: 300))
        #expect(short.points.count == 50 && problems(short).contains(.checksum), "a size that is too small")
    }

    @Test("DATA-2: a wrong checksum is said, and the points are kept")
    func checksum() throws {
        var bytes = MadeFIT.activity(10).file()
        bytes[bytes.count - 1] ^= 1
        let file = try ActivityFile.read(bytes)
        #expect(file.points.count == 10 && problems(file) == [.checksum] && file.problems[0].place == .byte(bytes.count - 2))
    }

    @Test("DATA-2: a header with one wrong byte is read, with several it is none", arguments: [0, 4, 8, 11, 12])
    func header(index: Int) throws {
        var bytes = MadeFIT.activity(10).file()
        bytes[index] ^= 0x55
        let file = try ActivityFile.read(bytes)
        #expect(file.points.count == 10 && problems(file).contains(.header), "\(index)")
        bytes[0] = 200
        bytes[8] = 0
        #expect(throws: ActivityProblem.self) { try ActivityFile.read(bytes) }
    }

    @Test(
        "DATA-2: behind a lost byte the next points are read, without the one it fell in, and what could not be read is counted",
        arguments: 1..<9)
    func lostByte(offset: Int) throws {
        var fit = MadeFIT()
        fit.fileID()
        // The time comes last, and is read wrongly where a byte before it is lost.
        fit.define(1, 20, [(0, 4, 0x85), (1, 4, 0x85), (253, 4, 0x86)])
        for index in 0..<200 {
            fit.message(1, [(MadeFIT.semicircles(45), 4), (MadeFIT.semicircles(9.1), 4), (Int64(MadeFIT.start) + Int64(index), 4)])
        }
        let record = fit.data.count - 100 * 13
        fit.data.remove(at: record + offset)
        let file = try ActivityFile.read(fit.file()), times = file.points.compactMap(\.time)
        #expect((198...199).contains(file.points.count), "\(file.points.count)")
        #expect(problems(file).contains(.unread) && file.problems.first { $0.code == .unread }.map { $0.count < 100 } == true)
        #expect(times.last == Milliseconds(MadeFIT.start + 199 + 631_065_600) * 1000 && times == times.sorted())
    }

    @Test("DATA-2: a FIT file of another type is refused with its type; no file and other files are refused as what they are")
    func refused() {
        func problem(_ bytes: [UInt8]) -> ActivityProblem? {
            do throws(ActivityProblem) {
                _ = try ActivityFile.read(bytes)
                return nil
            } catch { return error }
        }
        var settings = MadeFIT()
        settings.fileID(2)
        #expect(problem(settings.file())?.code == .notActivity && problem(settings.file())?.detail == "2")
        var empty = MadeFIT()
        empty.fileID()
        #expect(problem(empty.file())?.code == .noPoints)
        #expect(problem([])?.code == .empty && problem(Array(" \n".utf8))?.code == .empty)
        #expect(problem([0x1F, 0x8B, 8, 0])?.code == .compressed && problem(Array("PK\u{3}\u{4}".utf8))?.code == .compressed)
        #expect(problem(Array("<html></html>".utf8))?.code == .unknownFormat && problem(Array("time,rate".utf8))?.code == .unknownFormat)
        #expect(problem([0xFF, 0xFE, 0x3C, 0])?.code == .notUTF8)
    }

    @Test("DATA-2: points beyond the most that are taken are left out and counted")
    func tooMany() throws {
        var fit = MadeFIT()
        fit.fileID()
        fit.define(1, 20, [(3, 1, 2)])
        let count = ActivityFile.Limits.pointsMax + 1000
        fit.data += (0..<count).flatMap { _ in [1, 100] as [UInt8] }
        let file = try ActivityFile.read(fit.file())
        #expect(file.points.count == ActivityFile.Limits.pointsMax)
        #expect(file.problems.first { $0.code == .tooManyPoints }?.count == 1000)
    }
}
