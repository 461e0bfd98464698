internal import BlueZ
internal import Foundation
internal import Seams
internal import Vitals

/// People's choices at the box. A file of its own beside the identity: a damaged buffer must not cost the sensor.
struct BoxSettings: Codable, Sendable, Hashable {
    private var persons: [Choices] = []

    /// Of one person.
    struct Choices: Codable, Sendable, Hashable {
        var person: PersonID
        var sensor: SensorAddress?
        /// As the sensor calls itself.
        var sensorName: String?
        /// Sensors beside it: thermometers, pods, cadence sensors. nil: none, and in files of 0.3.0.
        var others: [OtherSensor]?
        /// The kinds that are collected and sent (EDGE-7).
        var kinds = Kinds()
        var pause: Pause?
    }

    /// A sensor that tells no heart rate.
    struct OtherSensor: Codable, Sendable, Hashable {
        var address: SensorAddress
        /// As it calls itself.
        var name: String?
    }

    /// Of one person. An adapter keeps some seven links at a time.
    static let othersMax = 3

    /// A pause that ends after a restart too, and at its time whatever the wall clock does.
    struct Pause: Codable, Sendable, Hashable {
        var boot: BootID
        /// In that boot's clock.
        var until: Milliseconds
        /// For people, and for other boots; 0 while nothing has confirmed what time it is.
        var utc: Milliseconds

        var knownUTC: Milliseconds? { utc == 0 ? nil : utc }
    }

    subscript(person: PersonID) -> Choices {
        get { persons.first { $0.person == person } ?? Choices(person: person) }
        set {
            persons.removeAll { $0.person == person }
            persons.append(newValue)
        }
    }

    /// The choices of the other people.
    func without(_ people: Set<PersonID>) -> BoxSettings {
        var rest = self
        rest.persons.removeAll { people.contains($0.person) }
        return rest
    }

    /// Binds a sensor to one person, and takes it from everybody else: two people's readings must not mix.
    mutating func use(_ sensor: SensorAddress, name: String?, for person: PersonID) {
        forget(sensor)
        self[person].sensor = sensor
        self[person].sensorName = name
    }

    /// Likewise, to be listened to beside the one that tells the heart rate. False: there are ``othersMax`` already.
    mutating func add(_ sensor: SensorAddress, name: String?, for person: PersonID) -> Bool {
        let others = (self[person].others ?? []).filter { $0.address != sensor }
        guard others.count < Self.othersMax else { return false }
        forget(sensor)
        self[person].others = others + [OtherSensor(address: sensor, name: name)]
        return true
    }

    /// Takes a sensor from everybody who has it.
    mutating func forget(_ sensor: SensorAddress) {
        for index in persons.indices {
            if persons[index].sensor == sensor { (persons[index].sensor, persons[index].sensorName) = (nil, nil) }
            persons[index].others?.removeAll { $0.address == sensor }
            if persons[index].others == [] { persons[index].others = nil }
        }
    }
}

extension BoxSettings {
    private static let file = "settings.json"

    /// Without a file, nothing is chosen. The same holds for one that is damaged or cannot be read, and `damage` says so: that keeps nobody
    /// from getting help. A damaged one is set aside where the disk takes it.
    static func load(from directory: StateDirectory) -> (settings: BoxSettings, damage: String?) {
        let advice = "choose the sensor again with `trackme-agent sensors use`"
        var content: [UInt8]?
        for left in (0..<3).reversed() {
            do throws(AgentProblem) {
                content = try directory.read(file)
                break
            } catch {
                if left == 0 { return (BoxSettings(), "\(error.what): \(advice)") }
                // A card that fails may give it a moment later.
                directory.machine.block(for: .milliseconds(200))
            }
        }
        guard let content else { return (BoxSettings(), nil) }
        if let settings = try? JSONDecoder().decode(BoxSettings.self, from: Data(content)) { return (settings, nil) }
        var kept = "is kept as \(file).damaged"
        do throws(AgentProblem) { try directory.write(content, to: file + ".damaged") } catch {
            kept = "could not be set aside (\(error.what))"
        }
        return (BoxSettings(), "\(directory.path)/\(file) was damaged and \(kept): \(advice)")
    }

    /// The choices, without a reason where they cannot be read.
    static func peek(in directory: String, machine: Machine) -> BoxSettings {
        let content = (try? StateDirectory.read(file, in: directory, machine: machine)) ?? []
        return (try? JSONDecoder().decode(BoxSettings.self, from: Data(content))) ?? BoxSettings()
    }

    func save(to directory: StateDirectory) throws(AgentProblem) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let content = try? encoder.encode(self) else {
            throw AgentProblem("The settings cannot be written as JSON", advice: "Report this as an error of trackme-agent")
        }
        try directory.write(Array(content), to: Self.file)
    }
}
