internal import Vitals

/// Writes a workout in Garmin's Training Center Database, version 2, with Activity Extension 2 for speed, running cadence and power.
///
/// TCX knows running, biking and other sports alone; it holds no temperature, course, error or RR interval. Each lap holds the points from
/// its start to the next lap's; without laps, one holds all. Points without a time are left out: the schema demands it.
public enum TCXWriter {
    public static let mediaType = "application/vnd.garmin.tcx+xml"
    public static let fileExtension = "tcx"

    private static let head: StaticString = """
        <?xml version="1.0" encoding="UTF-8"?>
        <TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2" \
        xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:ns3="http://www.garmin.com/xmlschemas/ActivityExtension/v2">
        <Activities>

        """

    /// The whole file, in proportion to the points: about 300 bytes for each.
    public static func write(_ activity: ActivityFile) -> [UInt8] {
        var writer = TCXDocument(activity)
        writer.buffer.append(head)
        writer.activity()
        writer.buffer.append("</Activities>\n</TrainingCenterDatabase>\n")
        return writer.buffer
    }
}

private struct TCXDocument {
    var buffer: [UInt8] = []
    private let file: ActivityFile
    private var utc = UTCText()
    private let isOnFoot: Bool
    private let segments: Set<Int>

    init(_ file: ActivityFile) {
        self.file = file
        segments = Set(file.segments)
        isOnFoot = file.sport?.isOnFoot == true
    }

    mutating func activity() {
        let sport = file.sport?.code
        buffer.append("<Activity Sport=\"")
        buffer.append(sport == 2 ? "Running" : sport == 3 ? "Biking" : "Other")
        buffer.append("\">\n")
        time("Id", file.start ?? 0)
        var next = 0
        let laps = file.laps.isEmpty ? [file.totals] : file.laps
        for (index, lap) in laps.enumerated() {
            let end = index + 1 < laps.count ? laps[index + 1].start ?? .max : .max
            self.lap(lap, until: end, &next)
        }
        if let device = file.device {
            buffer.append("<Creator xsi:type=\"Device_t\"><Name>")
            buffer.append(xml: device)
            buffer.append("</Name><UnitId>0</UnitId><ProductID>0</ProductID><Version><VersionMajor>0</VersionMajor>")
            buffer.append("<VersionMinor>0</VersionMinor></Version></Creator>\n")
        }
        buffer.append("</Activity>\n")
    }

    private mutating func lap(_ lap: ActivitySection, until end: Milliseconds, _ next: inout Int) {
        buffer.append("<Lap StartTime=\"")
        utc.append(lap.start ?? file.start ?? 0, to: &buffer)
        buffer.append("\">\n")
        number("TotalTimeSeconds", lap.timer ?? lap.elapsed ?? 0, places: 3)
        number("DistanceMeters", lap.distance ?? 0, places: 2)
        number("MaximumSpeed", lap.maximumSpeed.map(Int64.init), places: 2)
        number("Calories", min(lap.energy ?? 0, Int64(UInt16.max)))
        rate("AverageHeartRateBpm", lap.averageHeartRate)
        rate("MaximumHeartRateBpm", lap.maximumHeartRate)
        buffer.append("<Intensity>Active</Intensity><TriggerMethod>Manual</TriggerMethod>\n")
        var isOpen = false
        while next < file.points.count, file.points[next].time.map({ $0 < end }) ?? true {
            defer { next += 1 }
            guard let time = file.points[next].time else { continue }
            if isOpen, segments.contains(next) {
                buffer.append("</Track>\n")
                isOpen = false
            }
            if !isOpen { buffer.append("<Track>\n") }
            isOpen = true
            point(file.points[next], time)
        }
        if isOpen { buffer.append("</Track>\n") }
        if let power = lap.averagePower {
            buffer.append("<Extensions><ns3:LX>")
            number("ns3:AvgWatts", Int64(power))
            buffer.append("</ns3:LX></Extensions>\n")
        }
        buffer.append("</Lap>\n")
    }

    /// In the order of the schema.
    private mutating func point(_ point: ActivityPoint, _ instant: Milliseconds) {
        buffer.append("<Trackpoint>")
        time("Time", instant)
        if let place = point.place {
            buffer.append("<Position>")
            number("LatitudeDegrees", Int64(place.latitude), places: 7)
            number("LongitudeDegrees", Int64(place.longitude), places: 7)
            buffer.append("</Position>")
        }
        number("AltitudeMeters", point.altitude.map(Int64.init), places: 1)
        number("DistanceMeters", point.distance.map(Int64.init), places: 2)
        rate("HeartRateBpm", point.heartRate)
        // Whole turns or strides, of which each is two steps.
        let turns = point.cadence.map { min(254, (Int64($0) + (isOnFoot ? 10 : 5)) / (isOnFoot ? 20 : 10)) }
        if !isOnFoot { number("Cadence", turns) }
        let stride = isOnFoot ? turns : nil
        if point.speed != nil || stride != nil || point.power != nil {
            buffer.append("<Extensions><ns3:TPX>")
            number("ns3:Speed", point.speed.map(Int64.init), places: 2)
            number("ns3:RunCadence", stride)
            number("ns3:Watts", point.power.map(Int64.init))
            buffer.append("</ns3:TPX></Extensions>")
        }
        buffer.append("</Trackpoint>\n")
    }

    // MARK: Elements

    private mutating func number(_ name: StaticString, _ value: Int64?, places: Int = 0) {
        guard let value else { return }
        tag("<", name)
        buffer.append(fixed: value, places: places)
        tag("</", name)
    }

    /// The schema has no rate of 0, and none above 255.
    private mutating func rate(_ name: StaticString, _ rate: UInt16?) {
        guard let rate, (1...255).contains(rate) else { return }
        tag("<", name)
        number("Value", Int64(rate))
        tag("</", name)
    }

    private mutating func time(_ name: StaticString, _ time: Milliseconds) {
        tag("<", name)
        utc.append(time, to: &buffer)
        tag("</", name)
    }

    private mutating func tag(_ start: StaticString, _ name: StaticString) {
        buffer.append(start)
        buffer.append(name)
        buffer.append(UInt8(ascii: ">"))
    }
}
