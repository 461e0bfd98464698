public import Vitals

/// The time at one split.
public struct SplitTime: Hashable, Sendable, Codable {
    /// The timing place's name; nil for a full kilometre and the finish.
    public var name: String?
    /// Metres from the start.
    public var metres: Double
    /// UTC milliseconds.
    public var time: Milliseconds
    /// Milliseconds since the gun and since the runner's own start.
    public var gun: Milliseconds, net: Milliseconds
    /// Milliseconds from the split before.
    public var leg: Milliseconds
    /// Whether the leg was seen; otherwise its time is divided evenly over a stretch without fixes, or a part of it was left out.
    public var isSeen: Bool
}

/// When somebody is expected somewhere.
public struct Arrival: Hashable, Sendable, Codable {
    /// UTC milliseconds: the expected time, and between which two it is in about four of five cases.
    public var time: Milliseconds, earliest: Milliseconds, latest: Milliseconds
}

extension Progress {
    /// Metres a second over the last `seconds` until the last fix (or since the start, where that is later); nil before the start.
    public func speed(over seconds: Double = 60) -> Double? {
        guard let start else { return nil }
        let until = finish?.time ?? time
        let from = max(until - Milliseconds(seconds * 1000), start.time)
        guard until > from, let here = metres(at: until), let there = metres(at: from) else { return nil }
        return (here - there) * 1000 / Double(until - from)
    }

    /// Metres a second since the own start, pauses included; nil before it.
    public var averageSpeed: Double? {
        guard let start else { return nil }
        let until = finish?.time ?? time
        return until > start.time ? metres * 1000 / Double(until - start.time) : nil
    }

    /// The times at the course's splits so far.
    public func splitTimes(of course: Course) -> [SplitTime] {
        guard let start else { return [] }
        var times: [SplitTime] = []
        var before = (metres: 0.0, time: start.time, isSeen: start.isSeen)
        for split in course.splits {
            guard let time = time(at: split.metres) else { break }
            let isBroken = stretches.contains { $0.from < split.metres && $0.to > before.metres }
            times.append(
                SplitTime(
                    name: split.name, metres: split.metres, time: time, gun: time - gun, net: time - start.time, leg: time - before.time,
                    isSeen: !isBroken))
            before = (split.metres, time, !isBroken)
        }
        return times
    }

    /// When the runner is expected at `metres` from the start. nil before the start, behind the place, and while there is no pace to go by.
    ///
    /// The last five minutes tell for what is near, the whole way for what is far: hills even out. Nobody arrives before `now`.
    public func arrival(at metres: Double, now: Milliseconds) -> Arrival? {
        let rest = min(metres, length) - self.metres
        guard finish == nil, rest > 0, let average = averageSpeed, let recent = speed(over: 300) else { return nil }
        let near = 1 / (1 + rest / Self.nearby)
        let speed = near * recent + (1 - near) * average
        guard speed >= Self.speedMin else { return nil }
        let seconds = rest / speed, doubt = Self.doubtShare * seconds + Self.doubtSeconds
        let silence = Double(max(now - time, 0)) / 1000
        func instant(_ seconds: Double) -> Milliseconds { max(time + Milliseconds((seconds * 1000).rounded()), now) }
        return Arrival(time: instant(seconds), earliest: instant(seconds - doubt), latest: instant(seconds + doubt + silence))
    }

    /// Metres at which the recent and the whole pace tell equally much.
    private static let nearby = 3000.0
    /// Slower than this somebody rests.
    private static let speedMin = 0.3
    /// How wrong an expectation is: a tenth of what is left (people slow down, hills come), and the receiver's errors.
    private static let doubtShare = 0.1, doubtSeconds = 10.0
}
