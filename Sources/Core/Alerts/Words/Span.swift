internal import Vitals

/// A time span as people say it: one number and one unit, rounded down, so that nothing sounds older than it is by more than one unit.
struct Span {
    enum Unit: String, CaseIterable { case second, minute, hour, day }

    let count: Int, unit: Unit

    init(_ milliseconds: Milliseconds) {
        let seconds = Int(max(milliseconds, 0) / 1000)
        switch seconds {
        case ..<120: (count, unit) = (seconds, .second)
        case ..<7200: (count, unit) = (seconds / 60, .minute)
        case ..<172_800: (count, unit) = (seconds / 3600, .hour)
        default: (count, unit) = (seconds / 86_400, .day)
        }
    }

    /// `8 s`, `3 min`, `5 h`, `2 d`: in every language of Europe.
    var short: String {
        switch unit {
        case .second: "\(count) s"
        case .minute: "\(count) min"
        case .hour: "\(count) h"
        case .day: "\(count) d"
        }
    }
}
