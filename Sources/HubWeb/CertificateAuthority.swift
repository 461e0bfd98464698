import Crypto
import Foundation
import NIOSSL
import SwiftASN1
import Vitals
import X509

/// The hub's own certificates: a CA made on first start, which boxes pin when they enrol, and a server certificate that is renewed from
/// half of its life on.
struct CertificateAuthority: Sendable {
    let certificate: Certificate
    private let key: P256.Signing.PrivateKey
    private let directory: URL

    static let caLifetime: TimeInterval = 20 * 365 * 86_400
    static let leafLifetime: TimeInterval = 397 * 86_400

    init(directory: URL, now: Date) throws {
        self.directory = directory
        let certificateFile = directory.appendingPathComponent("ca.pem"), keyFile = directory.appendingPathComponent("ca.key")
        if FileManager.default.fileExists(atPath: certificateFile.path) {
            certificate = try Certificate(pemEncoded: String(contentsOf: certificateFile, encoding: .utf8))
            key = try P256.Signing.PrivateKey(pemRepresentation: String(contentsOf: keyFile, encoding: .utf8))
            return
        }
        key = P256.Signing.PrivateKey()
        // The key's digest in the name keeps two hubs' CAs apart in a browser's store.
        let digest = Hexadecimal.string(SHA256.hash(data: key.publicKey.x963Representation).prefix(4))
        let name = try DistinguishedName {
            OrganizationName("TrackMe")
            CommonName("TrackMe hub \(digest)")
        }
        certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey), notValidBefore: now - 86_400,
            notValidAfter: now + Self.caLifetime, issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
            },
            issuerPrivateKey: .init(key))
        try Self.write(key.pemRepresentation, to: keyFile)
        try Self.write(certificate.serializeAsPEM().pemString + "\n", to: certificateFile)
    }

    var pem: String { get throws { try certificate.serializeAsPEM().pemString + "\n" } }

    var der: [UInt8] {
        get throws {
            var serializer = DER.Serializer()
            try serializer.serialize(certificate)
            return serializer.serializedBytes
        }
    }

    /// What an enrolling box compares: SHA-256 of the certificate in DER, 64 hexadecimal digits.
    var fingerprint: String { get throws { Hexadecimal.string(SHA256.hash(data: try der)) } }

    /// The server's certificate for these names; made anew when there is none, when names are missing, or from half of its life on.
    func server(names: [String], now: Date) throws -> (chain: [NIOSSLCertificateSource], key: NIOSSLPrivateKeySource) {
        let certificateFile = directory.appendingPathComponent("server.pem"), keyFile = directory.appendingPathComponent("server.key")
        if let kept = try? Certificate(pemEncoded: String(contentsOf: certificateFile, encoding: .utf8)),
            let keyPEM = try? String(contentsOf: keyFile, encoding: .utf8),
            kept.notValidBefore <= now, now < kept.notValidBefore + Self.leafLifetime / 2, covers(kept, names)
        {
            return try source(kept, keyPEM)
        }
        let leafKey = P256.Signing.PrivateKey()
        let leaf = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(leafKey.publicKey), notValidBefore: now - 3600,
            notValidAfter: now + Self.leafLifetime, issuer: certificate.subject,
            subject: try DistinguishedName { CommonName(names.first ?? "localhost") }, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames(names.map(Self.generalName))
            },
            issuerPrivateKey: .init(key))
        try Self.write(leafKey.pemRepresentation, to: keyFile)
        try Self.write(leaf.serializeAsPEM().pemString + "\n", to: certificateFile)
        return try source(leaf, leafKey.pemRepresentation)
    }

    private func source(_ leaf: Certificate, _ key: String) throws -> (chain: [NIOSSLCertificateSource], key: NIOSSLPrivateKeySource) {
        let leafPEM = Array(try leaf.serializeAsPEM().pemString.utf8)
        return (
            [.certificate(try NIOSSLCertificate(bytes: leafPEM, format: .pem))],
            .privateKey(try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem))
        )
    }

    private func covers(_ leaf: Certificate, _ names: [String]) -> Bool {
        guard let present = try? leaf.extensions.subjectAlternativeNames else { return false }
        return names.allSatisfy { name in present.contains(Self.generalName(name)) }
    }

    private static func generalName(_ name: String) -> GeneralName {
        var v4 = in_addr(), v6 = in6_addr()
        if inet_pton(AF_INET, name, &v4) == 1 {
            return .ipAddress(ASN1OctetString(contentBytes: withUnsafeBytes(of: v4) { ArraySlice($0) }))
        }
        if inet_pton(AF_INET6, name, &v6) == 1 {
            return .ipAddress(ASN1OctetString(contentBytes: withUnsafeBytes(of: v6) { ArraySlice($0) }))
        }
        return .dnsName(name)
    }

    private static func write(_ text: String, to file: URL) throws {
        try Data(text.utf8).write(to: file, options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    }
}
