import Exchange
import Testing
import Vitals

private func read(_ text: String) throws(ActivityProblem) -> ActivityFile { try ActivityFile.read(Array(text.utf8)) }
private func read(_ bytes: some Sequence<UInt8>) throws(ActivityProblem) -> ActivityFile { try ActivityFile.read(Array(bytes)) }

/// Made-up files in XML.
enum MadeActivityXML {
    static func tcx(_ sport: String = "Running", points: Int = 3) -> String {
        func track(_ from: Int) -> String {
            (from..<from + points).map { index in
                """
                <Trackpoint><Time>2026-03-01T08:0\(index / 60):\(index % 60 < 10 ? "0" : "")\(index % 60).250Z</Time>
                <Position><LatitudeDegrees>45.\(400 + index)0001</LatitudeDegrees><LongitudeDegrees>9.1</LongitudeDegrees></Position>
                <AltitudeMeters>120.54</AltitudeMeters><DistanceMeters>\(index).257</DistanceMeters>
                <HeartRateBpm><Value>\(140 + index)</Value></HeartRateBpm>
                <Extensions><ns3:TPX><ns3:Speed>3.125</ns3:Speed><ns3:RunCadence>85</ns3:RunCadence><ns3:Watts>250</ns3:Watts>
                </ns3:TPX></Extensions>
                </Trackpoint>
                """
            }.joined(separator: "\n")
        }
        return """
            <?xml version="1.0"?>
            <TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2" xmlns:xsi="urn:i" xmlns:ns3="urn:e">
            <Activities><Activity Sport="\(sport)"><Id>2026-03-01T08:00:00Z</Id>
            <Lap StartTime="2026-03-01T08:00:00Z"><TotalTimeSeconds>3.5</TotalTimeSeconds><DistanceMeters>10.25</DistanceMeters>
            <MaximumSpeed>3.5</MaximumSpeed><Calories>12</Calories><AverageHeartRateBpm><Value>141</Value></AverageHeartRateBpm>
            <MaximumHeartRateBpm><Value>150</Value></MaximumHeartRateBpm><Intensity>Active</Intensity>
            <Track>\(track(0))</Track></Lap>
            <Lap StartTime="2026-03-01T08:00:30Z"><TotalTimeSeconds>4</TotalTimeSeconds><DistanceMeters>20</DistanceMeters>
            <Calories>8</Calories><Track>\(track(30))</Track>
            <Extensions><ns3:LX><ns3:AvgWatts>240</ns3:AvgWatts></ns3:LX></Extensions></Lap>
            <Creator xsi:type="Device_t"><Name>Made &amp; up</Name></Creator></Activity></Activities>
            </TrainingCenterDatabase>
            """
    }

    static let gpx = """
        \u{FEFF}<?xml version="1.0"?>
        <gpx creator="Made &lt;up&gt;" xmlns:x="urn:x"><metadata><time>2026-03-01T07:00:00Z</time></metadata><wpt lat="1" lon="2"/>
        <trk><name>A</name><type>running</type><trkseg>
        <trkpt lat="45.4000001" lon='-9.10000005'><ele>120.54</ele><time>2026-03-01T08:00:00Z</time><fix>3d</fix><extensions>
        <x:TrackPointExtension><x:atemp>21.5</x:atemp><x:hr>150</x:hr><x:cad>85</x:cad><x:speed>3.1</x:speed><x:course>360</x:course>
        </x:TrackPointExtension><power>250</power></extensions></trkpt>
        <trkpt lat="45.4001" lon="-9.1"><time>2026-03-01T09:00:01.5+01:00</time><extensions><PowerExtension><PowerInWatts>260</PowerInWatts>
        </PowerExtension><heartrate>151</heartrate></extensions></trkpt></trkseg>
        <trkseg><trkpt lat="45.5" lon="-9.1"><time>2026-03-01T08:10:00Z</time></trkpt></trkseg></trk>
        <rte><rtept lat="1" lon="2"/></rte></gpx>
        """
}

