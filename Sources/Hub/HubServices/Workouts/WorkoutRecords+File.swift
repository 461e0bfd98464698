import Exchange
public import HubStore
public import Privacy
public import Runs
import Vitals
import Workouts

/// A workout as a file for other programs.
extension WorkoutRecords {
    public enum FileFormat: String, Sendable, Hashable, CaseIterable {
        case gpx, tcx, fit

        public var mediaType: String {
            switch self {
            case .gpx: GPXWriter.mediaType
            case .tcx: TCXWriter.mediaType
            case .fit: FITWriter.mediaType
            }
        }
    }

    /// - Parameters:
    ///   - name: of the file, as the person knows it.
    ///   - zones: positions in these are left out, for a file that goes to others.
    /// - Returns: nil where there is none or its samples are gone, and when the grant does not hold (any more).
    public func file(
        _ grant: Grant, _ id: WorkoutRecordID, _ format: FileFormat, name: String, hiding zones: [HomeZone] = []
    ) throws -> [UInt8]? {
        try ledger.recordRead(grant, now: now())
        guard let record = try store.record(id, of: grant.person), let content = record.content,
            let reading = try samples(grant, record.span), !reading.positions.isEmpty || !reading.heartRates.isEmpty
        else { return nil }
        var samples = reading.samples
        samples.positions.removeAll { position in zones.contains { $0.holds(CoursePoint(position)) } }
        guard format != .gpx else {
            var bytes: [UInt8] = [], writer = GPXWriter(name: name, created: now())
            writer.begin(&bytes)
            writer.append(samples, from: reading.provenance ?? .live, to: &bytes)
            writer.end(&bytes)
            return bytes
        }
        let session = Self.session(content, record.span)
        let activity = ActivityFile(
            format: format == .tcx ? .tcx : .fit, samples: samples, session: session, laps: content.statistics.laps.map(Self.lap))
        return format == .tcx ? TCXWriter.write(activity) : FITWriter.write(activity)
    }

    private static func lap(_ split: WorkoutSplit) -> ActivitySection {
        var lap = ActivitySection(start: split.began)
        (lap.elapsed, lap.timer) = (split.duration, split.duration)
        lap.distance = Int64(exactly: (split.metres * 100).rounded())
        lap.averageHeartRate = split.heartRate.map { UInt16(clamping: Int($0.rounded())) }
        lap.ascent = split.up.flatMap { Int64(exactly: $0.rounded()) }
        return lap
    }

    private static func session(_ content: WorkoutRecordContent, _ span: ClosedRange<Milliseconds>) -> ActivitySection {
        let figures = content.statistics
        var session = ActivitySection(sport: ActivitySport(code: content.kind.rawValue), start: span.lowerBound)
        (session.elapsed, session.timer) = (figures.duration, figures.moving > 0 ? figures.moving : figures.duration)
        session.distance = figures.metres > 0 ? Int64(exactly: (figures.metres * 100).rounded()) : nil
        session.ascent = figures.up.flatMap { Int64(exactly: $0.rounded()) }
        session.descent = figures.down.flatMap { Int64(exactly: $0.rounded()) }
        if let heart = figures.heart {
            session.averageHeartRate = UInt16(clamping: Int(heart.average.rounded()))
            session.maximumHeartRate = UInt16(clamping: heart.max)
            session.energy = heart.energy.flatMap { Int64(exactly: ($0 / 4.184).rounded()) }
        }
        return session
    }
}
