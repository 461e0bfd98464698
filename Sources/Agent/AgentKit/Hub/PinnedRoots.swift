internal import Foundation
internal import NIOSSL
internal import SwiftASN1
internal import Synchronization
internal import X509

/// The only trust roots for one hub: the CA that this box pinned and, once the hub has announced it, the CA's successor. All connections of
/// the agent share them, so that a successor counts at once.
final class PinnedRoots: Sendable {
    private struct State {
        var current: Certificate
        var successor: Certificate?
        /// A server showed a chain that ends in the successor.
        var isSuccessorInUse = false
    }

    private let state: Mutex<State>

    /// - Throws: ``AgentProblem`` when `pem` is not exactly one certificate. A damaged successor is left out: the hub announces it again.
    init(_ pem: String, successor: String? = nil) throws(AgentProblem) {
        guard let current = Self.certificate(pem) else {
            throw AgentProblem(
                "The stored CA certificate of the hub is not exactly one certificate",
                advice: "Enrol the box again with `trackme-agent enrol --replace URL CODE`")
        }
        state = Mutex(State(current: current, successor: successor.flatMap(Self.certificate)))
    }

    private static func certificate(_ pem: String) -> Certificate? {
        guard let found = try? NIOSSLCertificate.fromPEMBytes(Array(pem.utf8)), found.count == 1 else { return nil }
        return try? Certificate(derEncoded: found[0].toDERBytes())
    }

    var store: CertificateStore {
        state.withLock { CertificateStore([$0.current] + [$0.successor].compactMap(\.self)) }
    }

    /// Trusts the successor beside the present CA.
    func add(successor: PinnedAuthority) {
        let certificate = Self.certificate(successor.pem)
        state.withLock { $0.successor = certificate ?? $0.successor }
    }

    /// A server was believed by this root.
    func note(root: Certificate) {
        state.withLock { state in
            if state.successor == root, state.current != root { state.isSuccessorInUse = true }
        }
    }

    /// Once the hub shows certificates of the successor, the CA before it is trusted no more.
    /// - Returns: whether that happened now.
    func dropPredecessor() -> Bool {
        state.withLock { state in
            guard state.isSuccessorInUse, let successor = state.successor else { return false }
            state = State(current: successor)
            return true
        }
    }
}
