import Crypto
public import Foundation
import HubStore
import NIOSSL
import SyncProtocol
import Vitals

/// How a hub is reached and by what it is known: its URL and certificates.
public struct HubIdentity: Sendable {
    let configuration: HubConfiguration
    let authority: CertificateAuthority?
    let url: String

    /// The file in the hub's directory in which a running hub leaves its URL for the commands beside it.
    static let addressFile = "address"

    init(_ configuration: HubConfiguration, directory: HubDirectory) throws {
        self.configuration = configuration
        let ownAuthority = configuration.tls.enabled && configuration.tls.certificate == nil
        authority = try ownAuthority ? CertificateAuthority(directory: directory.url, now: Date()) : nil
        url = configuration.url ?? Self.url(configuration, port: configuration.listen.port)
    }

    private static func url(_ configuration: HubConfiguration, port: Int) -> String {
        let host = configuration.listen.host.contains(":") ? "[\(configuration.listen.host)]" : configuration.listen.host
        return "\(configuration.tls.enabled ? "https" : "http")://\(host):\(port)"
    }

    func tls(now: Date) throws -> TLSConfiguration? {
        guard configuration.tls.enabled else { return nil }
        var tls: TLSConfiguration
        if let certificate = configuration.tls.certificate, let key = configuration.tls.key {
            do {
                tls = .makeServerConfiguration(
                    certificateChain: try NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) },
                    privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
            } catch {
                throw HubConfigurationError("The certificate \(certificate) or its key \(key) cannot be read: both are PEM files.")
            }
        } else {
            guard let authority else { return nil }
            let host = configuration.url.flatMap { URL(string: $0)?.host }
            let names = [host, configuration.listen.host, "localhost", "127.0.0.1", "::1", ProcessInfo.processInfo.hostName]
            var seen: Set<String> = []
            let (chain, key) = try authority.server(
                names: (names.compactMap { $0 } + configuration.tls.names).filter { !$0.isEmpty && seen.insert($0).inserted }, now: now)
            tls = .makeServerConfiguration(certificateChain: chain, privateKey: key)
        }
        tls.minimumTLSVersion = .tlsv12
        return tls
    }

    func announce(port: Int, in directory: HubDirectory) throws {
        let address = configuration.url ?? Self.url(configuration, port: port)
        try Data((address + "\n").utf8).write(to: directory.url.appendingPathComponent(Self.addressFile), options: .atomic)
    }

    /// The URL of the hub that runs in a directory, as it announced it.
    public static func announced(in directory: URL) -> String? {
        (try? String(contentsOf: directory.appendingPathComponent(addressFile), encoding: .utf8))?
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The words that a box showed its owner when it enrolled, if nobody stands between (design: Identity).
    func keyWords(of agent: AccountStore.Agent) throws -> String {
        KeyWords.words(of: SHA256.hash(data: agent.publicKey + (try authority?.der ?? [])))
    }

    /// `URL#fingerprint`: what a box is given to enrol (design: Identity). Without a CA of the hub's own, the URL alone.
    public static func enrolmentAddress(_ configuration: HubConfiguration) throws -> String {
        let directory = try HubDirectory(configuration.directory)
        let identity = try HubIdentity(configuration, directory: directory)
        let url = configuration.url ?? announced(in: configuration.directory) ?? identity.url
        guard url.hasPrefix("https:"), let authority = identity.authority else { return url }
        return "\(url)#\(try authority.fingerprint)"
    }
}
