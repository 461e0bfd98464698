/// Google Takeout's Fit folder: which of its files to read. The same steps stand in several of them, so that whoever reads all
/// counts them twice.
public enum TakeoutFit {
    /// A file of the folder.
    public struct File: Sendable, Hashable {
        public let path: String
        public let kind: ImportFile
        /// As ``TakeoutFit/dataSource(of:)`` finds it in the file's first bytes; nil for others than those of `All Data`.
        public let dataSource: String?

        public init(path: String, kind: ImportFile, dataSource: String? = nil) {
            (self.path, self.kind, self.dataSource) = (path, kind, dataSource)
        }
    }

    /// The treatment of a file.
    public enum Choice: Sendable, Hashable {
        case read
        /// Why it is left out. The names stand in texts.
        case skip(Reason)
    }

    /// Why a file is left out.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// Another data source has the same values already merged.
        case merged
        /// `All Data` has the same values finer.
        case finer
        /// `All Sessions` has the activities as the person saw them.
        case sessions
    }

    /// The plan for a folder.
    public struct Plan: Sendable, Hashable {
        /// In the order of the files.
        public let choices: [Choice]
        /// Whether ``TakeoutSessionReader`` takes nights: not where their phases are read.
        public let takesSleepSessions: Bool
    }

    /// Chooses what to read.
    ///
    /// - Of each data type one data source: of steps that which Fit itself showed (`estimated_steps`), else the one that merges all
    ///   (`merge_`), else others that Google derived, else all raw ones.
    /// - Activities of `All Sessions` rather than the segments that the phone noticed.
    /// - `Daily activity metrics` where `All Data` has neither steps nor distance. Their sum file is never read.
    public static func plan(_ files: [File]) -> Plan {
        let ranks = files.map { $0.kind == .takeoutData ? rank($0.dataSource ?? "") : nil }
        var best: [String: Int] = [:]
        for case let rank? in ranks { best[rank.type] = min(best[rank.type] ?? .max, rank.order) }
        let hasSessions = files.contains { $0.kind == .takeoutSession }
        let hasTotals = best["com.google.step_count.delta"] != nil || best["com.google.distance.delta"] != nil
        let choices = zip(files, ranks).map { file, rank -> Choice in
            switch file.kind {
            case .takeoutData:
                guard let rank else { return .read }
                if rank.order > best[rank.type] ?? rank.order { return .skip(.merged) }
                return rank.type == "com.google.activity.segment" && hasSessions ? .skip(.sessions) : .read
            case .takeoutDay: return hasTotals ? .skip(.finer) : .read
            case .takeoutDays: return .skip(.finer)
            default: return .read
            }
        }
        return Plan(choices: choices, takesSleepSessions: best["com.google.sleep.segment"] == nil)
    }

    /// The data source that the first bytes of a file of `All Data` name, such as
    /// `derived:com.google.weight:com.google.android.gms:merge_weight`.
    public static func dataSource(of head: [UInt8]) -> String? {
        var stream = JSONItemStream(), source: String?
        stream.add(head) { found in
            if case .member("Data Source", let bytes) = found { source = source ?? StrictJSON(item: bytes)?.plainText }
        }
        return source
    }

    /// The data type, and how far the data source stands behind others of it.
    private static func rank(_ source: String) -> (type: String, order: Int) {
        let parts = source.split(separator: ":", omittingEmptySubsequences: false)
        let stream = parts.last ?? "", type = parts.count > 1 ? String(parts[1]) : ""
        guard parts.first == "derived" else { return (type, 3) }
        if stream == "estimated_steps" { return (type, 0) }
        return (type, stream.hasPrefix("merge_") || stream.hasPrefix("merged") ? 1 : 2)
    }
}
