public import Vitals

/// When somebody sent last, and how regularly.
public struct SOSRhythm: Sendable, Hashable, Codable {
    /// By the hub's clock.
    public private(set) var last: Milliseconds
    /// The last pauses, milliseconds, the newest last; at most ``gapsMax``.
    public private(set) var gaps: [Milliseconds] = []

    static let gapsMax = 8, gapsMin = 4
    /// What comes within this belongs together: a phone that was offline sends much at once.
    static let burst: Milliseconds = 1000
    /// Who sends each second is lost after this, who sends seldom after twice the longest of the last pauses and not later than that.
    public static let silenceMin: Milliseconds = 40_000, silenceMax: Milliseconds = 6 * 3_600_000

    public init(at time: Milliseconds) { last = time }

    public mutating func heard(at time: Milliseconds) {
        defer { last = max(last, time) }
        // A silence that was told is no pause that is usual.
        guard time - last >= Self.burst, time - last <= min(3 * (patience ?? Self.silenceMax), Self.silenceMax) else { return }
        gaps = (gaps + [time - last]).suffix(Self.gapsMax)
    }

    /// Nobody could hear for so long: that is no pause of the sender's.
    public mutating func postpone(by missed: Milliseconds) { last += missed }

    /// How long it may be silent; nil while its rhythm is not known.
    public var patience: Milliseconds? {
        guard gaps.count >= Self.gapsMin, let longest = gaps.max() else { return nil }
        return min(max(2 * longest, Self.silenceMin), Self.silenceMax)
    }
}
