public import Vitals

/// Until when somebody has a paid feature, and what they were told of its end. It is on until ``Step/off`` was reached: a hub that was down, or that
/// cannot ask PayPal, switches nothing off.
public struct Entitlement: Sendable, Hashable {
    public let feature: PaidFeature
    /// UTC milliseconds.
    public private(set) var ends: Milliseconds
    public private(set) var step: Step

    /// How far the end has come. The raw values are stored, and only fall.
    public struct Step: RawRepresentable, Sendable, Hashable, Comparable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Nothing was said yet.
        public static let running = Step(rawValue: 100)
        /// It has ended and is still on, for the days of grace.
        public static let grace = Step(rawValue: 0)
        public static let off = Step(rawValue: -1)

        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    public enum Effect: Sendable, Hashable {
        /// So many days are left, at most.
        case warn(days: Int)
        /// The days of grace begin.
        case ended
        /// It is switched off.
        case off
    }

    public static let day: Milliseconds = 86_400_000
    /// Days before the end at which people are told, the first one first.
    public static let warnings = [14, 7, 1]
    /// A refund ends nothing earlier than this many days from then: all warnings come.
    public static let noticeDays = 15
    /// While a payment is in doubt, the end is looked at again after this, milliseconds.
    public static let doubtPause: Milliseconds = day

    public init(_ feature: PaidFeature, ends: Milliseconds, step: Step = .running) {
        (self.feature, self.ends, self.step) = (feature, ends, step)
    }

    public var isOn: Bool { step > .off }

    public mutating func extend(days: Int, at now: Milliseconds) {
        ends = max(ends, now) + Milliseconds(days) * Self.day
        step = Self.said(ends, now)
    }

    public mutating func shorten(days: Int, at now: Milliseconds) {
        guard isOn else { return }
        // Never later than it was.
        ends = min(ends, max(ends - Milliseconds(days) * Self.day, now + Milliseconds(Self.noticeDays) * Self.day))
    }

    /// What was bought so shortly before its end needs no warning that is over already.
    private static func said(_ ends: Milliseconds, _ now: Milliseconds) -> Step {
        warnings.last { ends - now <= Milliseconds($0) * day }.map { Step(rawValue: $0) } ?? .running
    }

    /// Does what is due by now, and nothing twice.
    /// - Parameters:
    ///   - grace: milliseconds after the end in which it stays on.
    ///   - isDoubtful: a payment of theirs is not decided yet.
    public mutating func pass(at now: Milliseconds, grace: Milliseconds, isDoubtful: Bool) -> [Effect] {
        guard isOn else { return [] }
        if now < ends {
            let due = Self.said(ends, now)
            guard due < step else { return [] }
            step = due
            return [.warn(days: due.rawValue)]
        }
        var effects: [Effect] = []
        if step > .grace {
            step = .grace
            effects.append(.ended)
        }
        if now >= ends + grace, !isDoubtful {
            step = .off
            effects.append(.off)
        }
        return effects
    }

    /// When ``pass(at:grace:isDoubtful:)`` has something to do next; nil for never.
    public func next(after now: Milliseconds, grace: Milliseconds) -> Milliseconds? {
        guard isOn else { return nil }
        if now < ends {
            let coming = Self.warnings.map { ends - Milliseconds($0) * Self.day }.first { $0 > now }
            return coming ?? ends
        }
        return now < ends + grace ? ends + grace : now + Self.doubtPause
    }
}
