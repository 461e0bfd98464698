import Foundation
import Glibc
import Vitals

/// The machine's clocks.
enum Clocks {
    /// UTC in milliseconds with their fraction.
    static func utc() -> Double { Date().timeIntervalSince1970 * 1000 }

    static func utcMilliseconds() -> Milliseconds { Milliseconds(utc()) }

    /// User and system time of this process so far, in seconds.
    static func processorSeconds() -> Double {
        Double(clock()) / Double(CLOCKS_PER_SEC)
    }
}

/// Durations that were measured, all kept: a percentile of a sample would be a guess.
struct Delays: Sendable {
    private(set) var values: [Double] = []

    mutating func add(_ value: Double) { values.append(value) }

    mutating func add(_ other: Delays) { values += other.values }

    /// The value below which `fraction` of all lie; nil when there is none.
    func quantile(_ fraction: Double) -> Double? {
        guard !values.isEmpty else { return nil }
        let sorted = values.sorted()
        return sorted[min(sorted.count - 1, Int(Double(sorted.count) * fraction))]
    }
}

/// A line on stderr, where it does not mix with the result.
func progress(_ text: String) { FileHandle.standardError.write(Data("trackme-fleet: \(text)\n".utf8)) }

extension Double {
    /// For results: three digits after the point.
    var rounded3: Double { (self * 1000).rounded() / 1000 }
}

/// The system's limits of this process.
enum Limits {
    /// Files beside connections.
    private static let others = 64

    /// Each connection is a file. What the system allows, but gives only to who asks for it, is asked for.
    static func raiseFiles(for connections: Int) {
        var files = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        guard getrlimit(resource, &files) == 0 else { return }
        files.rlim_cur = files.rlim_max
        setrlimit(resource, &files)
        if files.rlim_cur < connections + others {
            progress("only \(files.rlim_cur) files may be open, for \(connections) connections: raise `ulimit -Hn`")
        }
    }
}
