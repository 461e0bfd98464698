import Foundation
import Logging
import Processes
import Supervision

/// What the hub's helper units run.
public enum HubHelper {
    /// Starts programs for the hub, on the socket that systemd hands in, until it is ended.
    /// - Parameters:
    ///   - programs: the paths of what may be started.
    ///   - config: settings whose programs for mails and text messages may be started as well.
    /// - Throws: `HubConfigurationError` without a socket, or for settings that cannot be read.
    public static func run(programs: [String], config: String?) async throws {
        var allowed = Set(programs)
        if let config { allowed.formUnion(try await HubConfiguration.read(file: config).messagePrograms) }
        guard let listener = ServiceManager.takeListeners().first else {
            throw HubConfigurationError(
                "There is no socket: systemd starts a helper when the hub asks for it. Start the hub: systemctl start trackme-hub.")
        }
        let logger = Logger(label: "trackme-hub")
        var helper = ProgramHelper(listener: listener, allowed: allowed) { name in
            logger.error("the hub asked for a program that this helper does not start", metadata: ["program": "\(name)"])
        }
        helper.run()
    }
}
