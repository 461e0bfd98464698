public import AsyncHTTPClient
public import Logging
import NIOCore
import NIOHTTP1
public import Seams
public import ServiceLifecycle

/// Tells a watcher outside, once a minute, that this hub would see to an alarm (SOS-22). It keeps silent while that is not so: the watcher, a
/// service of the dead-man's-switch kind, then alerts the operator, as it does when the machine is gone.
public struct DeadManSwitch: Service {
    private let url: String
    private let client: HTTPClient
    private let every: Duration
    private let faults: @Sendable () -> [SOSFault]
    private let logger: Logger
    private let machine: Machine

    /// - Parameters:
    ///   - url: gets an empty POST.
    ///   - faults: why an alarm may come to nothing; those of the hub as a whole keep it silent.
    public init(
        url: String, client: HTTPClient = .shared, every: Duration = .seconds(60), logger: Logger, machine: Machine = .system,
        faults: @escaping @Sendable () -> [SOSFault]
    ) {
        (self.url, self.client, self.every, self.faults, self.logger) = (url, client, every, faults, logger)
        self.machine = machine
    }

    public func run() async throws {
        await cancelWhenGracefulShutdown {
            var before: String?
            // The looks need a moment after the start.
            var pause = Duration.seconds(1)
            while !Task.isCancelled {
                try? await machine.sleep(for: pause)
                guard !Task.isCancelled else { return }
                let problem = await beat()
                if let problem, problem != before {
                    logger.error("the watcher outside was not told that this hub works", metadata: ["why": "\(problem)"])
                } else if problem == nil, before != nil {
                    logger.notice("the watcher outside is told again that this hub works")
                }
                before = problem
                pause = problem == nil ? every : min(every, .seconds(10))
            }
        }
    }

    /// - Returns: why the watcher heard nothing; nil when it has heard.
    private func beat() async -> String? {
        let faults = faults().filter(\.isOfHub)
        guard faults.isEmpty else { return faults.map(\.description).joined(separator: "; ") }
        do {
            var request = HTTPClientRequest(url: url)
            request.method = .POST
            let status = try await client.execute(request, timeout: .seconds(10)).status.code
            return (200..<300).contains(status) ? nil : "it answered with status \(status): look at hub.sos.watchdog"
        } catch { return "it cannot be reached: \(error)" }
    }
}
