public import Alerts
public import HubStore
public import Logging
import Seams
public import Vitals

/// Tells whoever runs the hub that a way out has failed, or works again, and how many people no way reaches and which ways those are, by
/// whatever still works: as a notice on the site (with its mail and push), and, without any account, to the address and the number of the configuration by those of mail and text that work.
public struct WayNews: Sendable {
    /// Sends one message to the operator.
    public typealias Send = @Sendable (_ subject: String, _ text: String) async throws -> Void

    public enum News: Sendable {
        case way(WayMonitor.Change)
        /// The number of people who have lost their last way; none when nobody is without one any more.
        case people(PeopleUnreached)
    }

    private let ways: WayMonitor
    private let store: NoticeStore
    private let direct: [Way: Send]
    private let words: @Sendable (News) -> (subject: String, text: String)
    private let now: @Sendable () -> Milliseconds
    private let logger: Logger
    /// Notices are rows in the database of the accounts: a disk that hangs holds up no other way.
    private let queue: WorkQueue

    /// - Parameters:
    ///   - direct: ways to the operator beside the site.
    ///   - words: what those say.
    public init(
        ways: WayMonitor, store: NoticeStore, direct: [Way: Send], logger: Logger, now: @escaping @Sendable () -> Milliseconds,
        words: @escaping @Sendable (News) -> (subject: String, text: String)
    ) {
        (self.ways, self.store, self.direct, self.words) = (ways, store, direct, words)
        (self.now, self.logger, queue) = (now, logger, BlockingQueue.ways.made(on: store.machine))
    }

    /// Tells of each change from now on.
    public func begin() {
        ways.observe { tell(.way($0)) }
        ways.observePeople { tell(.people($0)) }
    }

    private func tell(_ news: News) {
        let (kind, arguments) = notice(news)
        queue.async {
            do { try store.tellOperators(kind, arguments, now: now()) } catch {
                logger.error("operators cannot be notified of a way out", metadata: ["error": "\(error)"])
            }
        }
        for (way, send) in direct where !ways.isFailing(way) {
            store.machine.start {
                let (subject, text) = words(news)
                do { try await send(subject, text) } catch {
                    logger.error("the operator was not told of a way out", metadata: ["by": "\(way)", "error": "\(error)"])
                }
            }
        }
    }

    private func notice(_ news: News) -> (NoticeKind, [String: String]) {
        switch news {
        case .way(let change):
            (change.health.isFailing ? .wayFailed : .wayWorks, ["way": "\(change.way)", "why": change.health.failure?.what ?? ""])
        case .people(let unreached):
            unreached.count > 0
                ? (.peopleUnreached, ["count": "\(unreached.count)", "ways": unreached.listed]) : (.everybodyReached, [:])
        }
    }
}
