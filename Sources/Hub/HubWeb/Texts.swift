import Accounts
import Foundation
import HTTPTypes
import Hummingbird
import Languages
import Vitals

/// The texts of pages and mails, one file a language (ACC-12). A file holds sections, and a key is `section.name`.
struct Texts: Sendable {
    private let table: TextTable
    /// The reader's; nil for the hub's own.
    var zone: TimeZone?
    /// In which units the reader has numbers, and by which clock; those of the table of kinds in mails, notifications and files.
    var measures = Measures()
    /// Whether times are marked for a page (``TimeMarks``); mails, notifications and files have them as text.
    var marksTimes = false

    private static let tables = TextTables(
        .pages, english: EmbeddedFiles.all["en.json", default: []], italian: EmbeddedFiles.all["it.json", default: []])

    /// What files of further languages lack, each as a sentence that names the file.
    static var problems: [String] { tables.problems }

    static let all: [Texts] = Language.allCases.map { Texts(table: tables[$0]) }

    private static let english = Texts(table: tables[.english])

    /// English for a language that there are no texts in.
    static func of(_ lang: String) -> Texts { all.first { $0.lang == lang } ?? english }

    /// ISO 639-1.
    var lang: String { table.language.rawValue }
    var sections: [String: [String: String]] { table.sections }

    /// Remembers what somebody chose by hand.
    static let cookie = "__Host-trackme-language"

    /// The language that was chosen on a page, else the one that the browser prefers among those that there are (RFC 9110, 12.5.4).
    static func preferred(_ request: Request) -> Texts {
        if let chosen = request.cookies[cookie]?.value, let texts = all.first(where: { $0.lang == chosen }) { return texts }
        let accepted = (request.headers[.acceptLanguage] ?? "").split(separator: ",").map { item -> (String, Double) in
            let parts = item.split(separator: ";")
            let quality = parts.dropFirst().compactMap { part -> Double? in
                let text = part.trimmingCharacters(in: .whitespaces)
                return text.hasPrefix("q=") ? Double(text.dropFirst(2)) : nil
            }.first
            let tag = (parts.first ?? "").trimmingCharacters(in: .whitespaces).lowercased()
            return (String(tag.prefix { $0 != "-" }), quality ?? 1)
        }
        let best = accepted.filter { entry in all.contains { $0.lang == entry.0 } }.max { $0.1 < $1.1 }
        return all.first { $0.lang == best?.0 } ?? english
    }

    /// The text of `section.name`; the key itself where there is none, so that a mistake shows.
    subscript(_ key: String) -> String { table[key] }

    func find(_ key: String) -> String? { table.find(key) }

    /// The text with `{name}` replaced.
    func filled(_ key: String, _ values: [String: String]) -> String { table.filled(key, values) }

    /// `keyOne` or `keyOther` with `{n}` replaced: English and Italian have these two.
    func counted(_ key: String, _ count: Int) -> String { filled(key + (count == 1 ? "One" : "Other"), ["n": number(count)]) }

    /// With the language's mark between thousands.
    func number(_ count: Int) -> String {
        var text = String(count.magnitude), groups: [String] = []
        while text.count > 3 {
            groups.insert(String(text.suffix(3)), at: 0)
            text.removeLast(3)
        }
        return (count < 0 ? "-" : "") + ([text] + groups).joined(separator: self["date.thousands"])
    }

    /// In MB, with one digit behind the language's mark.
    func megabytes(_ bytes: Int) -> String {
        let tenths = (bytes + 50_000) / 100_000
        return "\(number(tenths / 10))\(self["date.decimal"])\(tenths % 10) MB"
    }

    /// Tells the hub the time zone of the reader's clock.
    static let zoneCookie = "__Host-trackme-zone"

    /// The time zone that the browser says; nil for none, and for one that is not known here.
    static func zone(_ request: Request) -> TimeZone? { request.cookies[zoneCookie].flatMap { TimeZone(identifier: $0.value) } }

    /// Day and time of a UTC instant in the reader's time zone, or the hub's where that is not known; it is named.
    func instant(_ utc: Milliseconds) -> String {
        if let zone { return instant(utc, in: zone.identifier) }
        var seconds = time_t(utc / 1000), parts = tm()
        localtime_r(&seconds, &parts)
        let zone = parts.tm_zone.map { String(cString: $0) } ?? "UTC"
        let minutes = clock(Int(parts.tm_hour), Int(parts.tm_min))
        return marked(utc, "\(day(Int(parts.tm_mday), Int(parts.tm_mon), Int(parts.tm_year) + 1900)), \(minutes) \(zone)")
    }

    /// A time that stands alone: how long ago where it is less than an hour, with the time itself as its title.
    func moment(_ utc: Milliseconds, now: Milliseconds) -> String {
        guard (0..<3_600_000).contains(now - utc) else { return instant(utc) }
        return marksTimes ? TimeMarks.mark(utc, age(now - utc), title: TimeMarks.text(instant(utc))) : age(now - utc)
    }

    /// `14:05`, or `2:05 PM` by a clock of 12 hours.
    func clock(_ hour: Int, _ minute: Int) -> String {
        measures.clock(hour: hour, minute: minute)
    }

    func marked(_ utc: Milliseconds, _ text: String) -> String { marksTimes ? TimeMarks.mark(utc, text) : text }

    func day(_ date: CalendarDate) -> String { day(date.day, date.month - 1, date.year) }

    func day(_ day: Int, _ month: Int, _ year: Int) -> String {
        let months = self["date.months"].split(separator: " ")
        return "\(day) \(months.indices.contains(month) ? String(months[month]) : String(month + 1)) \(year)"
    }
}
