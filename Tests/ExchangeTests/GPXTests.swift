import Exchange
import Foundation
import Testing
import Vitals

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite struct GPXTests {
    private func points(_ times: [Milliseconds]) -> [PositionSample] {
        times.map { PositionSample(time: someTime + $0, latitude: 454_642_035, longitude: -91_899_820) }
    }

    private func read(_ samples: SampleSet, pieceSize: Int = .max, from provenance: Provenance = .live, name: String = "A run") throws
        -> GPXReader
    {
        let file = try GPXWriter(name: name, created: someTime).file(of: samples, pieceSize: pieceSize, from: provenance)
        return try GPXReader(file)
    }

    @Test("DATA-9: GPX holds every position with its time, height, speed and course", arguments: 0..<6 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        let samples = SampleSet.madeUp(seed: seed)
        let gpx = try read(samples, pieceSize: [1, 7, .max][Int(seed % 3)])
        let points = gpx.tracks.flatMap { $0 }.flatMap { $0 }
        #expect(points.map(\.position) == samples.positions.map(\.inGPX))
    }

    @Test("DATA-9: a pause splits a GPX track into segments, a long one, or time going back, into tracks, in pieces or at once")
    func gaps() throws {
        let samples = SampleSet(positions: points([0, 1000, 121_000, 242_000, 243_000, 2_043_000, 3_843_001, 3_844_000, 3_800_000]))
        for size in [1, .max] {
            let gpx = try read(samples, pieceSize: size)
            #expect(gpx.tracks.map { $0.map(\.count) } == [[3, 2, 1], [2], [1]])
        }
        #expect(try read(SampleSet()).tracks.isEmpty)
    }

    @Test("DATA-9: a GPX track says whether it was live, imported, replayed or a drill, and a change begins a new one")
    func provenance() throws {
        var writer = GPXWriter(name: "A run", created: someTime), buffer: [UInt8] = []
        writer.begin(&buffer)
        writer.append(SampleSet(positions: points([0, 1000])), from: .live, to: &buffer)
        writer.append(SampleSet(positions: points([2000])), from: .drill, to: &buffer)
        writer.end(&buffer)
        let gpx = try GPXReader(buffer)
        #expect(gpx.sources == ["live", "drill"] && gpx.tracks.map { $0.map(\.count) } == [[2], [1]])
    }

    @Test("DATA-9: a GPX point carries the nearest heart rate within a second, and none that is no reading")
    func heartRates() throws {
        func rate(_ time: Milliseconds, _ bpm: UInt16, _ contact: SensorContact = .detected) -> HeartRateSample {
            HeartRateSample(time: someTime + time, beatsPerMinute: bpm, contact: contact)
        }
        let samples = SampleSet(
            heartRates: [
                rate(-900, 60), rate(400, 61), rate(2600, 62), rate(9000, 0), rate(10_000, 70, .notDetected), rate(11_000, 256),
                rate(12_000, 255),
                rate(14_001, 80),
            ], positions: points([0, 1000, 2000, 3700, 9000, 10_000, 11_000, 12_000, 13_000]))
        let expected: [Int?] = [61, 61, 62, nil, nil, nil, nil, 255, 255]
        #expect(try read(samples).tracks.flatMap { $0 }.flatMap { $0 }.map(\.heartRate) == expected)
        // The last heart rate of one piece belongs to the first position of the next.
        var writer = GPXWriter(name: "", created: someTime), buffer: [UInt8] = []
        writer.begin(&buffer)
        writer.append(SampleSet(heartRates: [rate(0, 66)]), from: .live, to: &buffer)
        writer.append(SampleSet(positions: points([500, 1500])), from: .live, to: &buffer)
        writer.end(&buffer)
        #expect(try GPXReader(buffer).tracks.flatMap { $0 }.flatMap { $0 }.map(\.heartRate) == [66, nil])
    }

    @Test(
        "DATA-9: any name leaves GPX well-formed",
        arguments: ["Ada & Bob <x>", "\"quoted\" ]]>", "nul\u{0} bell\u{7} \u{FFFE}", "città 🏃", "\r\n\t"])
    func names(name: String) throws {
        let gpx = try read(SampleSet(positions: points([0])), name: name)
        let expected = String(
            String.UnicodeScalarView(
                name.unicodeScalars.map { scalar in
                    "\t\r\n".unicodeScalars.contains(scalar) || (scalar.value >= 0x20 && scalar.value != 0xFFFE) ? scalar : "\u{FFFD}"
                }))
        #expect(gpx.name == expected)
    }

    @Test(
        "DATA-9: a second reader (xmllint) finds GPX well-formed", .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/xmllint")))
    func secondReader() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "exchange-\(UUID()).gpx")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(try GPXWriter(name: "Ada & <Bob>\u{0}", created: someTime).file(of: .madeUp(seed: 5), pieceSize: 9)).write(to: file)
        let xmllint = Process()
        xmllint.executableURL = URL(filePath: "/usr/bin/xmllint")
        xmllint.arguments = ["--noout", "--nonet", file.path()]
        try xmllint.run()
        xmllint.waitUntilExit()
        #expect(xmllint.terminationStatus == 0)
    }
}

