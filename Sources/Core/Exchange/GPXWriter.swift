public import Vitals

/// GPX 1.1 with Garmin's TrackPointExtension v2 for heart rate, speed, course, and those scalar kinds whose row of the table names an element
/// of it (``KindEntry/trackPoint``: cadence and speed). Other scalars are left out: GPX has nothing that means them.
///
/// A pause of more than ``segmentGap`` begins a new `trkseg`, one of more than ``trackGap`` (and a change from live to replay, import or
/// drill, which `src` names) a new `trk`: an outing is a track. A point carries the heart rate that is nearest in time, within
/// ``heartRateDistance``, unless it is no reading or above the extension's 255. Heart rates without a position have no place in GPX. The same
/// holds for scalars, within ``scalarDistance``.
public struct GPXWriter: SampleWriter {
    public static let mediaType = "application/gpx+xml"
    public static let fileExtension = "gpx"
    public static let passes: [[DataKind]] = [[.heartRate, .position] + DataKind.scalars.filter { $0.entry.trackPoint != nil }]

    /// Two minutes.
    public static let segmentGap: Milliseconds = 120_000
    /// Half an hour.
    public static let trackGap: Milliseconds = 1_800_000
    /// One second.
    public static let heartRateDistance: Milliseconds = 1000
    /// Two seconds: sensors of cadence and speed send once in one to two.
    public static let scalarDistance: Milliseconds = 2000

    private static let head: StaticString = """
        <?xml version="1.0" encoding="UTF-8"?>
        <gpx version="1.1" creator="TrackMe" xmlns="http://www.topografix.com/GPX/1/1" \
        xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
        xsi:schemaLocation="http://www.topografix.com/GPX/1/1 http://www.topografix.com/GPX/1/1/gpx.xsd \
        http://www.garmin.com/xmlschemas/TrackPointExtension/v2 https://www8.garmin.com/xmlschemas/TrackPointExtensionv2.xsd">
        <metadata>
        """

    /// One of a file's parts as it may be shown, without lines through what is left out.
    public typealias Parts = @Sendable ([PositionSample]) -> [[PositionSample]]

    private let name: String
    private let created: Milliseconds
    /// The name of tracks, in a file of several people's; nil: by when they begin.
    private let track: String?
    private let parts: Parts?
    private var utc = UTCText()
    /// The last point; nil before the first.
    private var last: (time: Milliseconds, provenance: Provenance)?
    private var heartRates = NearestSample<HeartRateSample>(within: heartRateDistance)
    /// Which kind an element carries.
    private let elements: [DataKind: KindEntry.TrackPointElement]
    private var scalars: [DataKind: NearestSample<ScalarSample>] = [:]

    /// By the table of kinds.
    static let elements = DataKind.scalars.reduce(into: [:]) { $0[$1] = $1.entry.trackPoint }

    /// - Parameters:
    ///   - name: the name of the file, as the person knows it.
    ///   - created: when it is made, UTC.
    public init(name: String, created: Milliseconds) { self.init(name: name, created: created, elements: Self.elements) }

    init(name: String, created: Milliseconds, elements: [DataKind: KindEntry.TrackPointElement]) {
        (self.name, self.created, self.elements) = (name, created, elements)
        (track, parts) = (nil, nil)
    }

    /// One person's tracks in a file of several: its head and its end are written by a writer of the file, around them.
    /// - Parameter parts: what may be shown of a stretch; nil for all of it.
    public init(track: String, parts: Parts? = nil) {
        (name, created, elements) = ("", 0, Self.elements)
        (self.track, self.parts) = (track, parts)
    }

    public mutating func begin(_ buffer: inout [UInt8]) {
        guard track == nil else { return }
        buffer.append(Self.head)
        buffer.append("<name>")
        buffer.append(xml: name)
        buffer.append("</name><time>")
        utc.append(created, to: &buffer)
        buffer.append("</time></metadata>\n")
    }

    public mutating func append(_ samples: SampleSet, from provenance: Provenance, to buffer: inout [UInt8]) {
        heartRates.begin()
        let byKind = samples.scalars.byKind.filter { elements[$0.kind] != nil }
        for kind in scalars.keys { scalars[kind]?.begin() }
        for (kind, _) in byKind where scalars[kind] == nil { scalars[kind] = NearestSample(within: Self.scalarDistance) }
        let lists = Dictionary(uniqueKeysWithValues: byKind.map { ($0.kind, $0.samples) })
        for part in parts?(samples.positions) ?? [samples.positions] {
            // The stretch between two parts is not shown: not as a line either.
            var isNew = parts != nil
            for position in part {
                step(to: position.time, provenance, isNew: isNew, &buffer)
                isNew = false
                let rate = heartRates.nearest(position.time, in: samples.heartRates)
                append(position, heartRate: rate, beside(position, lists), &buffer)
            }
        }
        heartRates.end(samples.heartRates)
        for kind in scalars.keys { scalars[kind]?.end(lists[kind] ?? []) }
    }

    public mutating func end(_ buffer: inout [UInt8]) {
        if last != nil { buffer.append("</trkseg></trk>\n") }
        if track == nil { buffer.append("</gpx>\n") }
    }

