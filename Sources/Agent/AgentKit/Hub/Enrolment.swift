internal import Crypto
internal import Foundation
internal import Logging
internal import SampleBuffer
public import Seams
internal import SyncProtocol
internal import Vitals

/// Makes this box an agent of a hub.
public struct Enrolment: Sendable {
    /// `https://HOST:PORT#FINGERPRINT` as the hub printed it; without a fingerprint the system's trust decides about the hub.
    public var hub: String
    public var code: String
    /// The owner's name for the box.
    public var name: String
    /// Forget an earlier enrolment.
    public var replaces: Bool

    public init(hub: String, code: String, name: String, replaces: Bool) {
        self.hub = hub
        self.code = code
        self.name = name
        self.replaces = replaces
    }

    public struct Outcome: Sendable {
        public var identity: Identity
        /// For the owner to compare with those that the hub shows.
        public var keyWords: String
        /// The earlier box whose settings were taken over; nil for none.
        public var taken: TakeOver?
        /// What was wrong with what people had chosen at this box before, and is lost now; nil for nothing.
        public var damage: String?
    }

    /// - Parameter choose: picks one of the person's earlier boxes, whose settings are taken over; nil for none. Not asked where none is kept.
    public func perform(
        configuration: AgentConfiguration, machine: Machine = .system, choose: ([TakeOver]) throws -> TakeOver? = { _ in nil }
    ) async throws -> Outcome {
        let parts = hub.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let address = try HubAddress(String(parts.first ?? ""))
        let place = try Place(configuration, replaces: replaces, machine: machine)
        let authority = parts.count == 2 ? try await fetchAuthority(address, fingerprint: String(parts[1]), configuration) : nil

        let key = Identity.newKey(machine.randomness)
        let publicKey = Array(key.publicKey.x963Representation)
        let client = try HubClient(
            address, trust: authority.map { .pinned(try PinnedRoots($0.pem)) } ?? .system, configuration: configuration)
        let request = EnrolmentRequest(code: code, publicKey: Hexadecimal.string(publicKey), name: name)
        let reply = await enrol(request, over: client)
        await client.shutdown()
        let answer = try Self.unwrap(reply, from: address)

        let identity = Identity(
            agent: answer.agent, name: name, hub: address, certificateAuthority: authority?.pem, persons: answer.persons)
        let offers = TakeOver.offers(answer.kept, to: answer.persons, on: configuration, machine: machine)
        let taken = offers.isEmpty ? nil : try choose(offers)
        // Before the identity, with which the agent starts.
        let damage = try taken?.keep(in: place.directory)
        try place.keep(identity, key)
        let words = KeyWords.words(of: SHA256.hash(data: publicKey + (authority?.der ?? [])))
        return Outcome(identity: identity, keyWords: words, taken: taken, damage: damage)
    }

    /// Where the identity goes. A box that has one, and a buffer that cannot be used, are told before a code is spent.
    struct Place {
        let directory: StateDirectory
        private let buffer: SampleBuffer

        init(_ configuration: AgentConfiguration, replaces: Bool, machine: Machine) throws {
            // Whoever left before is not taken for somebody whom this enrolment binds.
            _ = Departure.finish(configuration, machine: machine, logger: Logger(label: "trackme-agent"))
            directory = try StateDirectory(configuration.stateDirectory, machine: machine)
            if !replaces, let known = try Identity.load(from: directory.path, machine: machine) {
                throw AgentProblem.enrolledAlready(known.hub)
            }
            buffer = try SampleBuffer(directory: directory.path, limits: configuration.buffer, machine: machine)
            _ = try buffer.status()
        }

        func keep(_ identity: Identity, _ key: P256.Signing.PrivateKey) throws {
            try identity.save(key: key, to: directory)
            try buffer.forgetToken()
            // What a hub refused that did not know for whom this box sends. It is kept as long as that is not done.
            let people = Set(identity.persons.map(\.person)), withheld = WithheldSegments(buffer)
            try? withheld.release(besides: people)
            _ = try? withheld.bringBack(people)
        }
    }

