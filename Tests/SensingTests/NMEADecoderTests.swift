import Sensing
import Testing
import Vitals

/// A sentence with its checksum and line end.
func sentence(_ body: String) -> String {
    let hex = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
    return "$\(body)*\(hex.count == 1 ? "0" + hex : hex)\r\n"
}

func decode(
    _ text: [UInt8], _ options: NMEADecoder.Options = .init(), chunk: Int = .max
) throws(RecordingRefused) -> (fixes: [NMEAFix], report: NMEAReport) {
    var decoder = NMEADecoder(options: options)
    var fixes: [NMEAFix] = []
    var position = 0
    while position < text.count {
        let end = chunk >= text.count - position ? text.count : position + chunk
        decoder.feed(Array(text[position..<end])) { fixes.append($0) }
        position = end
    }
    try decoder.finish { fixes.append($0) }
    return (fixes, decoder.report)
}

func decode(_ text: String, _ options: NMEADecoder.Options = .init()) throws -> (fixes: [NMEAFix], report: NMEAReport) {
    try decode(Array(text.utf8), options)
}

@Suite struct NMEADecoderTests {
    static let rmc = "GPRMC,123519.250,A,4807.0380,N,01131.0001,W,022.4,084.4,180326,,,A"
    static let gga = "GPGGA,123519.250,4807.0380,N,01131.0001,W,1,08,0.9,545.4,M,46.9,M,,"
    /// 2026-03-18T12:35:19.250Z
    static let time: Milliseconds = 1_773_837_319_250

