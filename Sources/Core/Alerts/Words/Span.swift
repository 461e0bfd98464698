internal import Vitals

/// A time span as people say it: one number and one unit, rounded down, so that nothing sounds older than it is by more than one unit.
struct Span {
    private let count: Int64, unit: Int

    init(_ milliseconds: Milliseconds) {
        let seconds = max(milliseconds, 0) / 1000
        switch seconds {
        case ..<120: (count, unit) = (seconds, 0)
        case ..<7200: (count, unit) = (seconds / 60, 1)
        case ..<172_800: (count, unit) = (seconds / 3600, 2)
        default: (count, unit) = (seconds / 86_400, 3)
        }
    }

    struct Units {
        let singular: [String], plural: @Sendable (String) -> String

        init(_ second: String, _ minute: String, _ hour: String, _ day: String, plural: @escaping @Sendable (String) -> String) {
            singular = [second, minute, hour, day]
            self.plural = plural
        }
    }

    func text(_ units: Units) -> String {
        let name = units.singular[unit]
        return "\(count) \(count == 1 ? name : units.plural(name))"
    }

    /// `8 s`, `3 min`, `5 h`, `2 d`: in every language of Europe.
    var short: String { "\(count) \(["s", "min", "h", "d"][unit])" }
}
