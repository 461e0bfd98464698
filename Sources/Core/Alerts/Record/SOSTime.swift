internal import Exchange
public import Vitals

/// An instant and the offset of the clock on the wall where it is told.
public struct SOSTime: Hashable, Sendable {
    /// UTC milliseconds.
    public var utc: Milliseconds
    /// Minutes east of UTC, -1439 to 1439.
    public let offsetMinutes: Int

    public init(utc: Milliseconds, offsetMinutes: Int = 0) {
        self.utc = utc
        self.offsetMinutes = Swift.min(Swift.max(offsetMinutes, -1439), 1439)
    }

    /// Another instant with the same offset.
    func at(_ utc: Milliseconds) -> SOSTime { SOSTime(utc: utc, offsetMinutes: offsetMinutes) }

    /// `2026-11-21T04:04:05+01:00`: whole seconds and a numeric offset, which CAP 1.2 (3.3.2) wants, and never Z.
    public var text: String {
        var bytes: [UInt8] = [], writer = UTCText()
        writer.append(local, to: &bytes)
        let minutes = abs(offsetMinutes)
        return String(decoding: bytes.prefix(19), as: UTF8.self) + (offsetMinutes < 0 ? "-" : "+") + (minutes / 60).twoDigits + ":"
            + (minutes % 60).twoDigits
    }

    /// As ``text``, but UTC is `-00:00`, as CAP 1.2 wants it (3.3.2).
    var capText: String { offsetMinutes == 0 ? text.prefix(19) + "-00:00" : text }

    /// `04:04:05` on that clock.
    var clock: String { String(text.dropFirst(11).prefix(8)) }

    /// `04:04 (UTC+1)`, for people.
    var minute: String {
        let minutes = abs(offsetMinutes), rest = minutes % 60 == 0 ? "" : ":" + (minutes % 60).twoDigits
        let zone = offsetMinutes == 0 ? "UTC" : "UTC\(offsetMinutes < 0 ? "-" : "+")\(minutes / 60)\(rest)"
        return "\(text.dropFirst(11).prefix(5)) (\(zone))"
    }

    /// `20261121030405`, in UTC.
    var compactUTC: String {
        String(SOSTime(utc: utc).text.prefix(19).filter(\.isNumber))
    }

    package var localDay: CivilDay { CivilDay(days: local.flooredQuotient(by: 86_400_000)) }

    private var local: Milliseconds {
        Swift.min(Swift.max(utc, UTCText.range.lowerBound), UTCText.range.upperBound) + Milliseconds(offsetMinutes) * 60_000
    }
}
