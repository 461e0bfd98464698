internal import Configuration
internal import Foundation
internal import Languages
internal import SampleBuffer
internal import Vitals

/// A setting of `agent.yaml` that a box hands on to its person's next box.
struct HandedOnSetting: Sendable {
    /// Below `trackme`.
    let key: String
    /// What a box that takes it over would have to have, too: then it is only told. Key in the language files; nil for one that any box can take.
    let belongsToBox: String?
    /// As `agent.yaml` has it.
    let text: @Sendable (AgentConfiguration) -> String
    private let copy: @Sendable (inout AgentConfiguration, AgentConfiguration) -> Void

    private init<Value>(
        _ key: String, _ path: any WritableKeyPath<AgentConfiguration, Value> & Sendable, belongsToBox: String? = nil,
        text: @escaping @Sendable (Value) -> String
    ) {
        (self.key, self.belongsToBox) = (key, belongsToBox)
        self.text = { text($0[keyPath: path]) }
        copy = { $0[keyPath: path] = $1[keyPath: path] }
    }

    static let all = [
        HandedOnSetting("role", \.role) { $0.rawValue },
        HandedOnSetting("language", \.language) { $0.rawValue },
        HandedOnSetting("hub.silence", \.hubSilence) { "\(($0 ?? 0) / 60_000)" },
        HandedOnSetting("buffer.days", \.buffer.retention) { "\($0 / 86_400_000)" },
        HandedOnSetting("request.seconds", \.requestLimit) { "\($0 / 1000)" },
        // The disk, and the devices, of the other box.
        HandedOnSetting("buffer.bytes", \.buffer.bytesMax, belongsToBox: "kept.not.disk") { "\($0)" },
        HandedOnSetting("button.device", \.button.device, belongsToBox: "kept.not.button") { $0 },
        HandedOnSetting("button.key", \.button.key, belongsToBox: "kept.not.button") { $0 ?? "" },
        HandedOnSetting("button.long", \.button.long, belongsToBox: "kept.not.button") { "\($0 / 1000)" },
    ]

    /// The configuration with this setting at another value.
    /// - Throws: ``AgentProblem`` for a value that `agent.yaml` could not have either.
    func applied(_ value: String, to configuration: AgentConfiguration) throws(AgentProblem) -> AgentConfiguration {
        let name = "TRACKME_" + key.uppercased().replacing(".", with: "_")
        let reader = ConfigReader(providers: [EnvironmentVariablesProvider(environmentVariables: [name: value])])
        let other = try AgentConfiguration(stateDirectory: configuration.stateDirectory, config: reader)
        var changed = configuration
        copy(&changed, other)
        return changed
    }

    /// What this configuration says is what a box has that nobody set.
    func isDefault(in configuration: AgentConfiguration) -> Bool {
        text(configuration) == text(AgentConfiguration(stateDirectory: configuration.stateDirectory))
    }
}

extension AgentConfiguration {
    /// What it says other than the default, of what is handed on.
    var handedOn: [String: String] {
        let set = HandedOnSetting.all.filter { !$0.isDefault(in: self) }
        return Dictionary(uniqueKeysWithValues: set.map { ($0.key, $0.text(self)) })
    }

    private static let takenFile = "taken.json"

    /// With what this box took over of an earlier one: `agent.yaml` and the environment win where they say other than the default. What
    /// cannot be used counts as never taken over, and ``takenProblem`` says so: no box stands still by it.
    func withTaken() -> AgentConfiguration {
        var configuration = self, problems: [String] = []
        do throws(AgentProblem) {
            guard let content = try StateDirectory.read(Self.takenFile, in: stateDirectory) else { return self }
            if let taken = try? JSONDecoder().decode([String: String].self, from: Data(content)) {
                for setting in HandedOnSetting.all where setting.belongsToBox == nil && setting.isDefault(in: self) {
                    guard let value = taken[setting.key] else { continue }
                    do throws(AgentProblem) { configuration = try setting.applied(value, to: configuration) } catch {
                        problems.append("\(stateDirectory)/\(Self.takenFile): \(error.what)")
                    }
                }
            } else {
                problems = ["\(stateDirectory)/\(Self.takenFile) is damaged"]
            }
        } catch { problems = [error.what] }
        if !problems.isEmpty {
            let advice = "what it was to set is as \(Self.defaultFile) says: set it there, and delete \(Self.takenFile)"
            configuration.takenProblem = "\(problems.joined(separator: "; ")): \(advice)"
        }
        return configuration
    }

    /// Keeps what is taken over, for ``withTaken()``.
    static func keepTaken(_ settings: [String: String], in directory: StateDirectory) throws(AgentProblem) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        guard let content = try? encoder.encode(settings) else {
            throw AgentProblem("The settings cannot be written as JSON", advice: "Report this as an error of trackme-agent")
        }
        try directory.write(Array(content), to: takenFile)
    }
}
