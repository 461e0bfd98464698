internal import Foundation
internal import Logging
internal import SyncProtocol
internal import Synchronization
internal import Vitals

/// Takes over the successor of the hub's CA, which the hub announces with each token long before it is used (fault 20): a box that has pinned
/// it needs no new enrolment when the CA changes.
final class AuthoritySuccession: Sendable {
    private let roots: PinnedRoots
    private let identity: Mutex<Identity>
    private let directory: StateDirectory
    private let logger: Logger

    /// - Parameter identity: as it is stored.
    init(_ identity: Identity, roots: PinnedRoots, directory: StateDirectory, logger: Logger) {
        (self.roots, self.directory, self.logger) = (roots, directory, logger)
        self.identity = Mutex(identity)
    }

    /// Pins what a token's answer announced, and lets go of a CA that is out of use. What fails is tried again with the next token.
    /// - Parameter fingerprint: ``TokenAnswer/nextAuthority``.
    func follow(_ fingerprint: String?, over client: HubClient) async {
        if roots.dropPredecessor() {
            keep { ($0.certificateAuthority, $0.nextAuthority) = ($0.nextAuthority ?? $0.certificateAuthority, nil) }
            logger.notice("the hub's new CA is pinned; the one before is trusted no more")
        }
        guard let fingerprint, let wanted = Hexadecimal.bytes(fingerprint), wanted.count == 32 else { return }
        if identity.withLock({ $0.pinsNext(fingerprint: wanted) }) { return }
        do {
            let response = try await client.send(.get, SyncRoute.nextCertificateAuthority)
            let next = try PinnedAuthority(response.body, fingerprint: wanted)
            roots.add(successor: next)
            keep { $0.nextAuthority = next.pem }
            logger.notice("the hub announced its next CA, which is pinned beside the present one")
        } catch {
            logger.warning("the next CA that the hub announced cannot be pinned; it is tried again within an hour: \(error)")
        }
    }

    /// It holds in memory at once. On a disk that does not take it, it is announced again after the next start.
    private func keep(_ change: (inout Identity) -> Void) {
        let changed = identity.withLock { identity in
            change(&identity)
            return identity
        }
        do { try changed.save(to: directory) } catch {
            logger.error("the hub's CA cannot be stored: \(error.what). \(error.advice)")
        }
    }
}

extension Identity {
    fileprivate func pinsNext(fingerprint: [UInt8]) -> Bool {
        [nextAuthority, certificateAuthority].contains { pem in
            pem.map { (try? PinnedAuthority(Array($0.utf8), fingerprint: fingerprint)) != nil } ?? false
        }
    }
}
