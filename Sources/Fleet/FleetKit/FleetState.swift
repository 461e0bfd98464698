import Crypto
import Foundation
import SyncProtocol
import Vitals

/// The state of an enrolled fleet between commands. The file holds a private key: only its owner may read it.
struct FleetState: Codable, Sendable {
    /// Base URL of the hub, without a slash at the end.
    var url: String
    /// The hub's pinned CA as PEM; nil without TLS.
    var certificateAuthority: String?
    var agent: AgentID
    /// The P-256 private key, 32 bytes in hexadecimal.
    var key: String
    var persons: [PersonID]
    var token: String?
    /// Until when ``token`` is valid, UTC.
    var tokenExpires: Milliseconds
    /// The run that these people take part in, as `trackme-hub rehearse` left it.
    var run: FleetRun?
    /// The clock of the hub, where a race is played faster than it is.
    var clock: RaceClock?
    /// The made-up history that was sent.
    var year: YearSent?

    /// UTC of the hub, milliseconds.
    var now: Milliseconds { (clock ?? RaceClock()).now }

    init(contentsOf file: String) throws {
        let data: Data
        do { data = try Data(contentsOf: URL(fileURLWithPath: file)) } catch {
            throw FleetError(
                """
                The state file \(file) cannot be read. Give another one with --state, or make one: with trackme-hub rehearse … --state \(file) \
                for a race, or with trackme-fleet enrol 'URL#FINGERPRINT' CODE --state \(file)
                """)
        }
        do { self = try JSONDecoder().decode(FleetState.self, from: data) } catch {
            throw FleetError("\(file) is no state of a fleet: enrol again into another file.")
        }
    }

    init(url: String, certificateAuthority: String?, answer: EnrolmentAnswer, key: P256.Signing.PrivateKey) {
        self.url = url
        self.certificateAuthority = certificateAuthority
        agent = answer.agent
        self.key = Hexadecimal.string(key.rawRepresentation)
        persons = answer.persons.map(\.person)
        tokenExpires = 0
    }

    func privateKey() throws -> P256.Signing.PrivateKey {
        guard let bytes = Hexadecimal.bytes(key) else { throw FleetError("The key in the state file is damaged: enrol again.") }
        return try P256.Signing.PrivateKey(rawRepresentation: bytes)
    }

    /// Replaces the file as a whole: it is never half written and never readable by others.
    func write(to file: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        let fresh = file + ".new"
        try? FileManager.default.removeItem(atPath: fresh)
        let made = FileManager.default.createFile(
            atPath: fresh, contents: try encoder.encode(self), attributes: [.posixPermissions: 0o600])
        guard made, rename(fresh, file) == 0 else {
            throw FleetError("The state cannot be written to \(file): is the folder there and writable?")
        }
    }

    /// The first `count` people that this fleet may send for.
    func people(_ count: Int) throws -> ArraySlice<PersonID> {
        guard (1...persons.count).contains(count) else {
            throw FleetError("This fleet is enrolled for \(persons.count) people, not \(count): make a code for more, or ask for fewer.")
        }
        return persons.prefix(count)
    }
}
