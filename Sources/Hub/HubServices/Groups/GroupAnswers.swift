import Accounts
public import Groups
public import HubStore
import Synchronization
public import Vitals

/// The answer of one closed window to a question.
public struct GroupWindowAnswer: Sendable, Hashable {
    public let window: GroupWindow
    /// When the window was closed, UTC.
    public let closed: Milliseconds
    /// nil for a refusal: nothing was released of the group, for whatever reason.
    public let answer: GroupAnswer?
    /// The number of released cells that it is made of.
    public let cells: Int
    /// Parts of the question of which nothing was released, in order. After a refusal that is all of it.
    public let missing: [GroupCell]
}

/// Answers questions about groups from what was released of closed windows, and from nothing else: asking costs nobody anything.
///
/// Releases that were read once stay in memory, the newest windows before older ones. All calls block the thread for some milliseconds.
public final class GroupAnswers: Sendable {
    private let releases: GroupReleases
    /// The list of regions that questions are made of.
    public var tree: RegionTree { trees() }
    private let trees: @Sendable () -> RegionTree
    /// Of which lengths windows close; the door's share.
    public let budget: GroupBudget
    private let state = Mutex(State())

    private struct State {
        var held: [Key: Held] = [:]
        var cells = 0
        var listeners: [@Sendable (GroupWindow) -> Void] = []
    }

    private struct Key: Hashable {
        let window: GroupWindow
        let kind: DataKind
    }

    private struct Held {
        let closed: Milliseconds
        let released: ReleasedCells
    }

    /// Windows of one answer: a year of days, six weeks of hours.
    public static let windowsMax = 1_000
    /// Cells that stay in memory, of some 250 bytes each.
    static let cellsMax = 400_000

    /// Why there is no answer at all.
    public enum Problem: Error, Sendable, Hashable {
        /// The span has more than ``GroupAnswers/windowsMax`` windows.
        case spanTooLong
    }

    public convenience init(_ releases: GroupReleases, tree: RegionTree, budget: GroupBudget) {
        self.init(releases, trees: { tree }, budget: budget)
    }

    /// - Parameter trees: the regions, which are not read before somebody asks.
    public init(_ releases: GroupReleases, trees: @escaping @Sendable () -> RegionTree, budget: GroupBudget) {
        (self.releases, self.trees, self.budget) = (releases, trees, budget)
    }

    // MARK: Windows

    /// Closed windows that begin within a span, the oldest first.
    /// - Parameters:
    ///   - from: UTC, included.
    ///   - to: UTC, not included.
    ///   - length: nil for the one that is set.
    public func windows(from: Milliseconds, to: Milliseconds, _ length: GroupWindow.Length? = nil) throws -> [GroupWindow] {
        let found = try releases.closed(length ?? budget.window, from: from, to: to, limit: Self.windowsMax + 1)
        guard found.count <= Self.windowsMax else { throw Problem.spanTooLong }
        return found
    }

    /// The newest closed window; nil before the first one.
    /// - Parameter length: nil for the one that is set.
    public func newest(_ length: GroupWindow.Length? = nil) throws -> GroupWindow? {
        try releases.closed(length ?? budget.window, from: .min, to: .max, limit: 1).last
    }

    /// Registers who is told of each window once it is closed and can be asked about. It is called on the thread that closes windows, and must return at
    /// once.
    public func whenWindowCloses(_ tell: @escaping @Sendable (GroupWindow) -> Void) { state.withLock { $0.listeners.append(tell) } }

    /// Tells that a window is closed.
    func told(_ window: GroupWindow) { for tell in state.withLock({ $0.listeners }) { tell(window) } }

    // MARK: Answers

    /// The answers of the closed windows that begin within a span, the oldest first.
    /// - Parameters: as of ``windows(from:to:_:)``.
    /// - Throws: ``Problem``, and what the store throws.
    public func answers(
        to question: GroupQuestion, from: Milliseconds, to: Milliseconds, _ length: GroupWindow.Length? = nil
    ) throws -> [GroupWindowAnswer] {
        try windows(from: from, to: to, length).compactMap { try answer(to: question, in: $0) }
    }

    /// - Returns: nil for a window that is not closed.
    public func answer(to question: GroupQuestion, in window: GroupWindow) throws -> GroupWindowAnswer? {
        guard let held = try held(window, question.kind) else { return nil }
        let cover = GroupCover(question, in: tree, from: held.released)
        return GroupWindowAnswer(
            window: window, closed: held.closed, answer: GroupAnswer(cover, of: question, from: held.released), cells: cover.parts.count,
            missing: cover.missing)
    }

    private func held(_ window: GroupWindow, _ kind: DataKind) throws -> Held? {
        let key = Key(window: window, kind: kind)
        if let known = state.withLock({ $0.held[key] }) { return known }
        guard let closed = try releases.closing(of: window) else { return nil }
        let held = Held(closed: closed, released: ReleasedCells(try releases.releases(of: kind, in: window), in: tree))
        state.withLock { Self.keep(held, key, &$0) }
        return held
    }

    /// The oldest windows go where too many cells are held.
    private static func keep(_ held: Held, _ key: Key, _ state: inout State) {
        guard state.held.updateValue(held, forKey: key) == nil else { return }
        state.cells += held.released.count
        while state.cells > Self.cellsMax, let oldest = state.held.keys.min(by: { $0.window < $1.window }) {
            state.cells -= state.held.removeValue(forKey: oldest)?.released.count ?? 0
        }
    }
}
