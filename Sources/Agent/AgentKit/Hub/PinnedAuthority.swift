internal import Crypto
internal import Foundation
internal import NIOSSL

/// The hub's CA certificate, after its fingerprint was compared, or before words of it are: the only root that this box will trust.
struct PinnedAuthority: Sendable {
    /// Made from ``der``, so that nothing is trusted but what was compared.
    let pem: String
    let der: [UInt8]

    enum Problem: Error {
        /// Not one certificate: none, or more than the one that a hub shows.
        case notOneCertificate(Int)
        case otherFingerprint
    }

    /// - Parameters:
    ///   - body: what the hub showed, PEM.
    ///   - fingerprint: SHA-256 of the certificate's DER, as the hub printed it; nil where a person compares words of it afterwards.
    init(_ body: [UInt8], fingerprint: [UInt8]?) throws(Problem) {
        let certificates = (try? NIOSSLCertificate.fromPEMBytes(body)) ?? []
        guard certificates.count == 1, let der = try? certificates[0].toDERBytes() else {
            throw .notOneCertificate(certificates.count)
        }
        if let fingerprint, Array(SHA256.hash(data: der)) != fingerprint { throw .otherFingerprint }
        self.der = der
        let lines = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        pem = "-----BEGIN CERTIFICATE-----\n\(lines)\n-----END CERTIFICATE-----\n"
    }
}
