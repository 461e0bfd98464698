import Crypto
import Foundation
import NIOSSL
import SyncProtocol
import Vitals

/// One gateway agent that stands for many boxes.
public struct Fleet: Sendable {
    private let file: String
    private(set) var state: FleetState

    /// Reads the state that ``enrol(address:code:state:)`` left.
    /// - Parameter url: another address of the same hub.
    public init(state file: String, url: String? = nil) throws {
        self.file = file
        state = try FleetState(contentsOf: file)
        if let url { state.url = try Self.base(url) }
    }

    /// Makes a key, has the hub enrol it and gets a first token.
    /// - Parameter address: `https://HOST:PORT#FINGERPRINT` as the hub prints it; without a fingerprint for plain HTTP or a hub whose
    ///   certificate the system trusts.
    public static func enrol(address: String, code: String, state file: String) async throws {
        let parts = address.split(separator: "#", maxSplits: 1).map(String.init)
        let url = try base(parts.first ?? "")
        var authority: String?
        // Plain HTTP has no certificate to compare: it is for this machine only.
        if parts.count == 2, url.hasPrefix("https:") { authority = try await pinned(url, fingerprint: parts[1]) }
        let key = P256.Signing.PrivateKey()
        let answer = try await HubClient.with(url, authority: authority) { try await $0.enrol(code: code, key: key) }
        try FleetState(url: url, certificateAuthority: authority, answer: answer, key: key).write(to: file)
        var fleet = try Fleet(state: file)
        _ = try await fleet.token()
        progress("enrolled as \(answer.agent) for \(answer.persons.count) people; state in \(file)")
    }

    private static func base(_ url: String) throws -> String {
        guard let parsed = URL(string: url), ["http", "https"].contains(parsed.scheme), parsed.host != nil else {
            throw FleetError("'\(url)' is no address of a hub: it begins with https:// (or http:// on this machine).")
        }
        return url.hasSuffix("/") ? String(url.dropLast()) : url
    }

    /// The CA behind `url`, when it is the one with this fingerprint.
    private static func pinned(_ url: String, fingerprint: String) async throws -> String {
        let authority = try await HubClient.with(url, authority: nil, verifies: false) { try await $0.certificateAuthority() }
        let found = try NIOSSLCertificate(bytes: Array(authority.utf8), format: .pem).toDERBytes()
        let digest = Hexadecimal.string(SHA256.hash(data: found))
        guard digest == fingerprint.lowercased() else {
            throw FleetError(
                "The hub at \(url) has another certificate (\(digest)) than the address says. Somebody may sit in between: stop.")
        }
        return authority
    }

    /// A token that is good for the next minutes.
    mutating func token() async throws -> String {
        if let token = state.token, state.tokenExpires > state.now + Self.tokenLeft { return token }
        let answer = try await HubClient.with(state.url, authority: state.certificateAuthority) { try await $0.token(state) }
        state.token = answer.accessToken
        state.tokenExpires = state.now + Milliseconds(answer.expiresIn) * 1000
        var stored = try FleetState(contentsOf: file)
        (stored.token, stored.tokenExpires) = (state.token, state.tokenExpires)
        try stored.write(to: file)
        return answer.accessToken
    }

    /// Notes what of a made-up history is on its way.
    mutating func keep(_ year: YearSent) throws {
        state.year = year
        var stored = try FleetState(contentsOf: file)
        stored.year = year
        try stored.write(to: file)
    }

    /// A token with less than 15 minutes left is replaced before a run.
    private static let tokenLeft: Milliseconds = 900_000
}
