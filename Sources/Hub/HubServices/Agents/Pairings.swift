public import Credentials
import Crypto
import Seams
public import SyncProtocol
import Synchronization
public import Vitals

/// Boxes that are being set up by their page (EDGE-16): each person has one pairing at a time, for ten minutes, in memory. No agent is made
/// before the person has confirmed the words here, and the box has reported the same (``SyncProtocol/Pairing``).
public final class Pairings: Sendable {
    /// Ten minutes.
    public static let lifetime: Milliseconds = 600_000
    /// Pairings at a time, of all persons.
    public static let countMax = 10_000

    private static let purpose = "pairing"

    /// The state that the person's page shows.
    public struct Shown: Sendable {
        public enum Stage: Sendable, Hashable {
            /// The box has not called yet.
            case waiting
            /// To be compared with what the box shows; `name` is what it is called.
            case compare(words: String, name: String)
            /// Confirmed here, and not yet at the box.
            case confirmed(words: String, name: String)
            case done(name: String)
            /// The words differed, or what came was not what the box had committed itself to.
            case refused
        }

        public var code: ShortCode
        public var stage: Stage
    }

    private struct Offer {
        var pairing: String
        var publicKey: [UInt8]
        var name: String
        var commitment: [UInt8]
        var nonce: [UInt8]
    }

    private enum Stage {
        case waiting
        case offered(Offer)
        case opened(Offer, words: String, isConfirmed: Bool)
        /// The agent is being made; `answer` once it is.
        case claimed(Offer, answer: EnrolmentAnswer?)
        case refused

        var offer: Offer? {
            switch self {
            case .waiting, .refused: nil
            case .offered(let offer), .opened(let offer, _, _), .claimed(let offer, _): offer
            }
        }
    }

    private struct Entry {
        var code: ShortCode
        var expires: Milliseconds
        var stage = Stage.waiting
    }

    private let enrolment: Enrolment
    /// DER of the hub's CA certificate; empty where it has none of its own.
    private let authority: @Sendable () -> [UInt8]
    private let entries = Mutex<[PersonID: Entry]>([:])

    /// - Parameter authority: DER of the hub's CA certificate; empty where it has none of its own.
    public init(_ enrolment: Enrolment, authority: @escaping @Sendable () -> [UInt8]) {
        (self.enrolment, self.authority) = (enrolment, authority)
    }

    // MARK: - The person's page

    /// Begins a pairing for a box of this person; the one before it is over. So is the oldest of all beyond ``countMax``.
    public func begin(for person: PersonID, now: Milliseconds) {
        let code = ShortCode.random(using: enrolment.randomness)
        entries.withLock { entries in
            entries = entries.filter { $0.value.expires > now && $0.key != person }
            if entries.count >= Self.countMax, let oldest = entries.min(by: { $0.value.expires < $1.value.expires }) {
                entries[oldest.key] = nil
            }
            entries[person] = Entry(code: code, expires: now + Self.lifetime)
        }
    }

    /// The person's pairing; nil where there is none, or its time is over.
    public func shown(to person: PersonID, now: Milliseconds) -> Shown? {
        entries.withLock { entries in
            guard let entry = entries[person], entry.expires > now else { return nil }
            let stage: Shown.Stage =
                switch entry.stage {
                case .waiting, .offered: .waiting
                case .opened(let offer, let words, false): .compare(words: words, name: offer.name)
                case .opened(let offer, let words, true): .confirmed(words: words, name: offer.name)
                case .claimed(let offer, _): .done(name: offer.name)
                case .refused: .refused
                }
            return Shown(code: entry.code, stage: stage)
        }
    }

    /// The person says that the box shows the same words.
    /// - Parameter words: those that the person was shown: a page that was left open confirms nothing that came later.
    /// - Returns: false where these words are not to be compared at present.
    public func confirm(_ words: String, by person: PersonID, now: Milliseconds) -> Bool {
        entries.withLock { entries in
            guard let entry = entries[person], entry.expires > now, case .opened(let offer, let shown, _) = entry.stage, shown == words
            else { return false }
            entries[person]?.stage = .opened(offer, words: words, isConfirmed: true)
            return true
        }
    }

    /// The person says that the words differ, or gives up: the box that holds this pairing becomes no agent by it.
    public func refuse(by person: PersonID) {
        entries.withLock { entries in
            if case .claimed = entries[person]?.stage { return }
            entries[person]?.stage = .refused
        }
    }

    // MARK: - The box