@Suite struct TCXReaderTests {
    @Test("DATA-2: TCX gives sport, laps, device, and of each point time, place, height, distance, heart rate, cadence, speed and power")
    func points() throws {
        let file = try read(MadeActivityXML.tcx()), point = file.points[1]
        #expect(file.format == .tcx && file.problems.isEmpty && file.points.count == 6 && file.segments == [0, 3])
        #expect(file.sport?.code == 2 && file.device == "Made & up" && file.start == 1_772_352_000_000)
        #expect(point.time == 1_772_352_001_250 && point.place == ActivityPoint.Place(latitude: 454_010_001, longitude: 91_000_000))
        #expect(point.altitude == 1205 && point.distance == 126 && point.heartRate == 141 && point.speed == 313)
        #expect(point.cadence == 1700 && point.power == 250)
        #expect(
            file.laps.map(\.timer) == [3500, 4000] && file.laps.map(\.distance) == [1025, 2000] && file.laps.map(\.energy) == [12, 8])
        #expect(file.laps[0].averageHeartRate == 141 && file.laps[0].maximumHeartRate == 150 && file.laps[0].maximumSpeed == 350)
        #expect(file.laps[1].averagePower == 240)
        #expect(file.samples.events.map(\.code) == [.lap] && file.samples.events.first?.time == file.laps[1].start)
        #expect(file.totals.distance == 3025 && file.totals.timer == 7500 && file.totals.energy == 20 && file.totals.sport?.code == 2)
    }

    @Test("DATA-2: a cut TCX file gives the points before the cut, and says in which element and line it ends", arguments: 1..<6)
    func cut(tenth: Int) throws {
        let whole = Array(MadeActivityXML.tcx(points: 20).utf8), length = whole.count * tenth / 6
        let file = try read(whole.prefix(length))
        let complete = String(decoding: whole.prefix(length), as: UTF8.self).split(
            separator: "</Trackpoint>", omittingEmptySubsequences: false)
        #expect(file.points.count == complete.count - 1 && file.laps.count == (file.points.count > 20 ? 2 : 1))
        let problem = try #require(file.problems.first { $0.code == .cut })
        #expect(problem.place == .line(whole.prefix(length).split(separator: 10, omittingEmptySubsequences: false).count))
        #expect(problem.detail?.hasPrefix("TrainingCenterDatabase/Activities/Activity") == true)
    }

    @Test("DATA-2: TCX that lost its outermost element, or has end tags that fit nothing, is read, and the faults are listed by line")
    func malformed() throws {
        let text = MadeActivityXML.tcx()
        let lost = text.split(separator: "\n").filter { !$0.contains("TrainingCenterDatabase") }.joined(separator: "\n")
        let file = try read(lost)
        #expect(file.points.count == 6 && Set(file.problems.map(\.detail)) == ["ns3", "xsi"])
        #expect(file.problems.allSatisfy { $0.code == .prefix })
        let crossed = try read(text.replacing("<Intensity>Active</Intensity>", with: "<Intensity>Active</Tensity>"))
        #expect(crossed.points.count == 6 && crossed.problems.map(\.code) == [.markup] && crossed.problems[0].place == .line(6))
        let unclosed = try read(text.replacing("<Calories>12</Calories>", with: "<Calories>12"))
        #expect(unclosed.points.count == 6 && unclosed.laps.count == 2 && unclosed.problems.map(\.code) == [.markup])
    }

    @Test("DATA-2: a value that is no number or impossible is left out and listed with its line, the point stays")
    func values() throws {
        let text = MadeActivityXML.tcx().replacing("<Value>141</Value></HeartRateBpm>", with: "<Value>many</Value></HeartRateBpm>")
            .replacing("2026-03-01T08:00:02.250Z", with: "yesterday").replacing("45.4300001", with: "145")
        let file = try read(text)
        #expect(file.points.count == 6 && file.points[1].heartRate == nil && file.points[2].time == nil && file.points[3].place == nil)
        #expect(Set(file.problems.map(\.detail)) == ["heartRate", "time", "place", nil])
        #expect(file.problems.first { $0.code == .noTime }?.count == 1)
    }

    @Test("DATA-2: planned workouts and courses in TCX are no points")
    func plans() throws {
        let course = "<Course><Track><Trackpoint><Time>2026-03-01T08:00:00Z</Time></Trackpoint></Track></Course>"
        let file = try read(MadeActivityXML.tcx().replacing("<Activities>", with: "<Courses>\(course)</Courses><Activities>"))
        #expect(file.points.count == 6 && file.leftOut == [.plans: 1])
        #expect(throws: ActivityProblem.self) { try read("<TrainingCenterDatabase>\(course)</TrainingCenterDatabase>") }
    }
}