    /// Begins a track or a segment where one is due.
    private mutating func step(to time: Milliseconds, _ provenance: Provenance, isNew: Bool, _ buffer: inout [UInt8]) {
        defer { last = (time, provenance) }
        if let last {
            let (pause, overflow) = time.subtractingReportingOverflow(last.time)
            if !overflow, !isNew, (0...Self.segmentGap).contains(pause), provenance == last.provenance { return }
            if !overflow, (0...Self.trackGap).contains(pause), provenance == last.provenance {
                return buffer.append("</trkseg>\n<trkseg>\n")
            }
            buffer.append("</trkseg></trk>\n")
        }
        buffer.append("<trk><name>")
        if let track { buffer.append(xml: track) } else { utc.append(time, to: &buffer) }
        buffer.append("</name><src>")
        buffer.append(provenance.exportName)
        buffer.append("</src><trkseg>\n")
    }

    /// The elements of a point with their values in 10^-places, from scalars that were measured near it.
    private mutating func beside(
        _ position: PositionSample, _ lists: [DataKind: [ScalarSample]]
    ) -> [KindEntry.TrackPointElement: (value: Int64, places: Int)] {
        var found: [KindEntry.TrackPointElement: (value: Int64, places: Int)] = [:]
        for kind in scalars.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
            guard let element = elements[kind], let sample = scalars[kind]?.nearest(position.time, in: lists[kind] ?? []) else { continue }
            let places = kind.entry.decimals
            guard element == .cadence else {
                found[element] = (sample.value, places)
                continue
            }
            let unit = (0..<places).reduce(1 as Int64) { unit, _ in unit * 10 }, whole = (sample.value + unit / 2) / unit
            if (0...254).contains(whole) { found[element] = (whole, 0) }
        }
        if let speed = position.speed { found[.speed] = (Int64(speed), 2) }
        return found
    }

    private mutating func append(
        _ position: PositionSample, heartRate: HeartRateSample?, _ beside: [KindEntry.TrackPointElement: (value: Int64, places: Int)],
        _ buffer: inout [UInt8]
    ) {
        buffer.append("<trkpt lat=\"")
        buffer.append(fixed: Int64(position.latitude), places: 7)
        buffer.append("\" lon=\"")
        buffer.append(fixed: Int64(position.longitude), places: 7)
        buffer.append("\">")
        element("ele", position.altitude.map(Int64.init), places: 1, &buffer)
        buffer.append("<time>")
        utc.append(position.time, to: &buffer)
        buffer.append("</time>")
        if let mode = position.mode.exportName {
            buffer.append("<fix>")
            buffer.append(mode)
            buffer.append("</fix>")
        }
        let rate = heartRate.flatMap { $0.isReading && $0.beatsPerMinute <= 255 ? Int64($0.beatsPerMinute) : nil }
        if rate != nil || !beside.isEmpty || position.course != nil {
            func measured(_ element: KindEntry.TrackPointElement, _ name: StaticString) {
                if let (value, places) = beside[element] { self.element(name, value, places: places, &buffer) }
            }
            buffer.append("<extensions><gpxtpx:TrackPointExtension>")
            // In the order of the schema.
            measured(.airTemperature, "gpxtpx:atemp")
            measured(.waterTemperature, "gpxtpx:wtemp")
            measured(.depth, "gpxtpx:depth")
            element("gpxtpx:hr", rate, places: 0, &buffer)
            measured(.cadence, "gpxtpx:cad")
            measured(.speed, "gpxtpx:speed")
            element("gpxtpx:course", position.course.map(Int64.init), places: 2, &buffer)
            buffer.append("</gpxtpx:TrackPointExtension></extensions>")
        }
        buffer.append("</trkpt>\n")
    }

    private func element(_ name: StaticString, _ value: Int64?, places: Int, _ buffer: inout [UInt8]) {
        guard let value else { return }
        buffer.append(UInt8(ascii: "<"))
        buffer.append(name)
        buffer.append(UInt8(ascii: ">"))
        buffer.append(fixed: value, places: places)
        buffer.append("</")
        buffer.append(name)
        buffer.append(UInt8(ascii: ">"))
    }
}

/// Finds the sample that is nearest to a position, both going forward in time. The last one of a call is kept for the next.
private struct NearestSample<Sample: TimedSample>: Sendable {
    private let within: Milliseconds
    private var kept: Sample?
    private var next = 0

    init(within: Milliseconds) { self.within = within }

    mutating func begin() { next = 0 }

    mutating func end(_ samples: [Sample]) { kept = samples.last ?? kept }

    mutating func nearest(_ time: Milliseconds, in samples: [Sample]) -> Sample? {
        while next < samples.count, samples[next].time < time { next += 1 }
        var nearest: Sample?, least = UInt64(within) + 1
        func look(at sample: Sample?) {
            guard let sample else { return }
            let distance = sample.time < time ? time &- sample.time : sample.time &- time
            if UInt64(bitPattern: distance) < least { (nearest, least) = (sample, UInt64(bitPattern: distance)) }
        }
        look(at: next > 0 ? samples[next - 1] : kept)
        look(at: next < samples.count ? samples[next] : nil)
        return nearest
    }
}
