public import Vitals

/// A strip of an export, with the name under which the hub keeps it.
public struct NamedECGStrip: Sendable, Hashable {
    /// 32 hexadecimal digits.
    public let id: FHIRID
    public let strip: ECGStrip

    public init(id: FHIRID, strip: ECGStrip) { (self.id, self.strip) = (id, strip) }
}

/// Strips as JSON and CSV, for exports.
public enum ECGText {
    /// `{"format": "trackme-ecg", "version": 1, "strips": […]}`, with values in microvolts, null where there is none.
    public static func json(_ strips: [NamedECGStrip]) -> [UInt8] {
        strips.enumerated().reduce(into: jsonBegin) { $0 += json($1.element, isFirst: $1.offset == 0) } + jsonEnd
    }

    /// The text before the first strip and behind the last one.
    public static let jsonBegin = Array("{\"format\":\"trackme-ecg\",\"version\":1,\"strips\":[".utf8), jsonEnd = Array("\n]}\n".utf8)

    /// One strip of that list.
    public static func json(_ named: NamedECGStrip, isFirst: Bool) -> [UInt8] {
        var buffer: [UInt8] = []
        buffer.append(isFirst ? "\n" : ",\n")
        append(head: named, to: &buffer)
        buffer.append(",\"leads\":[")
        for (index, lead) in named.strip.leads.enumerated() {
            buffer.append(index == 0 ? "{\"name\":" : ",{\"name\":")
            buffer.append(json: lead.name.description)
            buffer.append(",\"unit\":\"uV\",\"values\":[")
            for (index, value) in lead.values.enumerated() {
                if index > 0 { buffer.append(UInt8(ascii: ",")) }
                if let value { buffer.append(number: value) } else { buffer.append("null") }
            }
            buffer.append("]}")
        }
        buffer.append("]}")
        return buffer
    }

    private static func append(head named: NamedECGStrip, to buffer: inout [UInt8]) {
        var utc = UTCText()
        buffer.append("{\"id\":")
        buffer.append(json: named.id.description)
        buffer.append(",\"time\":\"")
        utc.append(named.strip.time, to: &buffer)
        buffer.append("\",\"provenance\":\"imported\",\"rate_hz\":")
        buffer.append(fixed: Int64(named.strip.millihertz), places: 3)
        buffer.append(",\"source\":")
        append(named.strip.source, to: &buffer)
        // Its own words, and no diagnosis.
        buffer.append(",\"said_by_device\":")
        append(named.strip.said, to: &buffer)
    }

    private static func append(_ text: String?, to buffer: inout [UInt8]) {
        if let text { buffer.append(json: text) } else { buffer.append("null") }
    }

    /// The values of one strip: a line for each instant, a column for each lead in microvolts.
    public static func csv(_ strip: ECGStrip) -> [UInt8] {
        var buffer = Array("time_ms".utf8)
        for (index, lead) in strip.leads.enumerated() {
            // A device's own name may hold anything but is letters, digits and blanks by now.
            let name = lead.name.description.isEmpty ? "lead\(index + 1)" : lead.name.description.replacing(" ", with: "_")
            buffer.append(contentsOf: ",\(name)_uV".utf8)
        }
        buffer.append("\r\n")
        for index in 0..<strip.count {
            buffer.append(fixed: (Int64(index) * 1_000_000_000 + Int64(strip.millihertz) / 2) / Int64(strip.millihertz), places: 3)
            for lead in strip.leads {
                buffer.append(UInt8(ascii: ","))
                if let value = lead.values[index] { buffer.append(number: value) }
            }
            buffer.append("\r\n")
        }
        return buffer
    }

    /// The first line of the list of strips.
    public static let csvListHead = Array("id,time,provenance,rate_hz,values,leads,source,said_by_device\r\n".utf8)

    /// The description of a strip: a line of that list.
    public static func csvLine(_ named: NamedECGStrip) -> [UInt8] {
        var buffer = Array("\(named.id),".utf8), utc = UTCText()
        let strip = named.strip
        utc.append(strip.time, to: &buffer)
        buffer.append(",imported,")
        buffer.append(fixed: Int64(strip.millihertz), places: 3)
        let names = strip.leads.map(\.name.description).joined(separator: " ")
        buffer.append(contentsOf: ",\(strip.count)".utf8)
        for text in [names, strip.source ?? "", strip.said ?? ""] {
            buffer.append(UInt8(ascii: ","))
            buffer.append(contentsOf: CSVText.field(text))
        }
        buffer.append("\r\n")
        return buffer
    }
}
