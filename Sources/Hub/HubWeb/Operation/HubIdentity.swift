import Crypto
public import Foundation
import HubStore
public import Seams
import SyncProtocol
import Vitals

extension Machine {
    /// The time of day, as certificates have it.
    var date: Date { Date(timeIntervalSince1970: Double(utc) / 1000) }
}

/// How a hub is reached and by what it is known: its URL and certificates.
public struct HubIdentity: Sendable {
    let configuration: HubConfiguration
    private let machine: Machine
    let certificates: HubCertificates
    let url: String

    /// The file in the hub's directory in which a running hub leaves its URL for the commands beside it.
    static let addressFile = "address"

    /// - Parameter machine: by whose clock certificates are valid.
    init(_ configuration: HubConfiguration, directory: HubDirectory, machine: Machine = .system) throws {
        (self.configuration, self.machine) = (configuration, machine)
        certificates = try HubCertificates(configuration, directory: directory.url, machine: machine, now: { machine.date })
        url = configuration.url ?? Self.url(configuration, port: configuration.listen.port)
    }

    private static func url(_ configuration: HubConfiguration, port: Int) -> String {
        let host = configuration.listen.host.contains(":") ? "[\(configuration.listen.host)]" : configuration.listen.host
        return "\(configuration.tls.enabled ? "https" : "http")://\(host):\(port)"
    }

    /// The hosts that are this hub, in small letters.
    var names: Set<String> {
        let host: String? = URL(string: url)?.host
        let known = [configuration.listen.host, "localhost", "127.0.0.1", "::1", ProcessInfo.processInfo.hostName]
        return Set((known + [host].compactMap { $0 } + configuration.names + configuration.tls.names).map { $0.lowercased() })
    }

    func announce(port: Int, in directory: HubDirectory) throws {
        let address = configuration.url ?? Self.url(configuration, port: port)
        // For commands of other users too.
        try machine.files.replace(directory.path(Self.addressFile), with: Array((address + "\n").utf8), mode: 0o644)
    }

    /// The URL of the hub that runs in a directory, as it announced it.
    public static func announced(in directory: URL, machine: Machine = .system) -> String? {
        (try? machine.files.read(directory.appendingPathComponent(addressFile).path)).map {
            String(decoding: $0, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        }
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
