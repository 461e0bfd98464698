internal import Foundation
internal import Logging
internal import SampleBuffer
internal import Seams
internal import SyncProtocol
internal import Vitals

/// Erasure of the data of people who were deleted at the hub, or left the box.
///
/// Their names stand in a file from the hub's word on until the last trace of them is gone, so that a box that loses its power in between goes on
/// at its next start. The file comes first: nothing is collected of whoever it names.
enum Departure {
    static let file = "leaving.json"

    /// People to erase; nobody where the file is missing or damaged: the hub says it again.
    static func noted(in directory: String, machine: Machine) -> Set<PersonID> {
        guard let content = try? StateDirectory.read(file, in: directory, machine: machine) else { return [] }
        return (try? JSONDecoder().decode(Set<PersonID>.self, from: Data(content))) ?? []
    }

    /// Erases whoever is noted, before anything else opens their data. A box whose last person is gone belongs to no hub any more.
    ///
    /// A disk that refuses keeps nobody else from being protected: it is told, and tried again at the next start.
    /// - Returns: whose data is gone now, for those beside the box.
    static func finish(_ configuration: AgentConfiguration, machine: Machine, logger: Logger) -> [BoundPerson] {
        let people = noted(in: configuration.stateDirectory, machine: machine)
        guard !people.isEmpty else { return [] }
        do {
            let directory = try StateDirectory(configuration.stateDirectory, machine: machine)
            // One that cannot be read is no reason to erase the others.
            let identity = try Identity.load(from: directory.path, machine: machine)
            let gone = identity?.persons.filter { people.contains($0.person) } ?? []
            if let identity, identity.persons.contains(where: { !people.contains($0.person) }) {
                try erase(people, from: identity, configuration, directory)
            } else {
                try eraseAll(directory)
            }
            logger.notice("what this box held of people who left was erased", metadata: ["people": "\(people.count)"])
            return gone
        } catch {
            logger.error("what this box holds of people who left is not erased yet: \(error). It is tried again at the next start")
            return []
        }
    }

    /// Others stay: each file without those who left. The note goes last.
    private static func erase(
        _ people: Set<PersonID>, from identity: Identity, _ configuration: AgentConfiguration, _ directory: StateDirectory
    ) throws {
        var rest = identity
        rest.persons.removeAll { people.contains($0.person) }
        try SampleBuffer(directory: directory.path, limits: configuration.buffer, machine: directory.machine).erase(people)
        try BoxSettings.load(from: directory).settings.without(people).save(to: directory)
        try SOSSettingsFile.erase(people, from: directory)
        try SOSStateFile.erase(people, from: directory)
        try LastPlaceFile.erase(people, from: directory)
        directory.remove { $0.hasSuffix(".damaged") }
        try rest.save(to: directory)
        directory.remove { $0 == file }
    }

    /// Nobody is left: identity, key, buffer and all that was learned here. The note goes last.
    private static func eraseAll(_ directory: StateDirectory) throws(AgentProblem) {
        let stays = ["lock", file]
        directory.remove { !stays.contains($0) && !$0.hasPrefix("buffer.sqlite") && $0.contains(".") }
        directory.remove { $0.hasPrefix("buffer.sqlite") }
        if let left = try Identity.load(from: directory.path, machine: directory.machine) {
            throw AgentProblem("\(directory.path) still holds the identity of \(left.agent)", advice: "Make it writable for its owner")
        }
        directory.remove { $0 == file }
    }
}
