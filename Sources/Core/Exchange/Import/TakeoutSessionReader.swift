public import Vitals

/// Reads a file of `All Sessions` of Google Takeout's Fit folder: one activity, or one night. Its totals are left out: they stand in
/// `All Data`.
public struct TakeoutSessionReader: HealthReader {
    private var collector: ImportCollector
    private var bytes: [UInt8] = []
    private let takesSleep: Bool
    private var isTooLong = false

    /// - Parameters:
    ///   - takesSleep: whether nights are taken; not where `All Data` has their phases.
    ///   - now: the hub's time, UTC.
    public init(takesSleep: Bool, now: Milliseconds) { (self.takesSleep, collector) = (takesSleep, ImportCollector(now: now)) }

    public var report: ImportReport { collector.report }

    public mutating func read(_ bytes: [UInt8]) -> [HealthImport.Part] {
        collector.report.bytes += bytes.count
        guard self.bytes.count + bytes.count <= HealthImport.Limits.itemBytesMax else {
            isTooLong = true
            return []
        }
        self.bytes += bytes
        return []
    }

    public mutating func finish() -> [HealthImport.Part] {
        if isTooLong {
            collector.report.note(.tooLong, at: .file, "\(HealthImport.Limits.itemBytesMax)")
        } else if bytes.isEmpty {
            collector.report.note(.empty, at: .file)
        } else if let session = StrictJSON(item: bytes) {
            take(session)
        } else {
            collector.report.note(.notJSON, at: .file)
        }
        return collector.take()
    }

    private mutating func take(_ session: StrictJSON) {
        guard let name = session["fitnessActivity"]?.plainText else { return collector.report.note(.missing, at: .file, "fitnessActivity") }
        guard let start = session["startTime"]?.plainText.flatMap(ImportText.time),
            let end = session["endTime"]?.plainText.flatMap(ImportText.time)
        else { return collector.report.note(.time, at: .file) }
        collector.report.leaveOut(.workoutTotals, session["aggregate"]?.items.count ?? 0)
        let activity = TakeoutType.Activity(name: name)
        if case .sleep = activity, !takesSleep { return collector.report.leaveOut(.sleepSessions) }
        collector.begin(HealthImport.Source(name: session["packageName"]?.plainText ?? ""))
        collector.add(activity, from: start, to: end, at: .file)
    }
}
