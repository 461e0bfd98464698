import Credentials
import Crypto
import HubServices
import HubStore
import SyncProtocol
import TestSupport
import Testing
import Vitals

/// How a box that is set up by its page becomes an agent.
struct PairingsTests {
    private static let authority: [UInt8] = [1, 2, 3]

    /// A person, the hub's side, and a box.
    private struct Scene {
        let services: ServicesFixture
        let pairings: Pairings
        let key = P256.Signing.PrivateKey()
        let nonce = [UInt8](repeating: 7, count: Pairing.nonceBytes)
        var person: PersonID { services.person }
        var now: Milliseconds { services.clock.now }

        init() throws {
            services = try ServicesFixture()
            pairings = Pairings(Enrolment(accounts: services.accounts)) { PairingsTests.authority }
        }

        var publicKey: [UInt8] { Array(key.publicKey.x963Representation) }

        func begin() throws -> String {
            pairings.begin(for: person, now: now)
            return try #require(pairings.shown(to: person, now: now)).code.text
        }

        func offer(_ code: String, committedTo nonce: [UInt8]? = nil) throws -> PairingTerms {
            let commitment = SHA256.hash(data: Pairing.commitment(publicKey: publicKey, nonce: nonce ?? self.nonce))
            return try pairings.offer(
                PairingOffer(
                    code: code, publicKey: Hexadecimal.string(publicKey), name: "box", commitment: Hexadecimal.string(commitment)),
                now: now)
        }

        func open(_ terms: PairingTerms) throws {
            _ = try pairings.open(PairingOpening(pairing: terms.pairing, nonce: Hexadecimal.string(nonce)), now: now)
        }

        func claim(_ terms: PairingTerms) throws -> EnrolmentAnswer? {
            try pairings.claim(PairingClaim(pairing: terms.pairing), now: now).enrolment
        }

        /// As the box computes them.
        func words(_ terms: PairingTerms) throws -> String {
            let hubNonce = try #require(Hexadecimal.bytes(terms.nonce))
            let words = Pairing.words(publicKey: publicKey, authority: authority, boxNonce: nonce, hubNonce: hubNonce)
            return KeyWords.words(of: SHA256.hash(data: words), count: Pairing.wordCount)
        }

        var stage: Pairings.Shown.Stage? { pairings.shown(to: person, now: now)?.stage }
        func agents() throws -> Int { try services.accounts.agents.agents().count }
    }

    @Test("EDGE-14, EDGE-16: a box that is set up becomes an agent once the same words were confirmed on both sides, and not before")
    func wholeWay() throws {
        let scene = try Scene()
        let terms = try scene.offer(try scene.begin())
        #expect(scene.stage == .waiting)
        #expect(throws: ErrorAnswer.self, "the commitment is not open") { try scene.claim(terms) }
        try scene.open(terms)
        let words = try scene.words(terms)
        #expect(scene.stage == .compare(words: words, name: "box"))
        #expect(try scene.claim(terms) == nil && scene.agents() == 0, "confirmed at the box alone")
        #expect(!scene.pairings.confirm("babab-babab", by: scene.person, now: scene.now), "a page that was left open")
        #expect(try scene.claim(terms) == nil)
        #expect(scene.pairings.confirm(words, by: scene.person, now: scene.now))
        #expect(scene.stage == .confirmed(words: words, name: "box"))
        #expect(try scene.agents() == 0, "confirmed at the hub alone")
        let answer = try #require(try scene.claim(terms))
        #expect(answer.persons.map(\.person) == [scene.person])
        #expect(try scene.claim(terms) == answer && scene.agents() == 1, "the answer may be lost on its way")
        #expect(scene.stage == .done(name: "box"))
        let agent = try #require(try scene.services.accounts.agents.agent(answer.agent))
        #expect(agent.publicKey == scene.publicKey && agent.people[scene.person] != nil)
        scene.pairings.refuse(by: scene.person)
        #expect(scene.stage == .done(name: "box"), "what is done is disconnected on the page Boxes")
    }

    @Test("EDGE-14, EDGE-16: a code of the set-up works once, for ten minutes, until the next one, and for no enrolment without words")
    func code() throws {
        let scene = try Scene()
        let first = try scene.begin(), second = try scene.begin()
        #expect(throws: ErrorAnswer.self, "the one before is over") { try scene.offer(first) }
        let request = EnrolmentRequest(code: second, publicKey: Hexadecimal.string(scene.publicKey), name: "box")
        #expect(throws: ErrorAnswer.self) { try Enrolment(accounts: scene.services.accounts).enrol(request, now: scene.now) }
        _ = try scene.offer(second.lowercased())
        #expect(throws: ErrorAnswer.self, "used") { try scene.offer(second) }
        let third = try scene.begin()
        scene.services.clock.advance(Pairings.lifetime)
        #expect(scene.stage == nil)
        #expect(throws: ErrorAnswer.self, "too old") { try scene.offer(third) }
        #expect(throws: ErrorAnswer.self) { try scene.offer("") }
    }

    @Test("EDGE-14, EDGE-16: who stands between cannot choose a nonce after having seen the hub's")
    func commitment() throws {
        let scene = try Scene()
        let terms = try scene.offer(try scene.begin(), committedTo: [UInt8](repeating: 9, count: Pairing.nonceBytes))
        #expect(throws: ErrorAnswer.self) { try scene.open(terms) }
        #expect(scene.stage == .refused)
        #expect(throws: ErrorAnswer.self) { try scene.claim(terms) }
        #expect(try scene.agents() == 0)
    }

    @Test("EDGE-14, EDGE-16: what the person refuses becomes no agent, nor what comes too late")
    func refused() throws {
        let scene = try Scene()
        let terms = try scene.offer(try scene.begin())
        try scene.open(terms)
        scene.pairings.refuse(by: scene.person)
        #expect(try !scene.pairings.confirm(scene.words(terms), by: scene.person, now: scene.now))
        #expect(throws: ErrorAnswer.self) { try scene.claim(terms) }
        let late = try scene.offer(try scene.begin())
        try scene.open(late)
        #expect(try scene.pairings.confirm(scene.words(late), by: scene.person, now: scene.now))
        scene.services.clock.advance(Pairings.lifetime)
        #expect(throws: ErrorAnswer.self) { try scene.claim(late) }
        #expect(try scene.agents() == 0)
    }

    @Test("EDGE-14, EDGE-16: the words depend on key, certificate and both nonces", arguments: 0..<4)
    func words(changed: Int) {
        func words(_ parts: [[UInt8]]) -> [UInt8] {
            let bytes = Pairing.words(publicKey: parts[0], authority: parts[1], boxNonce: parts[2], hubNonce: parts[3])
            return Array(SHA256.hash(data: bytes).prefix(2 * Pairing.wordCount))
        }
        let parts = [65, 300, 32, 32].map { [UInt8](repeating: UInt8(truncatingIfNeeded: $0), count: $0) }
        var other = parts
        other[changed][0] ^= 1
        #expect(words(parts) != words(other))
    }
}
