import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import Synchronization

/// How many event streams one session or program reads at once. Spectators of runs, who have neither, are counted by `RunPlaces`.
final class StreamPlaces: Sendable {
    /// Of a session: the tabs of a person, or a wall of them.
    static let most = 64
    /// Of a program's token: one for each person that its organisation follows.
    static let mostOfToken = 2048

    private let counts = Mutex<[Key: Int]>([:])

    private struct Key: Hashable {
        let reader: [UInt8]
        /// Streams of alarms and of crews have places of their own.
        let isUrgent: Bool
    }

    /// Until its last owner goes.
    final class Place: Sendable {
        private let leave: @Sendable () -> Void

        fileprivate init(_ leave: @escaping @Sendable () -> Void) { self.leave = leave }

        deinit { leave() }
    }

    /// - Returns: nil where as many are read already.
    func enter(_ request: Request, isUrgent: Bool) -> Place? {
        let session = request.cookies[Sessions.cookie]?.value ?? request.cookies[LivePage.cookie]?.value
        guard let secret = session ?? request.headers[.authorization] else { return Place {} }
        let most = session == nil ? Self.mostOfToken : Self.most
        let key = Key(reader: Array(SHA256.hash(data: Data(secret.utf8))), isUrgent: isUrgent)
        let isFree = counts.withLock { counts in
            guard counts[key, default: 0] < most else { return false }
            counts[key, default: 0] += 1
            return true
        }
        guard isFree else { return nil }
        return Place { [weak self] in
            self?.counts.withLock { counts in
                let left = counts[key, default: 1] - 1
                counts[key] = left > 0 ? left : nil
            }
        }
    }

    /// What is answered in the place of one stream too many.
    static let refusal = Response(
        status: .tooManyRequests, headers: [.retryAfter: "30", .contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
        body: .init(byteBuffer: .init(string: "As many event streams are read with this log-in as may be. Close some and try again.\n")))
}
