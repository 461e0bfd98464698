import Crypto
import Foundation
import HTTPTypes
import HubStore
import Hummingbird
import Seams
import Vitals

/// Who may read the hub's figures: whoever has the token that the hub makes with its first start, in a file of its directory. An address of the machine
/// itself proves nothing where a proxy stands there (docs/decisions/0032-health.md).
struct MetricsToken: Sendable {
    /// In the hub's directory. The hub makes another one where it is removed, with its next start.
    static let file = "metrics-token"
    private static let bytes = 32

    /// Of the token. Two hashes are compared in the same time whatever they are.
    private let hash: SHA256Digest

    /// - Throws: what keeps the token from being read or made.
    init(_ directory: HubDirectory, machine: Machine) throws {
        let path = directory.path(Self.file), files = machine.files
        if !files.exists(path) {
            let token = Hexadecimal.string(machine.randomness.bytes(Self.bytes)) + "\n"
            try files.make(path, with: Array(token.utf8), draft: path + ".new")
        }
        let token = String(decoding: try files.read(path) ?? [], as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard token.utf8.count >= Self.bytes else {
            throw HubConfigurationError("\(path) holds less than \(Self.bytes) characters: remove it, and the hub makes a token anew.")
        }
        hash = SHA256.hash(data: Data("Bearer \(token)".utf8))
    }

    /// Whether a request bears the token.
    func isBorne(by request: Request) -> Bool {
        request.headers[.authorization].map { SHA256.hash(data: Data($0.utf8)) == hash } ?? false
    }

    /// What everybody else gets.
    static let refusal = Response(
        status: .unauthorized,
        headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store", .wwwAuthenticate: "Bearer"],
        body: .init(
            byteBuffer: .init(string: "The token in the file \(file) of the hub's directory reads this: Authorization: Bearer TOKEN\n")))
}
