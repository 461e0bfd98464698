import Foundation
import Logging
import NIOCore
import NIOSSL
import Seams
import ServiceLifecycle
import Synchronization
import Vitals

/// The certificates that the hub shows, kept current while it runs: its own are renewed, an operator's are read again when the files change.
///
/// Each new connection gets the current one; open connections keep theirs.
final class HubCertificates: Sendable {
    private struct State {
        var succession: CertificateAuthority.Succession?
        var shown: NIOSSLContextConfigurationOverride
        /// Of an operator's files, as they were read.
        var files: [FileFacts?] = []
        /// What was wrong with the last attempt, told once.
        var problem: String?
        /// The day on which an end that is near was told last.
        var warned: Date?
    }

    /// An operator's certificate that ends within this is told each day.
    static let warnsBefore: TimeInterval = 14 * 86_400

    /// Of TLS 1.2: forward secrecy and AEAD. All of TLS 1.3 are such.
    private static let suites: [NIOTLSCipher] = [
        .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
        .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
        .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    ]

    private let configuration: HubConfiguration
    private let directory: URL
    private let now: @Sendable () -> Date
    private let machine: Machine
    private let state: Mutex<State>

    /// Reads the hub's own CA, and makes it where there is none. What the server shows is read or made by ``tls()``: commands beside a running
    /// hub leave that alone.
    init(
        _ configuration: HubConfiguration, directory: URL, machine: Machine = .system, now: @escaping @Sendable () -> Date
    ) throws {
        (self.configuration, self.directory, self.machine, self.now) = (configuration, directory, machine, now)
        let isOwn = configuration.tls.enabled && configuration.tls.operatorFiles == nil
        let succession = isOwn ? try CertificateAuthority.succession(in: directory, now: now(), on: machine) : nil
        state = Mutex(State(succession: succession, shown: .noChanges))
    }

    /// The hub's own CA; nil with an operator's certificate and without TLS.
    var authority: CertificateAuthority? { state.withLock { $0.succession?.authority } }
    /// The CA that will follow it, while it is announced.
    var successor: CertificateAuthority? { state.withLock { $0.succession?.successor } }

    /// When the certificate ends that is shown; nil before ``tls()`` and without TLS.
    var end: Date? { state.withLock { $0.shown.end } }

    /// What the server is to be set up with; nil without TLS.
    /// - Throws: ``HubConfigurationError`` for an operator's certificate or key that cannot be read, or that do not belong together.
    func tls() throws -> TLSConfiguration? {
        guard configuration.tls.enabled else { return nil }
        if let (certificate, key) = configuration.tls.operatorFiles {
            let files = [certificate, key].map { machine.files.facts($0) }, shown = try Self.read(certificate, key)
            state.withLock { ($0.files, $0.shown) = (files, shown) }
        } else {
            try renewOwn()
        }
        let first = state.withLock { $0.shown }
        guard let chain = first.certificateChain, let key = first.privateKey else { return nil }
        var tls = TLSConfiguration.makeServerConfiguration(certificateChain: chain, privateKey: key)
        tls.minimumTLSVersion = .tlsv12
        tls.cipherSuiteValues = Self.suites
        tls.sslContextCallback = { [self] _, promise in promise.succeed(state.withLock { $0.shown }) }
        return tls
    }

    /// Looks whether something is to be renewed or read again. A certificate that cannot be taken leaves the one before in force.
    func refresh(_ logger: Logger) {
        guard configuration.tls.enabled else { return }
        do {
            if let (certificate, key) = configuration.tls.operatorFiles {
                try refresh(certificate, key, logger)
            } else {
                let before = state.withLock { $0.succession }
                try renewOwn()
                tellSuccession(from: before, logger)
            }
            state.withLock { $0.problem = nil }
        } catch {
            let isNews = state.withLock { state in
                defer { state.problem = "\(error)" }
                return state.problem != "\(error)"
            }
            if isNews { logger.error("the certificate before stays in force", metadata: ["error": "\(error)"]) }
        }
    }