    @Test("EDGE-3: the sentences of one time make one fix with everything in it")
    func merged() throws {
        let text = sentence(Self.rmc) + sentence(Self.gga) + sentence("GNGSA,A,2,1,2,3,,,,,,,,,,2.0,0.9,1.8")
        let (fixes, report) = try decode(text)
        let fix = try #require(fixes.first)
        #expect(fixes.count == 1 && report.fixes == 1)
        #expect(
            fix.sample
                == PositionSample(
                    time: Self.time, latitude: 481_173_000, longitude: -115_166_683, altitude: 5454, speed: 1152, course: 8440,
                    horizontalError: 45, mode: .twoDimensional))
        #expect(fix.date == .asRecorded)
        #expect(fix.endOffset == Int64(text.utf8.count))
    }

    @Test("EDGE-3: any talker, GNS, GLL, GST, VTG and ZDA are read")
    func kinds() throws {
        let text =
            sentence("BDZDA,120000.00,05,08,2026,00,00") + sentence("GQGNS,120000.00,4739.71870,N,12219.58353,W,NNA,14,1.2,76.5,-21.6,,")
            + sentence("GAGST,120000.00,1.0,,,,3.0,4.0,9.0") + sentence("GLVTG,286.35,T,,M,10.00,N,18.52,K,A")
            + sentence("IIGLL,4739.71880,N,12219.58353,W,120001.00,A,A")
        let fixes = try decode(text).fixes
        #expect(fixes.count == 2)
        #expect(
            fixes.first?.sample
                == PositionSample(
                    time: 1_785_931_200_000, latitude: 476_619_783, longitude: -1_223_263_922, altitude: 765, speed: 514, course: 28_635,
                    horizontalError: 50))
        #expect(fixes.last?.sample.time == 1_785_931_201_000)
    }

    @Test("EDGE-3: coordinates are as exact as their digits")
    func exact() throws {
        func latitude(_ text: String) throws -> Int32? {
            try decode(sentence("GPGLL,\(text),N,00000.0000,E,120000,A,A")).fixes.first?.sample.latitude
        }
        #expect(try latitude("0000.000006") == 1)
        #expect(try latitude("8959.999999999") == 900_000_000)
        #expect(try latitude("4807.0380000000000") == nil)
        #expect(try latitude("4860.0000") == nil)
        #expect(try latitude("9000.0001") == nil)
        #expect(try latitude("9000") == 900_000_000)
        #expect(try latitude("48a7.0") == nil)
    }

    @Test(
        "EDGE-3: no fix is no position",
        arguments: [
            "GPRMC,,V,,,,,,,,,,N", "GPRMC,123519,V,4807.038,N,01131.000,E,,,180326,,,N", "GPGGA,123519,,,,,0,00,,,M,,M,,",
            "GPGGA,123519,4807.038,N,01131.000,E,8,08,0.9,545.4,M,46.9,M,,", "GPGLL,4807.038,N,01131.000,E,123519,V,N",
            "GNGNS,123519,4807.038,N,01131.000,E,NN,08,0.9,545.4,46.9,,",
        ])
    func void(body: String) throws {
        let (fixes, report) = try decode(sentence(body) + sentence("GPGSA,A,1,,,,,,,,,,,,,,,"))
        #expect(fixes.isEmpty)
        #expect(report.sentences == 2)
    }

    @Test("EDGE-3: one sentence without a fix makes the time stamp void")
    func contradiction() throws {
        let (fixes, report) = try decode(sentence(Self.gga) + sentence(Self.rmc.replacing(",A,4807", with: ",V,4807")))
        #expect(fixes.isEmpty && report.voidEpochs == 1)
    }

    @Test("EDGE-10: cut, glued, interrupted and wrong sentences are counted by reason, the whole ones are used")
    func damaged() throws {
        let glued = sentence(Self.rmc).replacing("\r\n", with: "") + sentence(Self.gga)
        let cut = String(sentence(Self.gga).prefix(30)) + sentence(Self.gga)
        let wrong = sentence(Self.gga).replacing("545.4", with: "945.4")
        let (fixes, report) = try decode("\u{1}\u{2}noise\r\n# comment\r\n" + glued + cut + wrong + sentence("GPGSV,1,1,00"))
        #expect(fixes.count == 1 && fixes.first?.sample.altitude == 5454)
        #expect(report[.cutShort] == 1 && report[.badChecksum] == 1 && report[.noise] == 1 && report.comments == 1)
        #expect(report.damaged == 3)
        #expect(report.description.contains("not needed: GPGSV 1"))
        #expect(report.description.contains("skipped: 1 x sentence with a wrong checksum"))
    }

    @Test("EDGE-10: a sentence without a checksum is used when it is complete, as gpsd does")
    func withoutChecksum() throws {
        #expect(try decode("$\(Self.gga)\n").fixes.count == 1)
        #expect(try decode("$\(Self.gga)\n").report.withoutChecksum == 1)
        let error = #expect(throws: RecordingRefused.self) { try decode("$" + Self.rmc.prefix(40) + "\n") }
        #expect(error?.description.contains("not one sentence") == true)
    }

    @Test("EDGE-10: the time of day goes over midnight without a date")
    func midnight() throws {
        let text = sentence("GPRMC,235959,A,4807.038,N,01131.000,E,0,0,311225,,,A") + sentence("GPGLL,4807.038,N,01131.000,E,000000,A,A")
        let fixes = try decode(text).fixes
        #expect(fixes.map(\.sample.time) == [1_767_225_599_000, 1_767_225_600_000])
    }

    @Test("EDGE-10: impossible dates are ignored and told", arguments: ["310226", "001326", "2208-1", "18032", "320126"])
    func impossibleDate(date: String) throws {
        let (fixes, report) = try decode(sentence("GPRMC,123519,A,4807.038,N,01131.000,E,0,0,\(date),,,A"))
        #expect(fixes.map(\.date) == [.missing])
        #expect(fixes.first?.sample.time == 45_319_000)
        #expect(report.datesImpossible == 1)
        #expect(report.description.contains("impossible dates"))
    }

    @Test("EDGE-10: dates that are 1024 weeks off are marked, and corrected only on demand")
    func rollover() throws {
        // 7168 days before 2026-03-18
        let text = sentence("GPRMC,123519.250,A,4807.0380,N,01131.0001,W,022.4,084.4,020806,,,A")
        let floor: Milliseconds = 1_767_225_600_000
        #expect(try decode(text).fixes.first?.date == .asRecorded)
        let marked = try decode(text, .init(notBefore: floor))
        #expect(marked.fixes.first?.date == .beforeFloor)
        #expect(marked.report.description.contains("before the earliest credible date"))
        let corrected = try decode(text, .init(notBefore: floor, correctsWeekRollover: true))
        #expect(corrected.fixes.first?.date == .corrected)
        #expect(corrected.fixes.first?.sample.time == Self.time)
        #expect(corrected.report.description.contains("CORRECTED"))
        let jump = try decode(text + sentence(Self.rmc))
        #expect(jump.report.weekRollovers == 1)
    }

    @Test("EDGE-10: the chunks in which a log is fed change nothing")
    func chunks() throws {
        let long = "$GPXXX," + String(repeating: "9", count: 3000) + "\r\n"
        let text = Array(
            (sentence(Self.rmc) + long + sentence(Self.gga) + "$GPG" + sentence("GPGLL,4807.038,N,01131.000,E,123520,A,A")).utf8)
        let whole = try decode(text)
        #expect(whole.fixes.count == 2 && whole.report[.tooLong] == 1)
        #expect(whole.fixes.first?.endOffset == Int64(text.count - sentence("GPGLL,4807.038,N,01131.000,E,123520,A,A").utf8.count))
        for chunk in [1, 2, 3, 7, 64, 1000, 1025] {
            let parts = try decode(text, chunk: chunk)
            #expect(parts.fixes == whole.fixes && parts.report == whole.report, "chunk \(chunk)")
        }
    }

    @Test("EDGE-10: no cut and no flipped bit of a log crashes or gives a fix of elsewhere")
    func robust() throws {
        let text = Array((sentence(Self.rmc) + sentence(Self.gga)).utf8)
        for length in 0...text.count {
            for fix in (try? decode(Array(text.prefix(length))))?.fixes ?? [] { #expect(fix.sample.latitude == 481_173_000) }
        }
        for bit in 0..<(text.count * 8) {
            var flipped = text
            flipped[bit / 8] ^= 1 << (bit % 8)
            // Only a flip of `*` or of a line end leaves the checksum out of it.
            let fixes = (try? decode(flipped))?.fixes ?? []
            #expect(fixes.allSatisfy { $0.sample.latitude == 481_173_000 && $0.sample.longitude == -115_166_683 })
        }
    }

    @Test(
        "EDGE-10: what is no NMEA log is refused with what it is",
        arguments: [
            ([UInt8](), "empty"), ([0xB5, 0x62, 0x01, 0x07, 92, 0, 1, 2, 3], "UBX"), ([0xA0, 0xA2, 0, 2, 1, 2, 0, 3, 0xB0, 0xB3], "SiRF"),
            ([0xD3, 0x00, 0x13, 0x3E], "RTCM"), (Array("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 3, 0xEA], "Bluetooth capture"),
            (Array("hello\n".utf8), "text without NMEA"), (Array("$GPGGA,1,2*FF\n".utf8), "not one sentence"),
        ])
    func refused(file: [UInt8], says text: String) throws {
        for chunk in [1, Int.max] {
            let error = #expect(throws: RecordingRefused.self) { try decode(file, chunk: chunk) }
            #expect(error?.description.contains(text) == true, "\(String(describing: error))")
        }
    }
}
