public import Vitals

/// A race in the XML of the International Orienteering Federation, version 3.0, which timing and ranking programs read: `ResultList` and
/// `StartList`. Elements stand in the order of the schema (`IOF.xsd`). A category is a class; who has none is in a class with the race's name.
/// Times on the way are `SplitTime`, their distance in metres is the `ControlCode`. Times are full seconds, begun ones counted, as places are.
public enum RaceXML {
    public static let mediaType = "application/xml"

    /// - Parameter created: when the file is made, UTC.
    public static func results(_ list: RaceList, created: Milliseconds) -> [UInt8] {
        var writer = RaceXMLWriter()
        writer.begin("ResultList", " status=\"Complete\"", list, created)
        for (category, entries) in classes(list) {
            writer.open("ClassResult")
            writer.head(category ?? list.name, list)
            for entry in entries { result(entry, isInClass: category != nil, list.length, &writer) }
            writer.close("ClassResult")
        }
        return writer.end("ResultList")
    }

    public static func starts(_ list: RaceList, created: Milliseconds) -> [UInt8] {
        var writer = RaceXMLWriter()
        writer.begin("StartList", "", list, created)
        for (category, entries) in classes(list) {
            writer.open("ClassStart")
            writer.head(category ?? list.name, list)
            for entry in entries {
                writer.open("PersonStart")
                writer.person(entry)
                writer.open("Start")
                writer.element("BibNumber", entry.bib)
                writer.instant("StartTime", entry.gun ?? list.starts)
                writer.close("Start")
                writer.close("PersonStart")
            }
            writer.close("ClassStart")
        }
        return writer.end("StartList")
    }

    /// In the order in which they come first.
    private static func classes(_ list: RaceList) -> [(category: String?, entries: [RaceEntry])] {
        var order: [String?] = [], byCategory: [String?: [RaceEntry]] = [:]
        for entry in list.entries {
            if byCategory[entry.category] == nil { order.append(entry.category) }
            byCategory[entry.category, default: []].append(entry)
        }
        return order.map { ($0, byCategory[$0] ?? []) }
    }

    private static func result(_ entry: RaceEntry, isInClass: Bool, _ length: Int, _ writer: inout RaceXMLWriter) {
        writer.open("PersonResult")
        writer.person(entry)
        writer.open("Result")
        writer.element("BibNumber", entry.bib)
        // Times count from the gun, and readers check that they are the finish less the start.
        writer.instant("StartTime", entry.gun)
        writer.instant("FinishTime", entry.finish)
        writer.seconds("Time", entry.time)
        if !isInClass { writer.seconds("TimeBehind", entry.behind) }
        // The standard has places for those alone whose status is OK, and no finish among the times on the way.
        if entry.status == .finished { writer.element("Position", isInClass ? entry.placeInCategory : entry.place) }
        writer.element("Status", text: entry.status.iof)
        for split in entry.splits where split.metres < length {
            writer.open("SplitTime")
            writer.element("ControlCode", split.metres)
            writer.seconds("Time", split.time)
            writer.close("SplitTime")
        }
        writer.close("Result")
        writer.close("PersonResult")
    }
}

extension RaceEntry.Status {
    /// As the standard's ResultStatus has it.
    var iof: String {
        switch self {
        case .finished: "OK"
        case .running: "Active"
        case .incomplete: "MissingPunch"
        case .notStarted: "Inactive"
        case .didNotFinish: "DidNotFinish"
        case .didNotStart: "DidNotStart"
        case .disqualified: "Disqualified"
        }
    }
}

/// Elements one below the other; what people typed is escaped.
struct RaceXMLWriter {
    private var buffer: [UInt8] = []
    private var utc = UTCText()

    mutating func begin(_ root: StaticString, _ attributes: StaticString, _ list: RaceList, _ created: Milliseconds) {
        buffer.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<")
        buffer.append(root)
        buffer.append(" xmlns=\"http://www.orienteering.org/datastandard/3.0\" iofVersion=\"3.0\" creator=\"TrackMe\" createTime=\"")
        utc.append(created, to: &buffer)
        buffer.append("\"")
        buffer.append(attributes)
        buffer.append(">\n")
        open("Event")
        element("Id", text: list.code)
        element("Name", text: list.name)
        moment("StartTime", list.starts)
        moment("EndTime", list.ends)
        close("Event")
    }

    mutating func end(_ root: StaticString) -> [UInt8] {
        close(root)
        return buffer
    }

    mutating func open(_ name: StaticString) {
        buffer.append("<")
        buffer.append(name)
        buffer.append(">\n")
    }

    mutating func close(_ name: StaticString) {
        buffer.append("</")
        buffer.append(name)
        buffer.append(">\n")
    }

    mutating func element(_ name: StaticString, text: String) {
        start(name)
        buffer.append(xml: text)
        finish(name)
    }

    mutating func element(_ name: StaticString, _ value: Int?) {
        guard let value else { return }
        start(name)
        buffer.append(number: value)
        finish(name)
    }

    mutating func instant(_ name: StaticString, _ time: Milliseconds?) {
        guard let time else { return }
        start(name)
        utc.append(time, to: &buffer)
        finish(name)
    }

    mutating func seconds(_ name: StaticString, _ time: Milliseconds?) {
        guard let time else { return }
        start(name)
        buffer.append(number: (time + 999).flooredQuotient(by: 1000))
        finish(name)
    }

    /// Date and time as elements of their own.
    private mutating func moment(_ name: StaticString, _ time: Milliseconds) {
        var text: [UInt8] = []
        utc.append(time, to: &text)
        open(name)
        start("Date")
        buffer.append(contentsOf: text.prefix(10))
        finish("Date")
        start("Time")
        buffer.append(contentsOf: text.dropFirst(11))
        finish("Time")
        close(name)
    }

    mutating func head(_ name: String, _ list: RaceList) {
        open("Class")
        element("Name", text: name)
        close("Class")
        open("Course")
        element("Length", list.length)
        close("Course")
    }

    /// A public name is one text, of which nobody knows what is the family's; who has none is known by the number.
    mutating func person(_ entry: RaceEntry) {
        open("Person")
        open("Name")
        element("Family", text: entry.name.isEmpty ? entry.bib.map { "#\($0)" } ?? "#" : entry.name)
        element("Given", text: "")
        close("Name")
        close("Person")
    }

    private mutating func start(_ name: StaticString) {
        buffer.append("<")
        buffer.append(name)
        buffer.append(">")
    }

    private mutating func finish(_ name: StaticString) {
        buffer.append("</")
        buffer.append(name)
        buffer.append(">\n")
    }
}
