public import HubStore
public import Logging
import Seams
public import ServiceLifecycle
public import Vitals

/// Writes down each minute that the hub runs, so that one that was put back to an older copy draws nothing about groups that was told before.
public struct GroupWatching: Service {
    private let accounts: AccountStore
    private let isEnabled: Bool
    private let logger: Logger
    private let now: @Sendable () -> Milliseconds

    /// - Parameter isEnabled: whether windows are closed.
    public init(accounts: AccountStore, isEnabled: Bool, logger: Logger, now: @escaping @Sendable () -> Milliseconds) {
        (self.accounts, self.isEnabled, self.logger, self.now) = (accounts, isEnabled, logger, now)
    }

    /// Also before anything is closed or answered.
    public func look() throws {
        guard try accounts.consents.groupWatch.note(isEnabled: isEnabled, now: now()) else { return }
        logger.error(
            """
            the hub did not run, or its clock stood: windows of groups that closed meanwhile are held, and questions with ranges wait, because a hub \
            that was put back to a backup would draw noise twice. If it was only off: trackme-hub groups was-off
            """)
    }

    public func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                do { try self.look() } catch {
                    self.logger.error("that the hub runs was not written down; it is tried again", metadata: ["error": "\(error)"])
                }
                try? await self.accounts.machine.sleep(for: .milliseconds(GroupWatch.pause))
            }
        }
    }
}
