internal import Distress
internal import Foundation
internal import Logging
internal import Seams
internal import SyncProtocol
internal import Vitals

/// The last settings of AutomatedSOS that the hub gave, in a file of their own: readable without the buffer and without the hub.
enum SOSSettingsFile {
    private static let file = "sos.json"

    /// What was kept. Without a file nobody has turned AutomatedSOS on yet, and nil says so. A file that cannot be read does not turn it
    /// off: it is set aside, the usual limits hold for everybody, nobody is known to call, and `damage` says so.
    static func load(from path: String, machine: Machine = .system) -> (settings: SOSSettings?, damage: String?) {
        let content: [UInt8]?
        do throws(AgentProblem) { content = try StateDirectory.read(file, in: path, machine: machine) } catch {
            return (SOSSettings(version: 0, people: []), advice("\(error.what)"))
        }
        guard let content else { return (nil, nil) }
        if let settings = try? JSONDecoder().decode(SOSSettings.self, from: Data(content)) { return (settings, nil) }
        let aside = "\(path)/\(file).damaged"
        try? machine.files.replace(aside, with: content)
        return (SOSSettings(version: 0, people: []), advice("\(path)/\(file) is damaged"))
    }

    private static func advice(_ what: String) -> String {
        "\(what): AutomatedSOS goes on with the usual limits, and knows nobody to call until the hub has sent the settings again"
    }

    /// Writes it without some people. What cannot be read goes as a whole: the hub sends the settings again.
    static func erase(_ people: Set<PersonID>, from directory: StateDirectory) throws {
        try directory.edit(file) { (settings: inout SOSSettings) in
            settings.people.removeAll { people.contains($0.person) }
            settings.hubs?.removeAll { people.contains($0.person) }
        }
    }

    static func writer(_ directory: StateDirectory, logger: Logger) -> NewestFile<SOSSettings> {
        NewestFile(
            file, in: directory, refusal: "the settings of AutomatedSOS hold until the agent restarts", level: .error, logger: logger,
            format: [.sortedKeys, .withoutEscapingSlashes])
    }
}
