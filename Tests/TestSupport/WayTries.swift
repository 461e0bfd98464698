import Foundation

/// What became of breaking a way out in one manner, again and again. docs/alerts.md lists the ways and manners, `make test-ways` makes a hundred tries
/// of each.
public struct WayTries: Sendable {
    /// Seconds within which it has to be told.
    public static let limit = 60

    private static func setting(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

    /// How often each way is broken in each manner: `TRACKME_WAY_TRIES`.
    /// - Parameter usually: where that is not set.
    public static func count(usually: Int = 2) -> Int { setting("TRACKME_WAY_TRIES") ?? usually }

    /// The seed of a test. Processes that share the tries have different ones: `TRACKME_WAY_SHARE` numbers them from zero.
    public static func seed(_ own: UInt64) -> UInt64 { own + 1000 * UInt64(max(0, setting("TRACKME_WAY_SHARE") ?? 0)) }

    private let manner: String
    private var tries = 0, told = 0
    /// Seconds.
    public private(set) var worst = 0

    /// - Parameter manner: the way and how it breaks, in words.
    public init(_ manner: String) { self.manner = manner }

    /// One more try, told after so many seconds.
    public mutating func add(_ seconds: Int) {
        tries += 1
        if seconds <= Self.limit { told += 1 }
        worst = max(worst, seconds)
    }

    /// As `Tests/ways` reads it.
    public var line: String { "way: \(manner) | \(tries) | \(told) | \(worst)" }
}
