import Seams
import Vitals

/// What keeps the hub's data: the disk, its databases, and the journal that is merged.
extension HealthFinding {
    static let gigabyte: Int64 = 1_000_000_000
    /// With less room than a tenth of the disk, and than so many bytes, somebody should look.
    static let roomWarning: Int64 = 10 * gigabyte
    /// With less room than a fiftieth of the disk, and than so many bytes, the hub may not be able to store what comes.
    static let roomFailing: Int64 = gigabyte / 2
    /// A small file that takes longer than this to the disk delays everybody.
    static let syncWarning = Duration.seconds(1), syncFailing = Duration.seconds(10)
    /// A writer that waited for longer stood behind something that holds the database.
    static let writerWarning = Duration.seconds(2)
    /// What waits in the journal is merged after ``Maintenance/ageMax``. Milliseconds.
    static let mergeWarning: Milliseconds = 3 * Maintenance.ageMax, mergeFailing: Milliseconds = 12 * Maintenance.ageMax

    /// - Parameter room: nil where the system does not tell it.
    static func disk(_ room: DiskRoom?) -> HealthFinding {
        guard let room, room.size > 0 else { return HealthFinding(.ok, "The system does not tell how much room the disk has.") }
        let figures = [MetricSample(.diskFree, room.free), MetricSample(.diskSize, room.size)]
        let stands = "\(amount(room.free)) of \(amount(room.size)) are free"
        if room.free < min(room.size / 50, roomFailing) {
            return HealthFinding(.failing, "\(stands): make room at once, or the hub stores nothing any more.", figures)
        }
        if room.free < min(room.size / 10, roomWarning) {
            return HealthFinding(.warning, "\(stands): make room, give the hub a larger disk, or lower hub.quota.", figures)
        }
        return HealthFinding(.ok, "\(stands).", figures)
    }

    /// - Parameter span: of writing a small file through to the disk, or why it was not written.
    static func sync(_ span: Result<Duration, FileProblem>) -> HealthFinding {
        switch span {
        case .failure(let problem):
            return HealthFinding(.failing, "\(problem): look whether the disk is full, read-only or broken.")
        case .success(let span):
            let figures = [MetricSample(.diskSync, span / .seconds(1))],
                stands = "The last small file took \(milliseconds(span)) to the disk"
            if span > syncFailing { return HealthFinding(.failing, "\(stands): the disk hangs or is failing. Look at dmesg.", figures) }
            if span > syncWarning {
                return HealthFinding(
                    .warning, "\(stands): find out what else writes there (iotop), or give the hub a disk of its own.", figures)
            }
            return HealthFinding(.ok, "\(stands).", figures)
        }
    }

    /// One database, as a look found it.
    struct Written: Sendable {
        let name: String
        /// How long the writer was waited for.
        let wait: Duration
        /// Why nothing can be written; nil where it can.
        let problem: String?
        /// With its log; nil in memory.
        let bytes: Int?
    }

    static func databases(_ all: [Written]) -> HealthFinding {
        let figures = all.flatMap { one in
            [
                MetricSample(.databaseWritable, one.problem == nil ? 1 : 0, one.name),
                MetricSample(.databaseWait, one.wait / .seconds(1), one.name),
            ] + (one.bytes.map { [MetricSample(.databaseBytes, $0, one.name)] } ?? [])
        }
        let failed = all.filter { $0.problem != nil }
        guard failed.isEmpty else {
            let why = failed.map { "\($0.name) (\($0.problem ?? ""))" }.joined(separator: ", ")
            return HealthFinding(
                .failing, "Nothing can be written to \(why): look at room and permissions, and whether another program holds it.", figures)
        }
        if let slow = all.filter({ $0.wait > writerWarning }).max(by: { $0.wait < $1.wait }) {
            return HealthFinding(
                .warning, "A write to \(slow.name) waited \(milliseconds(slow.wait)): another program holds it, or the disk is slow.",
                figures)
        }
        return HealthFinding(.ok, "All can be written.", figures)
    }

    static func merges(_ segments: Int, oldest: Milliseconds?, now: Milliseconds) -> HealthFinding {
        let age = oldest.map { max(0, now - $0) } ?? 0
        let figures = [MetricSample(.mergeSegments, segments), MetricSample(.mergeAge, Double(age) / 1000)]
        let stands = "\(segments) segments wait to be merged, the oldest for \(minutes(age))"
        guard age > mergeWarning else { return HealthFinding(.ok, "\(stands).", figures) }
        return HealthFinding(
            age > mergeFailing ? .failing : .warning, "\(stands): look for \"merging failed\" in the log, and at the disk.", figures)
    }

    // MARK: Words

    static func amount(_ bytes: Int64) -> String {
        bytes >= 10 * gigabyte ? "\(bytes / gigabyte) GB" : "\(bytes / 1_000_000) MB"
    }

    static func milliseconds(_ span: Duration) -> String { "\(Int64(span / .milliseconds(1))) ms" }

    static func minutes(_ age: Milliseconds) -> String { age < 120_000 ? "\(age / 1000) s" : "\(age / 60_000) min" }
}
