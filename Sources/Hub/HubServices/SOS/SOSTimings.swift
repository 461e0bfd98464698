public import Vitals

/// Times that several subjects count by, milliseconds.
public enum SOSTimings {
    /// A box is the one that watches when it told so within this, by the hub's clock: three reports may be lost.
    static let boxSilentAfter: Milliseconds = 90_000
    /// A box reports every 30 s: half of that more, and its silence is told with the next look, 55 s after its last word at the latest.
    static let linkSilentAfter: Milliseconds = 45_000
    /// A box that was not heard for so long was put away: its person is watched as one without.
    static let awayAfter: Milliseconds = 86_400_000
    /// So long a limit is silent after "I'm OK" (docs/decisions/0013).
    static let quietTime: Milliseconds = 600_000
    /// A press on a page waits so long for the box.
    static let pressLifetime: Milliseconds = 300_000
    static let pressesMax = 16
    /// How long the end of a case is shown.
    public static let endShown: Milliseconds = 900_000
}