    private func renewOwn() throws {
        let time = now(), succession = try CertificateAuthority.succession(in: directory, now: time, on: machine)
        let host = configuration.url.flatMap { URL(string: $0)?.host }
        let names = [host, configuration.listen.host, "localhost", "127.0.0.1", "::1", ProcessInfo.processInfo.hostName]
        var seen: Set<String> = []
        let (chain, key) = try succession.authority.server(
            names: (names.compactMap { $0 } + configuration.names + configuration.tls.names).filter {
                !$0.isEmpty && seen.insert($0).inserted
            }, now: time)
        state.withLock { ($0.succession, $0.shown) = (succession, .init(chain, key)) }
    }

    private func tellSuccession(from before: CertificateAuthority.Succession?, _ logger: Logger) {
        let after = state.withLock { $0.succession }
        guard let before, let after, before != after else { return }
        if let time = after.takesOver {
            logger.notice(
                "a successor of the hub's CA is announced to boxes; one that is not heard until then must be enrolled again",
                metadata: ["takesOver": "\(time.formatted(.iso8601))"])
        } else if after.authority != before.authority {
            logger.notice("the announced successor is the hub's CA now; boxes that were never heard meanwhile must be enrolled again")
        }
    }

    private func refresh(_ certificate: String, _ key: String, _ logger: Logger) throws {
        let files = [certificate, key].map { machine.files.facts($0) }, time = now()
        if state.withLock({ $0.files }) != files {
            let shown = try Self.read(certificate, key)
            state.withLock { ($0.files, $0.shown, $0.warned) = (files, shown, nil) }
            logger.notice("the certificate was read again", metadata: ["file": "\(certificate)"])
        }
        let (shown, warned) = state.withLock { ($0.shown, $0.warned) }
        guard let end = shown.end, end.timeIntervalSince(time) < Self.warnsBefore,
            warned.map({ time.timeIntervalSince($0) >= 86_400 }) ?? true
        else { return }
        state.withLock { $0.warned = time }
        logger.error(
            "the hub's certificate ends: put a new one in its place, it is read without a restart",
            metadata: ["file": "\(certificate)", "end": "\(end.formatted(.iso8601))"])
    }

    /// - Throws: ``HubConfigurationError`` for an operator's files that the hub could not show.
    static func check(_ certificate: String, _ key: String) throws { _ = try read(certificate, key) }

    private static func read(_ certificate: String, _ key: String) throws -> NIOSSLContextConfigurationOverride {
        do {
            let chain = try NIOSSLCertificate.fromPEMFile(certificate).map { NIOSSLCertificateSource.certificate($0) }
            let source = NIOSSLPrivateKeySource.privateKey(try NIOSSLPrivateKey(file: key, format: .pem))
            // A pair that does not belong together fails here, and not with the first connection.
            _ = try NIOSSLContext(configuration: .makeServerConfiguration(certificateChain: chain, privateKey: source))
            return .init(chain, source)
        } catch {
            throw HubConfigurationError(
                "The certificate \(certificate) or its key \(key) cannot be used: both are PEM files, and belong together. (\(error))")
        }
    }
}

/// Keeps the certificates current.
struct CertificateKeeper: Service {
    static let lookEvery = Duration.seconds(30)
    let certificates: HubCertificates
    let logger: Logger
    let machine: Machine

    func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try? await machine.sleep(for: Self.lookEvery)
                if !Task.isCancelled { certificates.refresh(logger) }
            }
        }
    }
}

extension HubConfiguration.TLS {
    /// An operator's certificate and key; nil where the hub has a CA of its own.
    fileprivate var operatorFiles: (certificate: String, key: String)? {
        guard let certificate, let key else { return nil }
        return (certificate, key)
    }
}

extension NIOSSLContextConfigurationOverride {
    fileprivate init(_ chain: [NIOSSLCertificateSource], _ key: NIOSSLPrivateKeySource) {
        self.init()
        (certificateChain, privateKey) = (chain, key)
    }

    /// When the server's own certificate ends.
    fileprivate var end: Date? {
        guard case .certificate(let certificate)? = certificateChain?.first else { return nil }
        return Date(timeIntervalSince1970: TimeInterval(certificate.notValidAfter))
    }
}
