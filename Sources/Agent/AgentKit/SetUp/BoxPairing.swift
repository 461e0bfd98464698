internal import Crypto
internal import Foundation
internal import Seams
internal import SyncProtocol
internal import Vitals

/// The box's side of ``SyncProtocol/Pairing``: it knows a hub, and both have words to compare. Nothing is kept on the box yet.
struct BoxPairing: Sendable {
    /// Where a hub is found, and by which code it takes this box.
    struct Request: Sendable, Hashable {
        /// `https://HOST[:PORT]`.
        var hub: String
        var code: String
        /// SHA-256 of the hub's CA certificate; nil when somebody typed hub and code.
        var fingerprint: [UInt8]?
        /// What the owner calls the box; 1 to 64 characters.
        var name: String
    }

    /// For the person to compare with those that the hub shows.
    let words: String
    let hub: HubAddress
    private let name: String
    private let key: P256.Signing.PrivateKey
    private let authority: PinnedAuthority?
    private let pairing: String
    private let configuration: AgentConfiguration
    private let machine: Machine

    /// Asks the hub, and opens the box's commitment once it has the hub's nonce.
    /// - Throws: ``AgentProblem``, with a kind where the set-up page has words for it.
    static func begin(_ request: Request, configuration: AgentConfiguration, machine: Machine) async throws -> BoxPairing {
        let address: HubAddress
        do throws(AgentProblem) { address = try HubAddress(request.hub) } catch {
            throw AgentProblem(error.what, advice: error.advice, kind: .hubAddress)
        }
        do { _ = try Enrolment.Place(configuration, replaces: false, machine: machine) } catch {
            let problem = error as? AgentProblem
            throw AgentProblem(problem?.what ?? "\(error)", advice: problem?.advice ?? "Look at the agent's log", kind: .setUpDisk)
        }
        let shown = try await Enrolment.shownAuthority(address, configuration)
        // A hub with a certificate that every system knows shows none of its own.
        let isSystem = shown.status == 404 && request.fingerprint == nil
        let authority = isSystem ? nil : try Enrolment.authority(shown, of: address, fingerprint: request.fingerprint)

        let key = Identity.newKey(machine.randomness), nonce = machine.randomness.bytes(Pairing.nonceBytes)
        let publicKey = Array(key.publicKey.x963Representation)
        let commitment = SHA256.hash(data: Pairing.commitment(publicKey: publicKey, nonce: nonce))
        let offer = PairingOffer(
            code: request.code, publicKey: Hexadecimal.string(publicKey), name: request.name,
            commitment: Hexadecimal.string(Array(commitment)))
        let client = try client(address, authority, configuration)
        let terms: PairingTerms
        do {
            terms = try await ask(SyncRoute.pairing, offer, over: client)
            let opening = PairingOpening(pairing: terms.pairing, nonce: Hexadecimal.string(nonce))
            let _: PairingOutcome = try await ask(SyncRoute.pairingOpening, opening, over: client)
        } catch {
            await client.shutdown()
            throw error
        }
        await client.shutdown()
        guard let hubNonce = Hexadecimal.bytes(terms.nonce), hubNonce.count == Pairing.nonceBytes else {
            throw AgentProblem("\(address) answered with a nonce of another length", advice: "Check the address", kind: .hubUnreachable)
        }
        let words = Pairing.words(publicKey: publicKey, authority: authority?.der ?? [], boxNonce: nonce, hubNonce: hubNonce)
        return BoxPairing(
            words: KeyWords.words(of: SHA256.hash(data: words), count: Pairing.wordCount), hub: address, name: request.name, key: key,
            authority: authority, pairing: terms.pairing, configuration: configuration, machine: machine)
    }

    /// The person has confirmed the words here: asks the hub whether there, too, and keeps what the box then is.
    /// - Returns: nil while the person has not, and while the hub cannot be reached. Then what the box may take over of earlier ones.
    /// - Throws: ``AgentProblem`` when the set-up is over at the hub, or the identity cannot be kept.
    func claim() async throws -> [TakeOver]? {
        let client = try Self.client(hub, authority, configuration), outcome: PairingOutcome
        do {
            outcome = try await Self.ask(SyncRoute.pairingClaim, PairingClaim(pairing: pairing), over: client)
        } catch {
            await client.shutdown()
            guard let problem = error as? AgentProblem, problem.isFinal else { return nil }
            throw problem
        }
        await client.shutdown()
        guard let answer = outcome.enrolment else { return nil }
        let identity = Identity(agent: answer.agent, name: name, hub: hub, certificateAuthority: authority?.pem, persons: answer.persons)
        do { try Enrolment.Place(configuration, replaces: false, machine: machine).keep(identity, key) } catch {
            let problem = error as? AgentProblem
            throw AgentProblem(problem?.what ?? "\(error)", advice: problem?.advice ?? "Look at the agent's log", kind: .setUpDisk)
        }
        return TakeOver.offers(answer.kept, to: answer.persons, on: configuration, machine: machine)
    }

    private static func client(
        _ address: HubAddress, _ authority: PinnedAuthority?, _ configuration: AgentConfiguration
    ) throws(AgentProblem) -> HubClient {
        var trust = HubClient.Trust.system
        if let authority { trust = .pinned(try PinnedRoots(authority.pem)) }
        return try HubClient(address, trust: trust, configuration: configuration)
    }

    private static func ask<Message: Encodable & Sendable, Answer: Decodable & Sendable>(
        _ path: String, _ message: Message, over client: HubClient
    ) async throws -> Answer {
        let body = Array(try JSONEncoder().encode(WireForm(message)))
        let result = await Result { () async throws(HubClient.Unreachable) in
            try await client.send(.post, path, headers: [("Content-Type", "application/json")], body: body, repeatable: false)
        }
        switch Uploader.Reply<Answer>(result, from: client.address) {
        case .answer(let answer): return answer
        case .refused(let status, _, let error):
            let kind: AgentProblem.Kind =
                switch error?.error {
                case "invalid_code": .setUpCode
                case "invalid_pairing": .setUpOver
                case nil where status == 404: .hubOld
                default: .hubUnreachable
                }
            var problem = AgentProblem(
                "\(client.address) refused the set-up (\(error?.description ?? "status \(status)"))",
                advice: "Begin again on the hub's page Boxes", kind: kind)
            problem.isFinal = error != nil && (400..<500).contains(status) && status != 408 && status != 429
            throw problem
        case .notTheHub(let reason), .unreachable(let reason):
            throw AgentProblem(reason, advice: "Check the address and the network, then try again", kind: .hubUnreachable)
        }
    }
}
