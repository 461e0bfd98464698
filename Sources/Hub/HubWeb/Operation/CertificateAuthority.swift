import Crypto
import Foundation
import NIOSSL
import Seams
import SwiftASN1
import Vitals
import X509

/// The hub's own certificates: a CA made on first start, which boxes pin when they enrol, and a server certificate that is renewed from
/// half of its life on.
struct CertificateAuthority: Sendable, Equatable {
    let certificate: Certificate
    let pem: String
    let der: [UInt8]
    /// What an enrolling box compares: SHA-256 of the certificate in DER, 64 hexadecimal digits.
    let fingerprint: String
    private let key: P256.Signing.PrivateKey
    private let directory: URL
    private let machine: Machine

    static let caLifetime: TimeInterval = 20 * 365 * 86_400
    static let leafLifetime: TimeInterval = 397 * 86_400

    static func == (one: Self, other: Self) -> Bool { one.certificate == other.certificate }

    /// Reads the CA from `NAME.pem` and `NAME.key`.
    /// - Returns: nil where there is none.
    /// - Throws: when one of the files is missing or damaged, or when the key is another certificate's.
    static func load(_ name: String = "ca", in directory: URL, on machine: Machine) throws -> CertificateAuthority? {
        let certificateFile = directory.appendingPathComponent("\(name).pem"), keyFile = directory.appendingPathComponent("\(name).key")
        guard let pem = try text(of: certificateFile, machine) else { return nil }
        let certificate = try Certificate(pemEncoded: pem)
        guard let keyPEM = try text(of: keyFile, machine) else {
            throw HubConfigurationError("\(keyFile.path) is missing: put it back from the backup of \(certificateFile.path).")
        }
        let key = try P256.Signing.PrivateKey(pemRepresentation: keyPEM)
        guard certificate.publicKey == Certificate.PublicKey(key.publicKey) else {
            throw HubConfigurationError("\(keyFile.path) is not the key of \(certificateFile.path): put both back from one backup.")
        }
        return try CertificateAuthority(certificate: certificate, key: key, directory: directory, machine: machine)
    }

    private init(certificate: Certificate, key: P256.Signing.PrivateKey, directory: URL, machine: Machine) throws {
        (self.certificate, self.key, self.directory, self.machine) = (certificate, key, directory, machine)
        pem = try certificate.serializeAsPEM().pemString + "\n"
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        der = serializer.serializedBytes
        fingerprint = Hexadecimal.string(SHA256.hash(data: der))
    }

    /// Makes a CA and writes it to `NAME.pem` and `NAME.key`.
    static func make(
        _ fileName: String = "ca", in directory: URL, now: Date, on machine: Machine = .system
    ) throws -> CertificateAuthority {
        let key = newKey(machine.randomness)
        // The key's digest in the name keeps two hubs' CAs apart in a browser's store.
        let digest = Hexadecimal.string(SHA256.hash(data: key.publicKey.x963Representation).prefix(4))
        let name = try DistinguishedName {
            OrganizationName("TrackMe")
            CommonName("TrackMe hub \(digest)")
        }
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey), notValidBefore: now - 86_400,
            notValidAfter: now + Self.caLifetime, issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
            },
            issuerPrivateKey: .init(key))
        try write(key.pemRepresentation, to: directory.appendingPathComponent("\(fileName).key"), machine)
        let made = try CertificateAuthority(certificate: certificate, key: key, directory: directory, machine: machine)
        try write(made.pem, to: directory.appendingPathComponent("\(fileName).pem"), machine)
        return made
    }

    /// The server's certificate for these names; made anew when there is none, when names are missing, when another CA signed it, or from
    /// half of its life on.
    func server(names: [String], now: Date) throws -> (chain: [NIOSSLCertificateSource], key: NIOSSLPrivateKeySource) {
        let certificateFile = directory.appendingPathComponent("server.pem"), keyFile = directory.appendingPathComponent("server.key")
        if let pem = try? Self.text(of: certificateFile, machine), let kept = try? Certificate(pemEncoded: pem),
            let keyPEM = try? Self.text(of: keyFile, machine),
            kept.notValidBefore <= now, now < kept.notValidBefore + Self.leafLifetime / 2, covers(kept, names),
            kept.issuer == certificate.subject, let keptKey = try? P256.Signing.PrivateKey(pemRepresentation: keyPEM),
            kept.publicKey == Certificate.PublicKey(keptKey.publicKey)
        {
            return try source(kept, keyPEM)
        }
        let leafKey = Self.newKey(machine.randomness)
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
        try Self.write(leafKey.pemRepresentation, to: keyFile, machine)
        try Self.write(leaf.serializeAsPEM().pemString + "\n", to: certificateFile, machine)
        return try source(leaf, leafKey.pemRepresentation)
    }

    static func newKey(_ randomness: Randomness) -> P256.Signing.PrivateKey {
        randomness.made(of: 32) { try? P256.Signing.PrivateKey(rawRepresentation: $0) }
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
        var v4 = [UInt8](repeating: 0, count: 4), v6 = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, name, &v4) == 1 {
            return .ipAddress(ASN1OctetString(contentBytes: v4[...]))
        }
        if inet_pton(AF_INET6, name, &v6) == 1 {
            return .ipAddress(ASN1OctetString(contentBytes: v6[...]))
        }
        return .dnsName(name)
    }

    static func write(_ text: String, to file: URL, _ machine: Machine) throws {
        try machine.files.replace(file.path, with: Array(text.utf8))
    }

    /// nil where there is no such file.
    static func text(of file: URL, _ machine: Machine) throws -> String? {
        try machine.files.read(file.path).map { String(decoding: $0, as: UTF8.self) }
    }
}
