import Foundation
import HubStore
import Runs
import Vitals

/// What strangers typed, as others may read it.
extension RunService {
    /// One line: no control or direction characters, blanks as one.
    static func line(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { isPlain($0) ? $0 : " " })).split(whereSeparator: \.isWhitespace)
            .joined(separator: " ")
    }

    /// The same by lines.
    static func text(_ text: String) -> String {
        text.split(omittingEmptySubsequences: false) { $0.isNewline }.map { line(String($0)) }.joined(separator: "\n")
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate, .unassigned: false
        // Joiners hold letters and pictures together; what turns the direction of writing does not.
        case .format: scalar.value == 0x200C || scalar.value == 0x200D
        default: true
        }
    }

    /// Without capitals and accents: what is searched, and what is looked for.
    static func folded(_ text: String) -> String {
        text.folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
    }

    static func search(_ plan: RunPlan) -> String { folded("\(plan.name) \(plan.place)") }

    static func zone(_ name: String) -> TimeZone? {
        TimeZone.knownTimeZoneIdentifiers.contains(name) || name == "UTC" ? TimeZone(identifier: name) : nil
    }

    /// A media type by a file's first bytes; nil for what is not taken.
    static func type(_ bytes: [UInt8]) -> String? {
        if bytes.starts(with: Array("%PDF-".utf8)) { return "application/pdf" }
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
        return bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) ? "image/png" : nil
    }
}

extension RunArea {
    /// With a margin; it ends at the poles and at the antimeridian.
    func wider(metres: Double) -> RunArea {
        // A degree of latitude is 111 km, one of longitude less by the cosine.
        let margin = metres / 111_000 * 1e7, farthest = Double(max(abs(south), abs(north))) / 1e7
        let side = min(margin / max(cos(farthest * .pi / 180), 0.01), 1.8e9)
        func moved(_ value: Int32, _ by: Double, _ limit: Double) -> Int32 { Int32(min(max(Double(value) + by, -limit), limit)) }
        return RunArea(
            south: moved(south, -margin, 9e8), west: moved(west, -side, 1.8e9), north: moved(north, margin, 9e8),
            east: moved(east, side, 1.8e9))
    }

    /// Metres from a place to the nearest point of it.
    func distance(latitude: Int32, longitude: Int32) -> Double {
        let nearest = CoursePoint(latitude: min(max(latitude, south), north), longitude: min(max(longitude, west), east))
        return CoursePoint(latitude: latitude, longitude: longitude).distance(to: nearest)
    }
}
