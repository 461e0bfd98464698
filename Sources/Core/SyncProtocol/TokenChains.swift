/// The access tokens of one agent as chains, which make a copied card visible (design rule 4).
///
/// A token is replaced by naming it as predecessor. The old one stays valid until the new one is first used, so a lost answer is
/// harmless: the agent asks again and gets another candidate. Once a candidate was used, its predecessor and its siblings are dead, and
/// whoever shows one of them holds a copy of the state: a clone or a restored image. The copy gets a chain of its own, so that the two do
/// not throw each other out, and is told to write to a stream of its own; the owner decides what is to become of it. The caller stores
/// the chains.
public struct TokenChains: Sendable, Hashable {
    /// A token is held by its hash only.
    public typealias TokenHash = [UInt8]

    public struct Chain: Sendable, Hashable {
        /// In use; nil between enrolment and the first use of a token.
        public var current: TokenHash?
        /// Handed out to the holder of ``current``, not used yet.
        public var candidates: [TokenHash]

        public init(current: TokenHash? = nil, candidates: [TokenHash] = []) {
            self.current = current
            self.candidates = candidates
        }
    }

    /// The oldest first; one unless copies were seen.
    public private(set) var chains: [Chain]

    public static let candidatesMax = 8
    /// More copies than this push out the chain that was made first.
    public static let chainsMax = 4

    /// The chains of a new agent, or stored ones.
    public init(_ chains: [Chain] = [Chain()]) { self.chains = chains }

    public enum Renewal: Hashable, Sendable {
        case continued
        /// The predecessor is no token that the hub expects: the state was copied or restored.
        case copied
    }

    /// Hands out `token` to a request with a valid signature.
    public mutating func renew(predecessor: TokenHash?, token: TokenHash) -> Renewal {
        // A candidate as predecessor was received, which is as good as used.
        if let predecessor { use(predecessor) }
        guard let index = chains.firstIndex(where: { $0.current == predecessor }) else {
            chains.append(Chain(candidates: [token]))
            if chains.count > Self.chainsMax { chains.removeFirst() }
            return .copied
        }
        chains[index].candidates.append(token)
        if chains[index].candidates.count > Self.candidatesMax { chains[index].candidates.removeFirst() }
        return .continued
    }

    public enum Use: Hashable, Sendable {
        case valid
        /// First use of a candidate: the chain moved on and must be stored.
        case advanced
        /// Replaced, or never handed out.
        case dead
    }

    /// A request that bears `token`.
    @discardableResult
    public mutating func use(_ token: TokenHash) -> Use {
        if chains.contains(where: { $0.current == token }) { return .valid }
        guard let index = chains.firstIndex(where: { $0.candidates.contains(token) }) else { return .dead }
        chains[index] = Chain(current: token)
        return .advanced
    }
}
