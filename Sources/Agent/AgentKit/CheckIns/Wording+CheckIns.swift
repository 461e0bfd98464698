internal import Glibc
internal import SyncProtocol
internal import Vitals

extension Wording {
    /// The organiser's readings and their end, for the person who is about to answer.
    func question(_ checkIn: BoxStatus.CheckInState) -> String {
        let kinds = checkIn.kinds.map { self["checkIn.kind.\($0.rawValue)"] }
        let joined = kinds.count == 2 ? self("checkIn.and", ["a": kinds[0], "b": kinds[1]]) : kinds.joined(separator: ", ")
        return [
            self("checkIn.asks", ["organiser": checkIn.organiser, "kinds": joined, "time": Self.local(checkIn.until)]),
            self["checkIn.public"],
            self("checkIn.purpose", ["purpose": checkIn.purpose]), self("checkIn.by", ["time": Self.local(checkIn.lapses)]),
        ].joined(separator: " ")
    }

    /// Day and time of day in the box's time zone.
    private static func local(_ utc: Milliseconds) -> String {
        var seconds = time_t(utc / 1000), parts = tm()
        localtime_r(&seconds, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(two(parts.tm_mday))/\(two(parts.tm_mon + 1)) \(two(parts.tm_hour)):\(two(parts.tm_min))"
    }
}
