import Crypto
public import Foundation
import HubStore
import SyncProtocol
import Vitals

/// How a hub is reached and by what it is known: its URL and certificates.
public struct HubIdentity: Sendable {
    let configuration: HubConfiguration
    let certificates: HubCertificates
    let url: String

    /// The file in the hub's directory in which a running hub leaves its URL for the commands beside it.
    static let addressFile = "address"

    /// - Parameter now: by which certificates are valid.
    init(_ configuration: HubConfiguration, directory: HubDirectory, now: @escaping @Sendable () -> Date = { Date() }) throws {
        self.configuration = configuration
        certificates = try HubCertificates(configuration, directory: directory.url, now: now)
        url = configuration.url ?? Self.url(configuration, port: configuration.listen.port)
    }

    private static func url(_ configuration: HubConfiguration, port: Int) -> String {
        let host = configuration.listen.host.contains(":") ? "[\(configuration.listen.host)]" : configuration.listen.host
        return "\(configuration.tls.enabled ? "https" : "http")://\(host):\(port)"
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
    func keyWords(of agent: AgentStore.Agent) -> String {
        KeyWords.words(of: SHA256.hash(data: agent.publicKey + (certificates.authority?.der ?? [])))
    }

    /// `URL#fingerprint`: what a box is given to enrol (design: Identity). Without a CA of the hub's own, the URL alone.
    public static func enrolmentAddress(_ configuration: HubConfiguration) throws -> String {
        let directory = try HubDirectory(configuration.directory)
        let identity = try HubIdentity(configuration, directory: directory)
        let url = configuration.url ?? announced(in: configuration.directory) ?? identity.url
        guard url.hasPrefix("https:"), let authority = identity.certificates.authority else { return url }
        return "\(url)#\(authority.fingerprint)"
    }
}
