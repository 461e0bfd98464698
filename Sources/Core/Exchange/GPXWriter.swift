public import Vitals

/// GPX 1.1 with Garmin's TrackPointExtension v2 for heart rate, speed and course.
///
/// A pause of more than ``segmentGap`` begins a new `trkseg`, one of more than ``trackGap`` (and a change from live to replay, import or
/// drill, which `src` names) a new `trk`: an outing is a track. A point carries the heart rate that is nearest in time, within
/// ``heartRateDistance``, unless it is no reading or above the extension's 255. Heart rates without a position have no place in GPX.
public struct GPXWriter: SampleWriter {
    public static let mediaType = "application/gpx+xml"
    public static let fileExtension = "gpx"
    public static let passes: [[DataKind]] = [[.heartRate, .position]]

    /// Two minutes.
    public static let segmentGap: Milliseconds = 120_000
    /// Half an hour.
    public static let trackGap: Milliseconds = 1_800_000
    /// One second.
    public static let heartRateDistance: Milliseconds = 1000

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
    /// What tracks are called, in a file of several people's; nil: by when they begin.
    private let track: String?
    private let parts: Parts?
    private var utc = UTCText()
    /// The last point; nil before the first.
    private var last: (time: Milliseconds, provenance: Provenance)?
    private var heartRates = NearestHeartRate(within: heartRateDistance)

    /// - Parameters:
    ///   - name: the name of the file, as the person knows it.
    ///   - created: when it is made, UTC.
    public init(name: String, created: Milliseconds) {
        (self.name, self.created) = (name, created)
        (track, parts) = (nil, nil)
    }

    /// One person's tracks in a file of several: its head and its end are written by a writer of the file, around them.
    /// - Parameter parts: what may be shown of a stretch; nil for all of it.
    public init(track: String, parts: Parts? = nil) {
        (name, created) = ("", 0)
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
        for part in parts?(samples.positions) ?? [samples.positions] {
            // What lies between two parts is not shown: not as a line either.
            var isNew = parts != nil
            for position in part {
                step(to: position.time, provenance, isNew: isNew, &buffer)
                isNew = false
                append(position, heartRate: heartRates.nearest(position.time, in: samples.heartRates), &buffer)
            }
        }
        heartRates.end(samples.heartRates)
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

    private mutating func append(_ position: PositionSample, heartRate: HeartRateSample?, _ buffer: inout [UInt8]) {
        buffer.append("<trkpt lat=\"")
        buffer.append(fixed: Int64(position.latitude), places: 7)
        buffer.append("\" lon=\"")
        buffer.append(fixed: Int64(position.longitude), places: 7)
        buffer.append("\">")
        element("ele", position.altitude, places: 1, &buffer)
        buffer.append("<time>")
        utc.append(position.time, to: &buffer)
        buffer.append("</time>")
        if let mode = position.mode.exportName {
            buffer.append("<fix>")
            buffer.append(mode)
            buffer.append("</fix>")
        }
        let rate = heartRate.flatMap { $0.isReading && $0.beatsPerMinute <= 255 ? Int32($0.beatsPerMinute) : nil }
        if rate != nil || position.speed != nil || position.course != nil {
            buffer.append("<extensions><gpxtpx:TrackPointExtension>")
            element("gpxtpx:hr", rate, places: 0, &buffer)
            element("gpxtpx:speed", position.speed, places: 2, &buffer)
            element("gpxtpx:course", position.course, places: 2, &buffer)
            buffer.append("</gpxtpx:TrackPointExtension></extensions>")
        }
        buffer.append("</trkpt>\n")
    }

    private func element(_ name: StaticString, _ value: Int32?, places: Int, _ buffer: inout [UInt8]) {
        guard let value else { return }
        buffer.append(UInt8(ascii: "<"))
        buffer.append(name)
        buffer.append(UInt8(ascii: ">"))
        buffer.append(fixed: Int64(value), places: places)
        buffer.append("</")
        buffer.append(name)
        buffer.append(UInt8(ascii: ">"))
    }
}

/// Finds the heart rate that is nearest to a position, both going forward in time. The last one of a call is kept for the next.
private struct NearestHeartRate: Sendable {
    private let within: Milliseconds
    private var kept: HeartRateSample?
    private var next = 0

    init(within: Milliseconds) { self.within = within }

    mutating func begin() { next = 0 }

    mutating func end(_ heartRates: [HeartRateSample]) { kept = heartRates.last ?? kept }

    mutating func nearest(_ time: Milliseconds, in heartRates: [HeartRateSample]) -> HeartRateSample? {
        while next < heartRates.count, heartRates[next].time < time { next += 1 }
        var nearest: HeartRateSample?, least = UInt64(within) + 1
        func look(at sample: HeartRateSample?) {
            guard let sample else { return }
            let distance = sample.time < time ? time &- sample.time : sample.time &- time
            if UInt64(bitPattern: distance) < least { (nearest, least) = (sample, UInt64(bitPattern: distance)) }
        }
        look(at: next > 0 ? heartRates[next - 1] : kept)
        look(at: next < heartRates.count ? heartRates[next] : nil)
        return nearest
    }
}
