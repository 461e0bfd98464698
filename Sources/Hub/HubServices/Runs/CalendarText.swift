import Accounts
import Vitals

/// Writes an iCalendar object (RFC 5545).
struct CalendarText {
    private(set) var bytes: [UInt8] = []

    init(name: String) {
        line("BEGIN", "VCALENDAR")
        line("VERSION", "2.0")
        line("PRODID", "-//TrackMe//Track4Run//EN")
        line("METHOD", "PUBLISH")
        // The name that calendar programs show; the standard's own property came with RFC 7986.
        line("NAME", Self.escaped(name))
        line("X-WR-CALNAME", Self.escaped(name))
    }

    /// One event. Times are UTC milliseconds.
    struct Event {
        var uid: String
        var sequence: Int
        var stamp: Milliseconds
        var start: Milliseconds
        var end: Milliseconds
        var summary: String
        var description: String
        var location: String
        /// 1e-7 degrees.
        var place: (latitude: Int32, longitude: Int32)
        var url: String
        var isCancelled: Bool
    }

    mutating func add(_ event: Event) {
        line("BEGIN", "VEVENT")
        line("UID", Self.escaped(event.uid))
        line("SEQUENCE", String(event.sequence))
        line("DTSTAMP", Self.instant(event.stamp))
        line("DTSTART", Self.instant(event.start))
        line("DTEND", Self.instant(event.end))
        line("SUMMARY", Self.escaped(event.summary))
        line("DESCRIPTION", Self.escaped(event.description))
        line("LOCATION", Self.escaped(event.location))
        line("GEO", "\(Self.degrees(event.place.latitude));\(Self.degrees(event.place.longitude))")
        line("URL", event.url.filter { !$0.isNewline })
        line("STATUS", event.isCancelled ? "CANCELLED" : "CONFIRMED")
        line("END", "VEVENT")
    }

    mutating func end() { line("END", "VCALENDAR") }

    /// Folded to lines of 75 octets at most, never within a character (section 3.1).
    private mutating func line(_ name: String, _ value: String) {
        var octets = 0
        for character in (name + ":" + value).unicodeScalars {
            let encoded = Array(String(character).utf8)
            if octets + encoded.count > 75 {
                bytes += [0x0D, 0x0A, 0x20]
                octets = 1
            }
            bytes += encoded
            octets += encoded.count
        }
        bytes += [0x0D, 0x0A]
    }

    /// TEXT (section 3.3.11): control characters cannot stand in it at all.
    static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { out, scalar in
            switch scalar {
            case "\\", ";", ",": out += "\\\(scalar)"
            case "\n": out += "\\n"
            case "\t": out += "\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F: break
            default: out.unicodeScalars.append(scalar)
            }
        }
    }

    /// DATE-TIME in UTC, as `20260101T080000Z`.
    static func instant(_ time: Milliseconds) -> String {
        let day = CalendarDate(utc: time).description.filter { $0 != "-" }, seconds = Int((time / 1000 % 86_400 + 86_400) % 86_400)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return day + "T" + two(seconds / 3600) + two(seconds / 60 % 60) + two(seconds % 60) + "Z"
    }

    private static func degrees(_ value: Int32) -> String {
        let size = abs(Int64(value)), digits = String(size % 10_000_000)
        return (value < 0 ? "-" : "") + "\(size / 10_000_000)." + String(repeating: "0", count: 7 - digits.count) + digits
    }
}
