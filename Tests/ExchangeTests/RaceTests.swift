import Exchange
import Foundation
import Testing
import Vitals

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// Results and start lists as files, for organiser and public (RUN-9, RUN-10).
@Suite struct RaceTests {
    private func list(_ entries: [RaceEntry], name: String = "Città alta <10 km> & \"friends\"") -> RaceList {
        RaceList(name: name, code: "K7M2QP", starts: someTime, ends: someTime + 7_200_000, length: 10_000, entries: entries)
    }

    private let ada = RaceEntry(
        bib: 12, name: "Ada Lovelace", status: .finished, place: 1, gun: someTime, start: someTime + 4000, finish: someTime + 2_590_500,
        time: 2_590_500, netTime: 2_586_500, behind: 0, secondsPerKilometre: 258.65,
        splits: [.init(metres: 5000, time: 1_290_000), .init(metres: 10_000, time: 2_590_500)], heartRateAverage: 162, heartRateMax: 181,
        energy: 2900)

    @Test("RUN-10: CSV has a line for each runner and a column for each distance; what is not known is empty")
    func csv() throws {
        let bruno = RaceEntry(bib: 3, name: "", status: .didNotFinish, start: someTime, splits: [.init(metres: 1000, time: 300_000)])
        let nobody = RaceEntry(bib: nil, name: "", status: .finished, place: 2, time: 2_700_000)
        let lines = String(decoding: RaceCSV.results(list([ada, nobody, bruno])), as: UTF8.self).components(separatedBy: "\r\n")
        let head = """
            place,bib,name,category,place_in_category,status,time_s,net_time_s,behind_s,pace_s_km,start_utc,finish_utc,\
            heart_rate_average_bpm,heart_rate_max_bpm,energy_kj,split_1000_m_s,split_5000_m_s,split_10000_m_s
            """
        #expect(lines[0] == head && lines.count == 5 && lines[4].isEmpty)
        let first = """
            1,12,Ada Lovelace,,,finished,2590.500,2586.500,0.000,258.650,2026-11-21T03:04:09.678Z,2026-11-21T03:47:16.178Z,162,181,2900,\
            ,1290.000,2590.500
            """
        #expect(lines[1] == first)
        #expect(lines[2] == "2,,,,,finished,2700.000,,,,,,,,,,,")
        #expect(lines[3] == ",3,,,,did_not_finish,,,,,2026-11-21T03:04:05.678Z,,,,,300.000,,")
        #expect(lines.dropLast().allSatisfy { $0.filter { $0 == "," }.count == 17 })
    }

    @Test(
        "RUN-10: no spreadsheet takes a name or a category for a formula", arguments: ["=1+1", "+39", "-2", "@SUM(A1)", "\t=1", "\r\n=1"])
    func formulas(_ text: String) throws {
        let entry = RaceEntry(bib: 1, name: text, category: text + ",\"x\"", status: .finished, place: 1)
        for file in [RaceCSV.results(list([entry])), RaceCSV.starts(list([entry]))] {
            let body = String(decoding: file, as: UTF8.self).split(separator: "\r\n", maxSplits: 1)[1]
            #expect(body.contains("'" + text) && body.contains("\"'" + text + ",\"\"x\"\"\""))
        }
    }

    /// The children that the schema lets stand in an element, in its order (IOF.xsd 3.0), as far as these files have them; `*` for several, `!` for those
    /// that have to be there.
    private static let schema: [String: [String]] = [
        "ResultList": ["Event!", "ClassResult*"], "StartList": ["Event!", "ClassStart*"],
        "Event": ["Id", "Name!", "StartTime", "EndTime"], "Event/StartTime": ["Date!", "Time"], "Event/EndTime": ["Date!", "Time"],
        "ClassResult": ["Class!", "Course*", "PersonResult*"], "ClassStart": ["Class!", "Course*", "PersonStart*"], "Class": ["Name!"],
        "Course": ["Length"], "PersonResult": ["Person!", "Result!*"], "PersonStart": ["Person", "Start!*"], "Person": ["Name!"],
        "Person/Name": ["Family!", "Given!"], "Start": ["BibNumber", "StartTime"],
        "Result": ["BibNumber", "StartTime", "FinishTime", "Time", "TimeBehind", "Position", "Status!", "SplitTime*"],
        "SplitTime": ["ControlCode!", "Time"],
    ]

