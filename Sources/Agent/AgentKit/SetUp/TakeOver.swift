internal import BlueZ
public import Languages
internal import Seams
internal import SyncProtocol
internal import Vitals

/// The settings that this box would take over of an earlier box of its person, and those that it would not.
public struct TakeOver: Encodable, Sendable, Hashable {
    /// A line of it, for the person.
    struct Item: Encodable, Sendable, Hashable {
        /// What it is, as a key in the language files: `kept.role`; otherwise as the earlier box called it.
        var words: String
        /// What it is set to. Where there are words for it, they stand under `kept.role.gateway`.
        var value: String
        /// Key in the language files: why it is not taken over; nil where it is.
        var not: String?
    }

    /// The person's name for the earlier box.
    public let box: String
    let items: [Item]
    private let choices: BoxSettings.Choices
    private let configuration: [String: String]

    /// The state that the set-up page shows.
    private enum CodingKeys: CodingKey { case box, items }

    /// - Parameter configuration: of this box.
    init(_ kept: KeptSettings, for person: PersonID, on configuration: AgentConfiguration) {
        let settings = kept.settings
        var items: [Item] = [], choices = BoxSettings.Choices(person: person)
        func address(_ sensor: BoxSettingsCopy.Sensor, _ words: String) -> SensorAddress? {
            let address = SensorAddress(sensor.address), value = sensor.name ?? sensor.address
            items.append(Item(words: words, value: value, not: address == nil ? "kept.not.unknown" : nil))
            return address
        }
        if let sensor = settings.sensor {
            choices.sensor = address(sensor, "kept.sensor")
            choices.sensorName = choices.sensor == nil ? nil : sensor.name
        }
        let others = settings.others.prefix(BoxSettings.othersMax).compactMap { sensor in
            address(sensor, "kept.other").map { BoxSettings.OtherSensor(address: $0, name: sensor.name) }
        }
        choices.others = others.isEmpty ? nil : others
        for kind in settings.off {
            let path = Kinds.handedOn[kind]
            if let path { choices.kinds[keyPath: path] = false }
            items.append(Item(words: "kept.off", value: kind, not: path == nil ? "kept.not.unknown" : nil))
        }
        var taken: [String: String] = [:]
        for (key, value) in settings.configuration.sorted(by: { $0.key < $1.key }) {
            let not = Self.obstacle(key, value, on: configuration)
            if not == nil { taken[key] = value }
            items.append(Item(words: HandedOnSetting.all.contains { $0.key == key } ? "kept.\(key)" : key, value: value, not: not))
        }
        (box, self.items, self.choices, self.configuration) = (kept.box, items, choices, taken)
    }

    /// Why a setting is not taken over: key in the language files.
    private static func obstacle(_ key: String, _ value: String, on configuration: AgentConfiguration) -> String? {
        guard let setting = HandedOnSetting.all.first(where: { $0.key == key }) else { return "kept.not.unknown" }
        if let why = setting.belongsToBox { return why }
        guard setting.isDefault(in: configuration) else { return "kept.not.own" }
        return (try? setting.applied(value, to: configuration)) == nil ? "kept.not.unknown" : nil
    }

    /// What the person is asked about: nothing where the box serves several people, and where this person has chosen sensors at this box.
    static func offers(
        _ kept: KeptSettingsList?, to persons: [BoundPerson], on configuration: AgentConfiguration, machine: Machine
    ) -> [TakeOver] {
        guard let kept, persons.count == 1, let person = persons.first?.person else { return [] }
        guard BoxSettings.peek(in: configuration.stateDirectory, machine: machine)[person].sensor == nil else { return [] }
        return kept.items.map { TakeOver($0, for: person, on: configuration) }
    }

    /// Keeps it, for the agent that starts next. Who else had these sensors at this box loses them: two people's readings must not mix.
    /// - Returns: what was wrong with what people had chosen at this box, which is lost then; nil for nothing.
    func keep(in directory: StateDirectory) throws(AgentProblem) -> String? {
        var (settings, damage) = BoxSettings.load(from: directory), own = choices
        for sensor in [own.sensor].compactMap(\.self) + (own.others ?? []).map(\.address) { settings.forget(sensor) }
        // A pause is no setting of the earlier box, and goes on.
        own.pause = settings[own.person].pause
        settings[own.person] = own
        try AgentConfiguration.keepTaken(configuration, in: directory)
        try settings.save(to: directory)
        return damage
    }

    /// The lines in words: what is taken over, then what is not, and why.
    public func lines(in language: Language) -> [String] {
        let wording = Wording(language)
        let told = items.map { item in
            let name = wording.words[item.words] ?? item.words, value = wording.words["\(item.words).\(item.value)"] ?? item.value
            return (line: "\(name): \(value)", why: item.not.map { wording[$0] })
        }
        return told.filter { $0.why == nil }.map(\.line) + told.compactMap { told in told.why.map { "\(told.line) – \($0)" } }
    }
}

extension Kinds {
    /// By their words on the wire, which the language files have, too: `kept.off.position`.
    fileprivate static let handedOn: [String: any WritableKeyPath<Kinds, Bool> & Sendable] = [
        "heartRate": \.heartRate, "position": \.position,
    ]
}

extension BoxSettingsCopy {
    /// The settings of a box of one person.
    init(_ choices: BoxSettings.Choices, _ configuration: AgentConfiguration) {
        let off = Kinds.handedOn.filter { !choices.kinds[keyPath: $0.value] }.keys.sorted()
        self.init(
            sensor: choices.sensor.map { Sensor(address: $0.description, name: choices.sensorName) },
            others: (choices.others ?? []).map { Sensor(address: $0.address.description, name: $0.name) }, off: off,
            configuration: configuration.handedOn)
    }
}

extension Box {
    /// For the person's next box; nil for a box of several people, and for what the hub would not take.
    func settingsToHandOn() -> BoxSettingsCopy? {
        guard context.people.count == 1, let person = context.people.first else { return nil }
        let copy = BoxSettingsCopy(choices[person], context.configuration)
        return copy.isPlausible ? copy : nil
    }

    /// The box's report of itself to its hub.
    func condition() -> BoxCondition {
        var condition = BoxCondition(status())
        condition.settings = settingsToHandOn()
        return condition
    }
}
