public import Vitals

/// The stored summary of a lone workout (RUN-19).
public struct WorkoutSummary: Hashable, Sendable, Codable {
    public var metres: Double
    /// Seconds a kilometre, pauses included; nil before 100 m.
    public var secondsPerKilometre: Int?
    /// Each full kilometre.
    public var splits: [SplitTime]
    /// nil without any valid heart rate.
    public var heart: HeartSummary?
    /// Whether any position came.
    public var hasPositions: Bool
    /// Nothing came but a replay or a drill.
    public var isTest: Bool

    /// - Parameter span: of the workout, UTC milliseconds.
    public init(_ track: WorkoutTrack, _ heartRates: [HeartRateSample], in span: ClosedRange<Milliseconds>, isTest: Bool) {
        (metres, secondsPerKilometre, splits) = (track.metres, track.averagePace, track.splits)
        (heart, hasPositions, self.isTest) = (HeartSummary(heartRates, in: span), track.lastSeen != nil, isTest)
    }
}
