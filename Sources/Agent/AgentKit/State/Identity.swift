internal import Crypto
internal import Foundation
public import Seams
public import SyncProtocol
public import Vitals

/// The identity of this box, and its hub. A file of its own beside the key, not a row of the buffer: a damaged buffer must not cost
/// the enrolment.
public struct Identity: Codable, Sendable, Hashable {
    public var agent: AgentID
    /// The owner's name for the box.
    public var name: String
    public var hub: HubAddress
    /// The only trust root for the hub; nil means the system's.
    public var certificateAuthority: String?
    /// The CA that will follow ``certificateAuthority``, once the hub has announced it: trusted beside it.
    var nextAuthority: String?
    /// For whom this agent may send.
    public var persons: [BoundPerson]

    init(agent: AgentID, name: String, hub: HubAddress, certificateAuthority: String?, persons: [BoundPerson]) {
        (self.agent, self.name, self.hub) = (agent, name, hub)
        (self.certificateAuthority, self.persons) = (certificateAuthority, persons)
    }

    private static let file = "identity.json"
    /// Named by the agent, so that the one rename of ``file`` decides which key belongs to the box.
    private var keyFile: String { "key-\(agent).pem" }
    /// Of boxes that were enrolled when the key had this name.
    private static let keyFileBefore = "key.pem"

    /// nil when the box is not enrolled.
    public static func load(from directory: String, machine: Machine = .system) throws(AgentProblem) -> Identity? {
        guard let content = try StateDirectory.read(file, in: directory, machine: machine) else { return nil }
        guard let identity = try? JSONDecoder().decode(Identity.self, from: Data(content)) else {
            throw AgentProblem(
                "\(directory)/\(file) is damaged", advice: "Enrol the box again with `trackme-agent enrol --replace URL CODE`")
        }
        return identity
    }

    static func newKey(_ randomness: Randomness = .system) -> P256.Signing.PrivateKey {
        randomness.made(of: 32) { try? P256.Signing.PrivateKey(rawRepresentation: $0) }
    }

    /// Killed at any point, the directory holds the whole old identity or the whole new one.
    func save(key: P256.Signing.PrivateKey, to directory: StateDirectory) throws(AgentProblem) {
        try directory.write(Array(key.pemRepresentation.utf8), to: keyFile)
        try save(to: directory)
        directory.remove { $0 != keyFile && $0.hasPrefix("key") && ($0.hasSuffix(".pem") || $0.hasSuffix(".pem.new")) }
    }

    /// Beside a key that is stored already.
    func save(to directory: StateDirectory) throws(AgentProblem) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let content = try? encoder.encode(self) else {
            throw AgentProblem("The identity cannot be written as JSON", advice: "Report this as an error of trackme-agent")
        }
        try directory.write(Array(content), to: Self.file)
    }

    func key(in directory: String, machine: Machine = .system) throws(AgentProblem) -> P256.Signing.PrivateKey {
        guard let pem = try pem(in: directory, machine: machine), let key = try? P256.Signing.PrivateKey(pemRepresentation: pem) else {
            throw AgentProblem(
                "The key \(directory)/\(keyFile) is missing or damaged",
                advice: "Enrol the box again with `trackme-agent enrol --replace URL CODE`")
        }
        return key
    }

    /// The pinned certificate; nil where the system's trust decides.
    func roots() throws(AgentProblem) -> PinnedRoots? {
        guard let certificateAuthority else { return nil }
        return try PinnedRoots(certificateAuthority, successor: nextAuthority)
    }

    /// The key as it is stored; nil when there is none.
    func pem(in directory: String, machine: Machine = .system) throws(AgentProblem) -> String? {
        var content = try StateDirectory.read(keyFile, in: directory, machine: machine)
        if content == nil { content = try StateDirectory.read(Self.keyFileBefore, in: directory, machine: machine) }
        return content.map { String(decoding: $0, as: UTF8.self) }
    }

    /// For messages: identifiers and names.
    public var personList: String { persons.map { "\($0.person) (\($0.name))" }.joined(separator: ", ") }

    /// The person that was asked for by identifier or name, or the only one.
    public func person(_ wanted: String?) throws(AgentProblem) -> BoundPerson {
        guard let wanted else {
            if persons.count == 1 { return persons[0] }
            throw AgentProblem(
                persons.isEmpty ? "This box is bound to nobody" : "This box is bound to several persons: \(personList)",
                advice: persons.isEmpty ? "Enrol it for a person" : "Say for whom with --person")
        }
        let matches = persons.filter { $0.person.description == wanted.lowercased() || $0.name == wanted }
        guard matches.count == 1 else {
            throw AgentProblem(
                matches.isEmpty ? "This box is not bound to \(wanted)" : "Several persons are called \(wanted)",
                advice: "Give one of these identifiers with --person: \(personList)")
        }
        return matches[0]
    }
}
