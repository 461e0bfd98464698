import Credentials
import Crypto
import Foundation
public import HubStore
import Seams
public import SyncProtocol
public import Vitals

/// How a box becomes an agent (EDGE-14): a code of 8 characters, valid for 10 minutes, once.
public struct Enrolment: Sendable {
    private let accounts: AccountStore

    /// Ten minutes.
    public static let codeLifetime: Milliseconds = 600_000

    private static let purpose = "enrolment"

    public init(accounts: AccountStore) { self.accounts = accounts }

    /// Makes a code for a box that will send for these persons.
    public func makeCode(for people: [PersonID], now: Milliseconds) throws -> String {
        let code = ShortCode.random(using: accounts.randomness)
        try accounts.agents.addEnrolmentCode(hash: code.hash(purpose: Self.purpose), people: people, expires: now + Self.codeLifetime)
        return code.text
    }

    /// Where codes and nonces come from.
    var randomness: Randomness { accounts.randomness }

    /// The key that a box sent, uncompressed point, after it and the box's name were checked.
    static func key(_ text: String, name: String) throws(ErrorAnswer) -> [UInt8] {
        guard (1...64).contains(name.count) else {
            throw ErrorAnswer(error: "invalid_request", description: "The box's name has 1 to 64 characters.")
        }
        guard let key = Hexadecimal.bytes(text), (try? P256.Signing.PublicKey(x963Representation: key)) != nil else {
            throw ErrorAnswer(error: "invalid_request", description: "The public key is no uncompressed point on P-256.")
        }
        return key
    }

    /// Answers an enrolment request.
    public func enrol(_ request: EnrolmentRequest, now: Milliseconds) throws -> EnrolmentAnswer {
        let key = try Self.key(request.publicKey, name: request.name)
        guard let code = ShortCode(typed: request.code),
            let agent = try accounts.agents.enrol(codeHash: code.hash(purpose: Self.purpose), publicKey: key, name: request.name, now: now)
        else {
            throw ErrorAnswer(
                error: "invalid_code",
                description:
                    "This code is unknown, was used, or is older than 10 minutes. Make a new one with `trackme-hub enrolment-code`.")
        }
        let people = try agent.people.keys.sorted().compactMap { id in
            try accounts.person(id).map { BoundPerson(person: $0.id, name: $0.name) }
        }
        let kept = people.count == 1 ? BoxSettingsKeeper.offer(to: people[0].person, accounts) : nil
        return EnrolmentAnswer(agent: agent.id, hub: accounts.incarnation, persons: people, kept: kept)
    }
}