    private func enrol(_ request: EnrolmentRequest, over client: HubClient) async -> Uploader.Reply<EnrolmentAnswer> {
        do {
            let response = try await client.send(
                .post, SyncRoute.enrolment, headers: [("Content-Type", "application/json")],
                body: Array(JSONEncoder().encode(WireForm(request))), repeatable: false)
            return .init(.success(response), from: client.address)
        } catch let error as HubClient.Unreachable {
            return .init(.failure(error), from: client.address)
        } catch {
            return .unreachable("\(error)")
        }
    }

    private func fetchAuthority(
        _ address: HubAddress, fingerprint: String, _ configuration: AgentConfiguration
    ) async throws -> PinnedAuthority {
        guard let wanted = Hexadecimal.bytes(fingerprint.filter { $0 != ":" }), wanted.count == 32 else {
            throw AgentProblem(
                "The fingerprint behind # has not 64 hexadecimal digits", advice: "Copy the whole line that the hub printed")
        }
        let response = try await Self.shownAuthority(address, configuration)
        return try Self.authority(response, of: address, fingerprint: wanted)
    }

    /// The hub's answer where its CA certificate is. Nobody knows yet whether it is the hub.
    static func shownAuthority(_ address: HubAddress, _ configuration: AgentConfiguration) async throws -> HubClient.Response {
        let client = try HubClient(address, trust: .nobody, configuration: configuration)
        let result = await Result { () async throws(HubClient.Unreachable) in
            try await client.send(.get, SyncRoute.certificateAuthority)
        }
        await client.shutdown()
        switch result {
        case .success(let response): return response
        case .failure(let error):
            throw AgentProblem(
                "\(error)", advice: "Check the address, and that the hub runs and lets this box through", kind: .hubUnreachable)
        }
    }

    /// The CA certificate that the hub showed, if it is the one with the fingerprint.
    /// - Parameter fingerprint: nil where a person compares words of it afterwards.
    static func authority(
        _ response: HubClient.Response, of address: HubAddress, fingerprint: [UInt8]?
    ) throws(AgentProblem) -> PinnedAuthority {
        do throws(PinnedAuthority.Problem) {
            guard response.status == 200 else { throw .notOneCertificate(0) }
            return try PinnedAuthority(response.body, fingerprint: fingerprint)
        } catch {
            switch error {
            case .notOneCertificate(let count) where count > 1:
                throw AgentProblem(
                    "\(address) shows \(count) CA certificates instead of one",
                    advice: "Do not go on; somebody may stand between this box and the hub. Try again from another network",
                    kind: .hubStranger)
            case .notOneCertificate:
                throw AgentProblem(
                    "\(address) shows no CA certificate (status \(response.status))",
                    advice: "Check the address; on a guest network log in first", kind: .hubUnreachable)
            case .otherFingerprint:
                throw AgentProblem(
                    "\(address) is not the hub that printed this code: its certificate has another fingerprint",
                    advice: "Do not go on; somebody may stand between this box and the hub. Compare the fingerprint with the hub's",
                    kind: .hubStranger)
            }
        }
    }

    private static func unwrap<Answer>(_ reply: Uploader.Reply<Answer>, from address: HubAddress) throws(AgentProblem) -> Answer {
        switch reply {
        case .answer(let answer): return answer
        case .refused(let status, _, let error):
            var problem = AgentProblem(
                "\(address) refused the enrolment (\(error?.description ?? "status \(status)"))",
                advice: "Codes are valid for 10 minutes and once: make a new one with `trackme-hub enrolment-code --person …`")
            // A hub that is busy, or starting, may take the same code later; and only a hub's own word counts.
            problem.isFinal = error != nil && (400..<500).contains(status) && status != 408 && status != 429
            throw problem
        case .notTheHub(let reason), .unreachable(let reason):
            throw AgentProblem(reason, advice: "Check the address and the network, then try again with the same code")
        }
    }
}

extension Result where Success: Sendable {
    init(_ body: () async throws(Failure) -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