extension PositionSample {
    /// What GPX keeps: not the error, and not where the position comes from.
    fileprivate var inGPX: PositionSample {
        var sample = self
        (sample.horizontalError, sample.source) = (nil, .gnss)
        return sample
    }
}

/// Reads GPX by its elements, and checks their order (GPX 1.1, wptType; TrackPointExtension v2).
final class GPXReader: NSObject, XMLParserDelegate {
    struct Point {
        var position: PositionSample
        var heartRate: Int?
        /// What the extension's other elements say, by their names.
        var measured: [String: String] = [:]
    }

    var name = ""
    var sources: [String] = []
    /// Tracks of segments of points.
    var tracks: [[[Point]]] = []
    private var path: [String] = [], text = "", order: [String] = [], problem: String?

    init(_ file: [UInt8]) throws {
        super.init()
        let parser = XMLParser(data: Data(file))
        parser.delegate = self
        try #require(parser.parse(), "\(String(describing: parser.parserError))")
        try #require(problem == nil, "\(problem ?? "")")
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?, attributes: [String: String]
    ) {
        path.append(name)
        text = ""
        switch name {
        case "gpx":
            if attributes["version"] != "1.1" || attributes["xmlns"] != "http://www.topografix.com/GPX/1/1" { problem = "no GPX 1.1" }
            if attributes["xmlns:gpxtpx"] != "http://www.garmin.com/xmlschemas/TrackPointExtension/v2" { problem = "no extension v2" }
        case "trk": tracks.append([])
        case "trkseg": tracks[tracks.count - 1].append([])
        case "trkpt":
            order = []
            let latitude = Double(attributes["lat"] ?? "") ?? .nan, longitude = Double(attributes["lon"] ?? "") ?? .nan
            let position = PositionSample(
                time: 0, latitude: Int32(exactly: (latitude * 1e7).rounded()) ?? .max,
                longitude: Int32(exactly: (longitude * 1e7).rounded()) ?? .max, mode: .unknown)
            tracks[tracks.count - 1][tracks[tracks.count - 1].count - 1].append(Point(position: position))
        default: break
        }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        path.removeLast()
        if path.last == "metadata", name == "name" { self.name = text }
        if path.last == "trk", name == "src" { sources.append(text) }
        guard path.contains("trkpt") else {
            if name == "trkpt" {
                let measured = ["atemp", "wtemp", "depth", "hr", "cad", "speed", "course"].map { "gpxtpx:\($0)" }
                let all = ["ele", "time", "fix"] + measured + ["gpxtpx:TrackPointExtension", "extensions"]
                let places = order.map { all.firstIndex(of: $0) ?? -1 }
                if places != places.sorted() || places.contains(-1) { problem = "elements in the order \(order)" }
            }
            return
        }
        order.append(name)
        let track = tracks.count - 1, segment = tracks[track].count - 1, last = tracks[track][segment].count - 1
        func scaled(_ places: Double) -> Int32? { Double(text).flatMap { Int32(exactly: ($0 * places).rounded()) } }
        var point = tracks[track][segment][last]
        switch name {
        case "ele": point.position.altitude = scaled(10)
        case "time": point.position.time = (try? milliseconds(text)) ?? -1
        case "fix": point.position.mode = text == "2d" ? .twoDimensional : .threeDimensional
        case "gpxtpx:hr": point.heartRate = Int(text)
        case "gpxtpx:speed": point.position.speed = scaled(100)
        case "gpxtpx:course": point.position.course = scaled(100)
        default: if name.hasPrefix("gpxtpx:") { point.measured[String(name.dropFirst(7))] = text }
        }
        tracks[track][segment][last] = point
    }
}
