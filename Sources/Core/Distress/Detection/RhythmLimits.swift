public import Vitals

/// The numbers by which ``HeartRhythm`` decides. They are engineering proposals and no clinical advice.
///
/// Dash, Chon, Lu and Raeder, "Automatic real time detection of atrial fibrillation", Annals of Biomedical Engineering 37 (2009) 1701: segments of
/// 128 beats, their three measures and thresholds. Ectopic beats are left out before, as there, by a simpler rule.
public enum RhythmLimits {
    /// Beats of one segment (Dash).
    public static let segmentBeats = 128
    /// Of those so many must be clean, or the segment is not judged.
    public static let cleanBeatsMin = 96
    /// The root mean square of the differences of successive intervals is larger than this share of their mean (Dash).
    public static let differenceMin = 0.1
    /// Shannon entropy of the histogram, as a share of its maximum, is larger than this (Dash) ...
    public static let entropyMin = 0.7
    /// ... of so many equal bins, without so many of the longest and as many of the shortest intervals (Dash).
    public static let bins = 16, outliers = 8
    /// The share of intervals that are longer, or shorter, than both neighbours lies in this range, as in a random series, where it is 2/3 (Dash).
    public static let turningPoints: ClosedRange<Double> = 0.54...0.77
    /// An ectopic beat: an interval shorter than so many percent of the mean, where with the next one it makes up two mean intervals within so many.
    public static let ectopicPercent = 85, ectopicPairPercent = 10
    /// Missed beats are told by a running mean over about so many.
    static let usualBeats = 8

    /// The rhythm is irregular in each segment of so long at rest.
    public static let lasting: Milliseconds = 600_000
    /// A longer time that is not judged begins the ten minutes anew.
    public static let holeMax: Milliseconds = 180_000
    /// At most one notice in so long.
    public static let noticeEvery: Milliseconds = 86_400_000
    /// Whether the person is at rest is looked at so often.
    static let contextEvery: Milliseconds = 10_000
}