    /// Answers the first request of a box. A code is taken once.
    /// - Throws: `ErrorAnswer`, with `invalid_code` for a code that is unknown, used or too old.
    public func offer(_ offer: PairingOffer, now: Milliseconds) throws(ErrorAnswer) -> PairingTerms {
        let key = try Enrolment.key(offer.publicKey, name: offer.name)
        guard let commitment = Hexadecimal.bytes(offer.commitment), commitment.count == SHA256.byteCount else {
            throw ErrorAnswer(error: "invalid_request", description: "The commitment has not 64 hexadecimal digits.")
        }
        let made = Offer(
            pairing: Hexadecimal.string(enrolment.randomness.bytes(16)), publicKey: key, name: offer.name, commitment: commitment,
            nonce: enrolment.randomness.bytes(Pairing.nonceBytes))
        let hash = ShortCode(typed: offer.code)?.hash(purpose: Self.purpose)
        let isTaken = entries.withLock { entries in
            let found = entries.first { $0.value.expires > now && $0.value.code.hash(purpose: Self.purpose) == hash }
            guard let found, case .waiting = found.value.stage else { return false }
            entries[found.key]?.stage = .offered(made)
            return true
        }
        guard isTaken else {
            throw ErrorAnswer(
                error: "invalid_code",
                description: "This code is unknown, was used, or is older than 10 minutes. Begin again on the hub's page Boxes.")
        }
        return PairingTerms(pairing: made.pairing, nonce: Hexadecimal.string(made.nonce))
    }

    /// The box opens its commitment; from now on the words are shown. The same again gives the same.
    /// - Throws: `ErrorAnswer` for an unknown pairing, and for a nonce that is not the one of the commitment, which ends the pairing.
    public func open(_ opening: PairingOpening, now: Milliseconds) throws(ErrorAnswer) -> PairingOutcome {
        let nonce = Hexadecimal.bytes(opening.nonce) ?? [], der = authority()
        let isOpen = entries.withLock { entries in
            guard let person = Self.person(opening.pairing, in: entries, now: now), let offer = entries[person]?.stage.offer
            else { return false }
            let bytes = Pairing.commitment(publicKey: offer.publicKey, nonce: nonce)
            guard nonce.count == Pairing.nonceBytes, Array(SHA256.hash(data: bytes)) == offer.commitment else {
                if case .offered = entries[person]?.stage { entries[person]?.stage = .refused }
                return false
            }
            guard case .offered = entries[person]?.stage else { return true }
            let words = Pairing.words(publicKey: offer.publicKey, authority: der, boxNonce: nonce, hubNonce: offer.nonce)
            entries[person]?.stage = .opened(
                offer, words: KeyWords.words(of: SHA256.hash(data: words), count: Pairing.wordCount), isConfirmed: false)
            return true
        }
        guard isOpen else { throw Self.over }
        return PairingOutcome()
    }

    /// The person has confirmed the words at the box. Makes the agent once they are confirmed here, too; the same again gives the same.
    /// - Throws: `ErrorAnswer` for a pairing that is unknown, was refused, or is over; what the store throws.
    public func claim(_ claim: PairingClaim, now: Milliseconds) throws -> PairingOutcome {
        enum Step {
            case over, later
            case done(EnrolmentAnswer)
            case make(PersonID, Offer, words: String)
        }
        let step: Step = entries.withLock { entries in
            guard let person = Self.person(claim.pairing, in: entries, now: now), let stage = entries[person]?.stage else { return .over }
            switch stage {
            case .waiting, .refused, .offered: return .over
            case .opened(_, _, false): return .later
            case .claimed(_, let answer): return answer.map { .done($0) } ?? .later
            case .opened(let offer, let words, true):
                entries[person]?.stage = .claimed(offer, answer: nil)
                return .make(person, offer, words: words)
            }
        }
        switch step {
        case .over: throw Self.over
        case .later: return PairingOutcome()
        case .done(let answer): return PairingOutcome(enrolment: answer)
        case .make(let person, let offer, let words):
            do {
                let code = try enrolment.makeCode(for: [person], now: now)
                let request = EnrolmentRequest(code: code, publicKey: Hexadecimal.string(offer.publicKey), name: offer.name)
                let answer = try enrolment.enrol(request, now: now)
                put(.claimed(offer, answer: answer), of: person, offer)
                return PairingOutcome(enrolment: answer)
            } catch {
                put(.opened(offer, words: words, isConfirmed: true), of: person, offer)
                throw error
            }
        }
    }

    /// Unless the person has begun another pairing meanwhile.
    private func put(_ stage: Stage, of person: PersonID, _ offer: Offer) {
        entries.withLock { entries in
            if entries[person]?.stage.offer?.pairing == offer.pairing { entries[person]?.stage = stage }
        }
    }

    private static func person(_ pairing: String, in entries: [PersonID: Entry], now: Milliseconds) -> PersonID? {
        entries.first { $0.value.expires > now && $0.value.stage.offer?.pairing == pairing }?.key
    }

    private static let over = ErrorAnswer(
        error: "invalid_pairing", description: "This set-up was refused, or is older than 10 minutes. Begin again on the hub's page Boxes.")
}