@Suite struct GPXActivityTests {
    @Test("DATA-2: GPX gives time, place, height, and what Garmin's and other extensions measure, whatever their prefix")
    func points() throws {
        let file = try read(MadeActivityXML.gpx), point = file.points[0]
        #expect(file.format == .gpx && file.problems.isEmpty && file.points.count == 3 && file.segments == [0, 2])
        #expect(file.device == "Made <up>" && file.sport?.code == 2 && file.start == 1_772_352_000_000)
        #expect(point.place == ActivityPoint.Place(latitude: 454_000_001, longitude: -91_000_001) && point.altitude == 1205)
        #expect(point.heartRate == 150 && point.cadence == 1700 && point.speed == 310 && point.course == 0 && point.power == 250)
        #expect(point.temperature == 215 && point.mode == .threeDimensional && point.time == 1_772_352_000_000)
        #expect(file.points[1].time == 1_772_352_001_500 && file.points[1].power == 260 && file.points[1].heartRate == 151)
        #expect(file.leftOut == [.waypoints: 1, .routePoints: 1])
        #expect(abs(file.measuredDistance - 11.1) < 0.1, "the way between segments does not count")
    }

    @Test("DATA-2: points of GPX without a time, going back in time, or without a place are listed")
    func odd() throws {
        let text = MadeActivityXML.gpx.replacing("<time>2026-03-01T08:10:00Z</time>", with: "<time>2026-03-01T07:10:00Z</time>")
            .replacing("lat=\"45.4001\"", with: "lat=\"north\"").replacing("<time>2026-03-01T08:00:00Z</time>", with: "")
        let file = try read(text)
        #expect(file.points.count == 3 && file.points[1].place == nil)
        #expect(Set(file.problems.map(\.code)) == [.value, .noTime, .backwards])
        #expect(file.problems.first { $0.code == .value }.map { $0.detail == "place" && $0.count == 1 } == true)
    }

    @Test("DATA-2: what is damaged in GPX is passed over, and markup in each other without an end is refused")
    func damaged() throws {
        let cut = try read(MadeActivityXML.gpx.utf8.dropLast(120))
        #expect(cut.points.count == 2 && cut.problems.map(\.code).contains(.cut))
        #expect(throws: ActivityProblem.self) { try read("<gpx>" + String(repeating: "<a>", count: 100_000)) }
        let entities = "<!DOCTYPE gpx [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]>"
        #expect(try read(entities + MadeActivityXML.gpx.dropFirst().dropFirst(22)).points.count == 3)
    }

    @Test("DATA-2: points of GPX become samples: positions, heart rates and cadence with their times")
    func samples() throws {
        let samples = try read(MadeActivityXML.gpx).samples
        #expect(samples.positions.count == 3 && samples.heartRates.map(\.beatsPerMinute) == [150, 151])
        #expect(samples.positions[0].speed == 310 && samples.positions[0].mode == .threeDimensional)
        #expect(samples.scalars.map(\.value) == [1700] && samples.scalars.allSatisfy { $0.problem == nil })
    }
}
