public import Vitals

/// What the reports of a box tell of its clock and the hub's.
extension SOSWatchState.Box {
    /// More than this above the smallest is no delay: the hub's clock was set.
    static let delayMax: Milliseconds = 60_000

    /// Notes what a report tells of the two clocks.
    public mutating func noteClocks(sentAt: Milliseconds, now: Milliseconds) {
        let seen = offset(sentAt: sentAt, now: now)
        if let offset, seen > offset { steps = ((steps ?? []) + [ClockStep(at: now, by: seen - offset)]).suffix(Self.earlierMax) }
        offset = seen
    }

    /// What to add to a time of this box to have it on the hub's clock.
    public func offset(sentAt: Milliseconds, now: Milliseconds) -> Milliseconds {
        let seen = now - sentAt
        guard let offset, seen - offset <= Self.delayMax else { return seen }
        return min(offset, seen)
    }
}
