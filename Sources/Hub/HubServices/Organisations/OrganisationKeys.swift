import Crypto
import Foundation
public import HubStore
public import Vitals

/// A public key as an organisation hands it in: P-256, as a JWK (RFC 7517) or in PEM.
public struct OrganisationPublicKey: Sendable, Hashable {
    /// SEC 1 uncompressed point.
    public let point: [UInt8]

    /// Why a text is no such key.
    public enum Problem: Error, Sendable, Hashable, CaseIterable {
        case unreadable
        /// A key on another curve, or of another kind.
        case otherKind
        /// It holds the private part, which is the organisation's alone: that key is to be thrown away.
        case privateKey
    }

    /// Longer texts are not looked at.
    static let bytesMax = 4096

    private struct JWK: Decodable {
        var kty: String
        var crv: String?
        var x: String?
        var y: String?
        var d: String?
    }

    public init(_ text: String) throws(Problem) {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.utf8.count <= Self.bytesMax else { throw .unreadable }
        guard !text.contains("PRIVATE KEY") else { throw .privateKey }
        guard text.hasPrefix("{") else {
            guard let key = try? P256.Signing.PublicKey(pemRepresentation: text) else {
                throw text.hasPrefix("-----BEGIN PUBLIC KEY") ? .otherKind : .unreadable
            }
            point = Array(key.x963Representation)
            return
        }
        guard let jwk = try? JSONDecoder().decode(JWK.self, from: Data(text.utf8)) else { throw .unreadable }
        guard jwk.d == nil else { throw .privateKey }
        guard jwk.kty == "EC", jwk.crv == "P-256" else { throw .otherKind }
        guard let x = jwk.x.flatMap(Self.coordinate), let y = jwk.y.flatMap(Self.coordinate),
            let key = try? P256.Signing.PublicKey(x963Representation: [4] + x + y)
        else { throw .unreadable }
        point = Array(key.x963Representation)
    }

    /// RFC 7638: the same for JWK and PEM.
    public var thumbprint: String {
        let (x, y) = (Base64URL.text(point[1..<33]), Base64URL.text(point[33...]))
        return Base64URL.text(SHA256.hash(data: Data("{\"crv\":\"P-256\",\"kty\":\"EC\",\"x\":\"\(x)\",\"y\":\"\(y)\"}".utf8)))
    }

    private static func coordinate(_ text: String) -> [UInt8]? {
        guard text.utf8.count == 43 else { return nil }
        return Base64URL.bytes(text).flatMap { $0.count == 32 ? $0 : nil }
    }
}

/// The keys of organisations.
public struct OrganisationKeys: Sendable {
    private let organisations: OrganisationStore

    public init(organisations: OrganisationStore) { self.organisations = organisations }

    /// Why a key is not registered.
    public enum Problem: Error, Sendable, Hashable {
        case key(OrganisationPublicKey.Problem)
        /// The name has 1 to 64 characters, and no control characters.
        case name
        /// The organisation has, or had, this key.
        case known
        /// ``HubStore/AccountStore/organisationKeysMax`` are in use: one must be revoked first.
        case tooMany
        /// Only confirmed organisations have keys.
        case notAnOrganisation
    }

    /// All that is wrong with what was typed, at once.
    public static func problems(_ text: String, name: String) -> [Problem] {
        var problems: [Problem] = []
        do { _ = try OrganisationPublicKey(text) } catch { problems.append(.key(error)) }
        if !(1...64).contains(name.count) || !name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) {
            problems.append(.name)
        }
        return problems
    }

    /// Registers a public key; the owner is told by mail.
    /// - Parameter text: a JWK or PEM.
    public func add(_ text: String, name: String, to account: AccountID, now: Milliseconds) throws -> OrganisationKey {
        if let problem = Self.problems(text, name: name).first { throw problem }
        let key: OrganisationPublicKey
        do { key = try OrganisationPublicKey(text) } catch { throw Problem.key(error) }
        switch try organisations.addOrganisationKey(key.point, thumbprint: key.thumbprint, name: name, to: account, now: now) {
        case .added(let key): return key
        case .known: throw Problem.known
        case .tooMany: throw Problem.tooMany
        case .notAnOrganisation: throw Problem.notAnOrganisation
        }
    }

    public func all(of account: AccountID) throws -> [OrganisationKey] { try organisations.organisationKeys(of: account) }

    /// Revokes a key with all tokens that were given for it. False when the organisation has no such key in use.
    public func revoke(_ key: Int64, of account: AccountID, now: Milliseconds) throws -> Bool {
        try organisations.revokeOrganisationKey(key, of: account, now: now)
    }
}
