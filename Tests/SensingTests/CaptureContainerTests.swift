import Sensing
import Testing
import Vitals

@Suite struct CaptureContainerTests {
    static let session = CaptureBuilding.session([[0x00, 72], [0x16, 75, 0x33, 0x03], [0x01, 0x2C, 0x01]])

    static let files: [(name: String, bytes: [UInt8])] = [
        ("btsnoop H1", CaptureBuilding.btsnoop(session, datalink: 1001)), ("btsnoop H4", CaptureBuilding.btsnoop(session)),
        ("btsnoop monitor", CaptureBuilding.btsnoop(session, datalink: 2001)),
        ("pcap 187", CaptureBuilding.pcap(session, linkType: 187)), ("pcap 201", CaptureBuilding.pcap(session, linkType: 201)),
        ("pcap 201 big", CaptureBuilding.pcap(session, linkType: 201, isBig: true)),
        ("pcap 254 nano", CaptureBuilding.pcap(session, linkType: 254, isNano: true)),
        ("pcap 192 big nano", CaptureBuilding.pcap(session, linkType: 192, isBig: true, isNano: true)),
        ("pcapng 201", CaptureBuilding.pcapng(session, linkType: 201)),
        ("pcapng 187 big, ns", CaptureBuilding.pcapng(session, linkType: 187, isBig: true, resolution: 9)),
        ("pcapng 254, 2^-20 s", CaptureBuilding.pcapng(session, linkType: 254, resolution: 0x94)),
    ]

    @Test("EDGE-10: every container gives the same readings at the same times", arguments: files.indices)
    func containers(index: Int) throws {
        let (events, reader) = try read(Self.files[index].bytes)
        let base = CaptureBuilding.start / 1000
        let expected: [HeartRateEvent] = [
            .bodyLocation(1, time: base + 4000), .connected(time: base + 5000),
            .measurement(HeartRateSample(time: base + 5000, beatsPerMinute: 72)),
            .measurement(HeartRateSample(time: base + 6000, beatsPerMinute: 75, contact: .detected, rrIntervals: [819])),
            .measurement(HeartRateSample(time: base + 7000, beatsPerMinute: 300)),
        ]
        #expect(events.map(\.event) == expected, "\(Self.files[index].name)\n\(reader.report)")
        #expect(events.last?.endOffset == Int64(Self.files[index].bytes.count))
        #expect(reader.report.measurements == 3)
        #expect(reader.report.damaged == 0)
        #expect(reader.report[.unknownBlock] == (Self.files[index].name.hasPrefix("pcapng") ? 1 : 0))
    }

    @Test("EDGE-10: the chunks in which a capture is fed change nothing", arguments: files.indices)
    func chunks(index: Int) throws {
        let file = Self.files[index].bytes, whole = try read(file)
        for chunk in [1, 2, 3, 7, 16, 100] {
            let parts = try read(file, chunk: chunk)
            #expect(parts.events == whole.events)
            #expect(parts.reader.report == whole.reader.report)
        }
    }

    @Test("EDGE-10: a capture cut at any byte gives the readings before the cut, and says that it is cut", arguments: files.indices)
    func cuts(index: Int) throws {
        let file = Self.files[index].bytes, whole = try read(file).events
        for length in 0..<file.count {
            do {
                let (events, reader) = try read(Array(file.prefix(length)))
                #expect(events == whole.filter { $0.endOffset <= Int64(length) })
                let isBetweenRecords = reader.report[.cutAtEnd] == 0
                #expect(isBetweenRecords || reader.report.description.contains("cut short by the end"))
            } catch {
                // Only a header can be refused, and says why.
                #expect(length < 60 && !error.description.isEmpty)
            }
        }
    }

    @Test("EDGE-10: no flipped bit crashes", arguments: files.indices)
    func flips(index: Int) {
        let file = Self.files[index].bytes
        for bit in 0..<(file.count * 8) {
            var flipped = file
            flipped[bit / 8] ^= 1 << (bit % 8)
            _ = try? read(flipped)
        }
    }

    @Test(
        "EDGE-10: what is no capture is refused with what it is",
        arguments: [
            ([UInt8](), "empty"), (Array("btsn".utf8), "cut short"), (Array("$GPRMC,,V,,,,,,,,,,N*53\r\n".utf8), "NMEA"),
            ([UInt8](repeating: 0, count: 100), "zero"), (Array("btsnoop\0".utf8) + [0, 0, 0, 1, 0, 0, 3, 0xEB], "datalink 1003"),
            (Array("btsnoop\0".utf8) + [0, 0, 0, 2, 0, 0, 3, 0xEA], "version 2"),
            (CaptureBuilding.pcap([], linkType: 1), "link type 1"), (CaptureBuilding.pcapng([], linkType: 1), "link types 1"),
            ([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0], "gzip"), ([0x0A, 0x0D, 0x0D, 0x0A, 0, 0], "header"),
        ])
    func refused(file: [UInt8], says text: String) throws {
        for chunk in [1, Int.max] {
            let error = #expect(throws: RecordingRefused.self) { try read(file, chunk: chunk) }
            #expect(error?.description.contains(text) == true, "\(String(describing: error))")
        }
    }

    @Test("EDGE-10: a damaged record length ends the reading, and says where")
    func damage() throws {
        var file = CaptureBuilding.btsnoop(Self.session)
        let whole = try read(file).events
        let third = try #require(whole.last(where: { $0.endOffset < Int64(file.count) }))
        file[Int(third.endOffset) + 4] = 0x7F
        let (events, reader) = try read(file, chunk: 5)
        #expect(events == whole.filter { $0.endOffset <= third.endOffset })
        #expect(reader.report[.unreadable] == UInt64(file.count) - UInt64(third.endOffset))
        #expect(reader.report.description.contains("damaged at byte \(third.endOffset)"))
    }

    @Test("EDGE-10: formats are told by their first bytes")
    func detection() throws {
        #expect(try RecordingFormat.detect(CaptureBuilding.btsnoop([])) == .btsnoop)
        #expect(try RecordingFormat.detect(CaptureBuilding.pcap([], linkType: 201)) == .pcap)
        #expect(try RecordingFormat.detect(CaptureBuilding.pcapng([], linkType: 201)) == .pcapng)
        #expect(try RecordingFormat.detect(Array("# a log\n$GPGGA,1,2*00\n".utf8)) == .nmea)
        let ubx: [UInt8] = [0xB5, 0x62, 1, 7, 92, 0]
        let error = #expect(throws: RecordingRefused.self) { try RecordingFormat.detect(ubx) }
        #expect(error?.description.contains("UBX") == true)
    }
}
