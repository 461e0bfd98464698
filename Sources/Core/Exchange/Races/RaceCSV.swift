import Vitals

/// A race as comma-separated values (RFC 4180): UTF-8 without a byte order mark, lines end with CR LF, one header line whose names carry the units.
/// Times are seconds with three digits; a time on the way has a column for its distance, `split_5000_m_s`. What is not known is empty.
///
/// Names and categories, the only text that people type, get an apostrophe before what a spreadsheet would take for a formula.
public enum RaceCSV {
    public static let mediaType = CSVWriter.mediaType

    public static func results(_ list: RaceList) -> [UInt8] {
        // A runner of several laps has the same columns as the others: each distance once.
        let splits = Set(list.entries.flatMap { $0.splits.map(\.metres) }).sorted()
        var buffer: [UInt8] = []
        buffer.append("place,bib,name,category,place_in_category,status,time_s,net_time_s,behind_s,pace_s_km,start_utc,finish_utc")
        buffer.append(",heart_rate_average_bpm,heart_rate_max_bpm,energy_kj")
        for metres in splits {
            buffer.append(",split_")
            buffer.append(number: metres)
            buffer.append("_m_s")
        }
        buffer.append("\r\n")
        var utc = UTCText()
        for entry in list.entries {
            number(entry.place, &buffer)
            comma(&buffer)
            who(entry, &buffer)
            comma(&buffer)
            number(entry.placeInCategory, &buffer)
            comma(&buffer)
            buffer.append(contentsOf: entry.status.rawValue.utf8)
            for time in [entry.time, entry.netTime, entry.behind] { seconds(time, &buffer) }
            seconds(entry.secondsPerKilometre.map { Milliseconds(($0 * 1000).rounded()) }, &buffer)
            for instant in [entry.start, entry.finish] {
                comma(&buffer)
                if let instant { utc.append(instant, to: &buffer) }
            }
            for value in [entry.heartRateAverage, entry.heartRateMax, entry.energy] {
                comma(&buffer)
                number(value, &buffer)
            }
            let times = Dictionary(entry.splits.map { ($0.metres, $0.time) }, uniquingKeysWith: { first, _ in first })
            for metres in splits { seconds(times[metres], &buffer) }
            buffer.append("\r\n")
        }
        return buffer
    }

    public static func starts(_ list: RaceList) -> [UInt8] {
        var buffer: [UInt8] = [], utc = UTCText()
        buffer.append("bib,name,category,start_utc\r\n")
        for entry in list.entries {
            who(entry, &buffer)
            comma(&buffer)
            if let gun = entry.gun { utc.append(gun, to: &buffer) }
            buffer.append("\r\n")
        }
        return buffer
    }

    private static func who(_ entry: RaceEntry, _ buffer: inout [UInt8]) {
        number(entry.bib, &buffer)
        for text in [entry.name, entry.category ?? ""] {
            comma(&buffer)
            buffer.append(contentsOf: CSVText.field(text))
        }
    }

    private static func number(_ value: Int?, _ buffer: inout [UInt8]) {
        if let value { buffer.append(number: value) }
    }

    private static func seconds(_ time: Milliseconds?, _ buffer: inout [UInt8]) {
        comma(&buffer)
        if let time { buffer.append(fixed: time, places: 3) }
    }

    private static func comma(_ buffer: inout [UInt8]) { buffer.append(UInt8(ascii: ",")) }
}
