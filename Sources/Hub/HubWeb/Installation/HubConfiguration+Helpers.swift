import Configuration
import Foundation
import Processes
import Seams

extension HubConfiguration {
    /// Services that start programs for this one, outside of its sandbox (`trackme-hub helper`). Without them the hub starts its programs itself.
    public struct Helpers: Sendable {
        /// `hub.helpers.lines` / `HUB_HELPERS_LINES`: the socket of the one that starts `hub.voice.baresip` and `hub.voice.speaker`.
        public var lines: String?
        /// `hub.helpers.messages` / `HUB_HELPERS_MESSAGES`: the socket of the one that starts `hub.mail.sendmail` and `hub.sms.command`.
        public var messages: String?

        init() {}

        init(_ config: ConfigReader) {
            func text(_ key: String) -> String? { config.string(forKey: ConfigKey(key)).flatMap { $0.isEmpty ? nil : $0 } }
            (lines, messages) = (text("lines"), text("messages"))
        }
    }

    /// What sends mails and text messages.
    var messagePrograms: [String] { [mail.sendmail, sms.command].compactMap(\.self) }

    /// The machine on which the hub runs: programs that have a helper are started by it.
    func machine(_ machine: Machine) -> Machine {
        var ways: [String: Programs] = [:]
        for (socket, commands) in [(helpers.lines, [voice.program, voice.speaker]), (helpers.messages, messagePrograms)] {
            guard let programs = socket.map({ Programs.helper(at: $0) }) else { continue }
            for command in commands { ways[command] = programs }
        }
        guard !ways.isEmpty else { return machine }
        var changed = machine
        changed.programs = Programs { [ways, own = machine.programs] (command, environment, streams) throws(Programs.Failure) in
            try (ways[command.first ?? ""] ?? own).start(command, environment: environment, streams)
        }
        return changed
    }
}