    private func check(_ element: XMLElement, in parent: String = "") throws {
        let name = try #require(element.name), children = (element.children ?? []).compactMap { $0 as? XMLElement }
        guard !children.isEmpty else { return }
        var rest = children.compactMap(\.name)[...]
        for rule in try #require(Self.schema["\(parent)/\(name)"] ?? Self.schema[name], "\(name)") {
            let wanted = rule.filter(\.isLetter), count = rest.prefix { $0 == wanted }.count
            #expect((rule.contains("!") ? 1 : 0)...(rule.contains("*") ? .max : 1) ~= count, "\(count) \(wanted) in \(name)")
            rest = rest.dropFirst(count)
        }
        #expect(rest.isEmpty, "\(rest) in \(name)")
        for child in children { try check(child, in: name) }
    }

    /// By the list: asked by its name, Foundation on Linux finds none in an element with a namespace.
    private func attribute(_ name: String, _ element: XMLElement) -> String? {
        element.attributes?.first { $0.name == name }?.stringValue
    }

    private func read(_ xml: [UInt8], root: String) throws -> XMLElement {
        let element = try #require(try XMLDocument(data: Data(xml)).rootElement())
        #expect(element.name == root && attribute("iofVersion", element) == "3.0")
        try check(element)
        return element
    }

    private func texts(_ element: XMLElement, _ path: String) throws -> [String] {
        try element.nodes(forXPath: "//" + path.split(separator: "/").map { "*[local-name()='\($0)']" }.joined(separator: "/"))
            .compactMap(\.stringValue)
    }

    @Test("RUN-9: IOF XML 3.0 results stand in the schema's order, with every state, and what people typed is text")
    func results() throws {
        let others = RaceEntry.Status.allCases.enumerated().map { index, status in
            RaceEntry(bib: 20 + index, name: "</Family>\u{1}<x>&", status: status)
        }
        let root = try read(RaceXML.results(list([ada] + others), created: someTime), root: "ResultList")
        #expect(attribute("status", root) == "Complete")
        #expect(attribute("createTime", root) == "2026-11-21T03:04:05.678Z")
        #expect(
            try texts(root, "Event/Name") == ["Città alta <10 km> & \"friends\""] && texts(root, "Event/StartTime/Date") == ["2026-11-21"])
        #expect(try texts(root, "Event/StartTime/Time") == ["03:04:05.678Z"] && texts(root, "Course/Length") == ["10000"])
        let known = ["OK", "OK", "Active", "MissingPunch", "Inactive", "DidNotFinish", "DidNotStart", "Disqualified"]
        #expect(try texts(root, "Status") == known)
        #expect(try texts(root, "Person/Name/Family").dropFirst().allSatisfy { $0 == "</Family>\u{FFFD}<x>&" })
        #expect(
            try texts(root, "Result/Time") == ["2591"] && texts(root, "TimeBehind") == ["0"] && texts(root, "Position") == ["1"])
        #expect(try texts(root, "ControlCode") == ["5000"] && texts(root, "SplitTime/Time") == ["1290"], "no finish")
        // Time is the finish less the start.
        #expect(try texts(root, "Result/StartTime") == ["2026-11-21T03:04:05.678Z"])
    }

    @Test("RUN-9: categories are classes with their own places; who has no name is known by the number")
    func classes() throws {
        var entries = [ada, ada, ada]
        (entries[0].category, entries[0].placeInCategory) = ("Women", 1)
        (entries[1].category, entries[1].placeInCategory, entries[1].place, entries[1].bib) = ("Men", 1, 2, 13)
        (entries[2].category, entries[2].placeInCategory, entries[2].place, entries[2].name) = ("Women", 2, 3, "")
        let root = try read(RaceXML.results(list(entries), created: someTime), root: "ResultList")
        #expect(try texts(root, "Class/Name") == ["Women", "Men"] && texts(root, "Position") == ["1", "2", "1"])
        #expect(try texts(root, "Family") == ["Ada Lovelace", "#12", "Ada Lovelace"] && texts(root, "TimeBehind").isEmpty)
    }

    @Test("RUN-9: a start list has bib numbers and the gun of each wave")
    func starts() throws {
        let entries = [
            RaceEntry(bib: 1, name: "Ada", category: "First wave", status: .notStarted, gun: someTime),
            RaceEntry(bib: 2, name: "Bruno, \"B\"", category: "Second wave", status: .notStarted, gun: someTime + 600_000),
        ]
        let root = try read(RaceXML.starts(list(entries), created: someTime), root: "StartList")
        #expect(try texts(root, "BibNumber") == ["1", "2"] && texts(root, "Class/Name") == ["First wave", "Second wave"])
        #expect(try texts(root, "Start/StartTime") == ["2026-11-21T03:04:05.678Z", "2026-11-21T03:14:05.678Z"])
        let csv = String(decoding: RaceCSV.starts(list(entries)), as: UTF8.self)
        #expect(
            csv == "bib,name,category,start_utc\r\n1,Ada,First wave,2026-11-21T03:04:05.678Z\r\n"
                + "2,\"Bruno, \"\"B\"\"\",Second wave,2026-11-21T03:14:05.678Z\r\n")
    }

    @Test("RUN-9: an empty list is a whole file")
    func empty() throws {
        _ = try read(RaceXML.results(list([]), created: someTime), root: "ResultList")
        #expect(String(decoding: RaceCSV.results(list([])), as: UTF8.self).hasSuffix("energy_kj\r\n"))
    }

    @Test("RUN-9, RUN-15: several people's tracks are one GPX file, each by name, and nothing is drawn through what is left out")
    func tracks() throws {
        let times = [0, 1000, 2000, 3000, 4000] as [Milliseconds]
        let samples = SampleSet(
            positions: times.map { PositionSample(time: someTime + $0, latitude: 450_000_000 + Int32($0), longitude: 90_000_000) })
        var frame = GPXWriter(name: "A run", created: someTime), buffer: [UInt8] = []
        frame.begin(&buffer)
        var whole = GPXWriter(track: "12 Ada <b>")
        whole.begin(&buffer)
        whole.append(samples, from: .live, to: &buffer)
        whole.end(&buffer)
        // The third is at home.
        var parted = GPXWriter(track: "13") { positions in
            positions.split { $0.time == someTime + 2000 }.map(Array.init)
        }
        parted.begin(&buffer)
        parted.append(samples, from: .live, to: &buffer)
        parted.end(&buffer)
        var none = GPXWriter(track: "14") { _ in [] }
        none.begin(&buffer)
        none.append(samples, from: .live, to: &buffer)
        none.end(&buffer)
        frame.end(&buffer)
        let gpx = try GPXReader(buffer)
        #expect(gpx.tracks.map { $0.map(\.count) } == [[5], [2, 2]])
        let text = String(decoding: buffer, as: UTF8.self)
        #expect(text.contains("<name>12 Ada &lt;b&gt;</name>") && text.contains("<name>13</name>") && !text.contains("14</name>"))
    }
}
