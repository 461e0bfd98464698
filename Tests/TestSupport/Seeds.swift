import Foundation

/// How much tests try that draw what they try: some of it in `make test`, all of it in `make test-long`, where `Tests/run` sets `TRACKME_SEEDS=all`.
/// Files of such tests stand in `Tests/long.txt` with a plus sign.
public enum Seeds {
    /// Whether all is tried.
    public static let areAll = ProcessInfo.processInfo.environment["TRACKME_SEEDS"] == "all"

    /// The first `few` of all seeds, or all.
    public static func some(_ few: UInt64, of all: Range<UInt64>) -> Range<UInt64> {
        areAll ? all : all.lowerBound..<min(all.upperBound, all.lowerBound + few)
    }

    /// So many rounds, or as many as there are.
    public static func rounds(_ few: Int, of all: Int) -> Int { areAll ? all : min(few, all) }
}
