internal import Foundation
internal import NIOSSL
internal import SwiftASN1
internal import Synchronization
internal import Vitals
@_spi(DisableValidityCheck) internal import X509

/// Decides whether a server is the hub: its chain to the trusted root, its name, its purpose, and its life by the best clock that the box
/// has. TLS libraries ask the system's clock, and a box that wakes up in 1970 would be alone for ever.
struct ServerCertificate: Sendable {
    let roots: TrustedRoots
    /// A name, or a numeric address without brackets.
    let host: String
    let isAddress: Bool
    let clock: TokenClock

    enum Verdict: Sendable {
        /// `life`: when all certificates of the chain are valid, UTC.
        case trusted(life: ClosedRange<Milliseconds>)
        /// For people: what is wrong and what to do.
        case refused(String)
    }

    /// - Parameter presented: what the server showed, its own certificate first.
    func judge(_ presented: [NIOSSLCertificate]) async -> Verdict {
        let chain = presented.compactMap { try? Certificate(derEncoded: $0.toDERBytes()) }
        guard let leaf = chain.first, chain.count == presented.count else { return .refused("shows a certificate that cannot be read") }
        let life = Life()
        var verifier = Verifier(rootCertificates: roots.store) {
            RFC5280Policy.withValidityCheckDisabled()
            ServerIdentityPolicy(serverHostname: isAddress ? nil : host, serverIP: isAddress ? host : nil)
            ServerPurposePolicy()
            LifePolicy(clock: clock, life: life)
        }
        switch await verifier.validate(leaf: leaf, intermediates: CertificateStore(chain.dropFirst())) {
        case .validCertificate(let chain):
            if let root = Array(chain).last { roots.note(root) }
            return .trusted(life: life.range)
        case .couldNotValidate(let failures) where failures.isEmpty:
            return .refused(
                "shows a certificate that its known authority did not sign: a login page of the network, a stranger, or a hub with a new "
                    + "authority. Log in to the network; if that is not it, ask the owner of the hub before you enrol the box again")
        case .couldNotValidate(let failures):
            return .refused(
                "shows a certificate that does not count: " + failures.map { "\($0.policyFailureReason)" }.joined(separator: "; "))
        }
    }
}

/// The roots in which a chain may end.
enum TrustedRoots: Sendable {
    case pinned(PinnedRoots)
    /// Those of the operating system.
    case system

    fileprivate var store: CertificateStore {
        switch self {
        case .pinned(let roots): roots.store
        case .system: .systemTrustRoots
        }
    }

    fileprivate func note(_ root: Certificate) { if case .pinned(let roots) = self { roots.note(root: root) } }
}

/// The policy's finding, for the caller of the verifier.
private final class Life: Sendable {
    private let seen = Mutex<ClosedRange<Milliseconds>>(0...0)

    var range: ClosedRange<Milliseconds> {
        get { seen.withLock { $0 } }
        set { seen.withLock { $0 = newValue } }
    }
}

/// Valid at one of the times that it may be. Where the box knows no more than a day that has been, not expired on that day.
private struct LifePolicy: VerifierPolicy {
    let clock: TokenClock
    let life: Life

    var verifyingCriticalExtensions: [ASN1ObjectIdentifier] { [] }

    mutating func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) async -> PolicyEvaluationResult {
        func milliseconds(_ date: Date) -> Milliseconds { Milliseconds((date.timeIntervalSince1970 * 1000).rounded()) }
        let begins = chain.map { milliseconds($0.notValidBefore) }.max() ?? .max
        let ends = chain.map { milliseconds($0.notValidAfter) }.min() ?? .min
        guard begins <= ends else { return .failsToMeetPolicy(reason: "the lives of its certificates do not overlap") }
        let (times, floor) = clock.candidates()
        let isAlive = times.isEmpty ? floor <= ends : times.contains { (begins...ends).contains($0) }
        guard isAlive else {
            let now = ISO8601.string(times.first ?? floor), isOver = (times.first ?? floor) > ends
            let what = isOver ? "it was valid until \(ISO8601.string(ends))" : "it is valid from \(ISO8601.string(begins)) on"
            let advice = isOver ? "Start the hub again, which renews it" : "Set the clock of this box or of the hub"
            return .failsToMeetPolicy(reason: "\(what), and this box counts \(now). \(advice)")
        }
        life.range = begins...ends
        return .meetsPolicy
    }
}

/// A certificate for a client or for signing code is no server's (RFC 5280, 4.2.1.12).
private struct ServerPurposePolicy: VerifierPolicy {
    var verifyingCriticalExtensions: [ASN1ObjectIdentifier] { [.X509ExtensionID.extendedKeyUsage] }

    mutating func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) async -> PolicyEvaluationResult {
        let found: ExtendedKeyUsage?
        do { found = try chain.leaf.extensions.extendedKeyUsage } catch {
            return .failsToMeetPolicy(reason: "its purpose cannot be read")
        }
        guard let usage = found else { return .meetsPolicy }
        let isServer = usage.contains(.serverAuth) || usage.contains(.any)
        return isServer ? .meetsPolicy : .failsToMeetPolicy(reason: "it is no server's")
    }
}
