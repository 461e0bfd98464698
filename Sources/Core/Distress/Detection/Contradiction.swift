import Vitals

/// Whether what is heard contradicts itself: two sensors at once whose rates cannot be one heart's, or one that leaps to and fro.
///
/// It changes nothing about alarms. It keeps a person from being called protected while nobody can say whose heart is watched.
struct Contradiction: Hashable, Sendable, Codable {
    private typealias Limit = DistressConstants

    private var score = 0
    private(set) var holds = false
    private var previous: Int?
    private var previousAt: Milliseconds = 0
    private var lastLeap = 0
    /// When another sensor was heard.
    private var otherAt: Milliseconds?

    /// A reading of the sensor that is listened to, counting or not.
    mutating func take(own value: Int, at time: Milliseconds) {
        let before = previous, passed = time - previousAt
        // Late ones come in no order that says anything.
        if before != nil, passed < 0 { return }
        (previous, previousAt) = (value, time)
        guard let before, passed <= Limit.gapMax else { return }
        let change = value - before, allowed = passed > 1000 ? 2 * Limit.jumpMax : Limit.jumpMax
        if abs(change) > allowed {
            // To and fro: a heart that leaps once leaps one way.
            if (change > 0) != (lastLeap > 0), lastLeap != 0 { add(Limit.contradictionWeight) }
            lastLeap = change
        } else if otherAt.map({ time - $0 > Limit.gapMax }) ?? true {
            add(-1)
        }
    }

    /// A reading of a sensor that is not listened to, against the last one that counted.
    mutating func take(other value: Int, against rate: Int, at time: Milliseconds) {
        otherAt = time
        add(abs(value - rate) > Limit.jumpMax ? Limit.contradictionWeight : -1)
    }

    private mutating func add(_ points: Int) {
        score = min(max(score + points, 0), 2 * Limit.contradictionBegins)
        if score >= Limit.contradictionBegins { holds = true } else if score == 0 { holds = false }
    }
}
