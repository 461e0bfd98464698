import Foundation
import Logging
import NIOCore
import Seams
import ServiceLifecycle
import Supervision

/// The hub's word to systemd: that it listens, that it is alive, that it ends.
struct HubSupervision: Service {
    enum Word: Sendable, Hashable {
        /// With what `systemctl status` shows.
        case ready(String)
        case alive
        case stopping
    }

    /// Comes back once the hub listens, with its URL; nil when it ends before.
    let address: @Sendable () async -> String?
    /// Comes back when it is time to say that the hub is alive; nil where nobody watches.
    let pause: (@Sendable () async throws -> Void)?
    /// Comes back once everything that must not stick has moved.
    let moves: @Sendable () async -> Void
    let say: @Sendable (Word) -> Void

    func run() async throws {
        await cancelWhenGracefulShutdown {
            guard let url = await address() else { return }
            say(.ready("listening on \(url)"))
            guard let pause else { return }
            while !Task.isCancelled {
                guard (try? await pause()) != nil else { return }
                await moves()
                say(.alive)
            }
        }
        try? await gracefulShutdown()
        say(.stopping)
    }
}

extension HubSupervision {
    /// Watched are the threads of connections, and Swift's shared ones, by which alarms go: this runs on them. A disk that hangs, and pages that
    /// take long, are not: a hub that starts anew would hang again, and calls that are under way would end.
    init(_ hub: Hub, _ configuration: HubConfiguration, logger: Logger, on machine: Machine) {
        let port = hub.port, loops = hub.loops
        var pause: (@Sendable () async throws -> Void)?
        if let interval = ServiceManager.watchdogInterval { pause = { try await machine.sleep(for: .milliseconds(interval)) } }
        self.init(
            address: {
                guard await port.value() != nil else { return nil }
                let url = HubIdentity.announced(in: configuration.directory) ?? configuration.url ?? "?"
                logger.notice(
                    "listening",
                    metadata: [
                        "url": "\(url)", "directory": "\(configuration.directory.path)",
                        "connections": "\(configuration.listen.connectionsMax)",
                    ])
                return url
            },
            pause: pause,
            moves: { for loop in loops.makeIterator() { try? await loop.submit {}.get() } },
            say: { word in
                do throws(ServiceManagerProblem) { try word.tell() } catch { logger.warning("\(error)") }
            })
    }
}

extension HubSupervision.Word {
    fileprivate func tell() throws(ServiceManagerProblem) {
        switch self {
        case .ready(let status): try ServiceManager.ready(status: status)
        case .alive: try ServiceManager.watchdog()
        case .stopping: try ServiceManager.stopping()
        }
    }
}
