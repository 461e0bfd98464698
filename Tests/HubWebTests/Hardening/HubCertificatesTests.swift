import Foundation
import Logging
import NIOHTTP1
import NIOSSL
import SwiftASN1
import SyncProtocol
import Synchronization
import TestSupport
import Testing
import X509

@testable import HubWeb

/// What the hub shows, while it runs, and the succession of its CA.
@Suite("EDGE-14, DATA-11: fault 20, certificates while the hub runs", .timeLimit(.minutes(2)))
struct HubCertificatesTests {
    private static let day: TimeInterval = 86_400
    private static let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    /// Certificates of a hub whose clock is set by hand.
    private struct Scene {
        let directory: TemporaryDirectory
        let certificates: HubCertificates
        private let clock: Clock

        private final class Clock: Sendable { let now = Mutex(Date()) }

        init(in directory: TemporaryDirectory? = nil) throws {
            let directory = try directory ?? TemporaryDirectory(), clock = Clock()
            (self.directory, self.clock) = (directory, clock)
            certificates = try HubCertificates(HubConfiguration(directory: directory.url), directory: directory.url) {
                clock.now.withLock { $0 }
            }
        }

        var now: Date { clock.now.withLock { $0 } }

        func pass(_ time: TimeInterval) {
            clock.now.withLock { $0 += time }
            certificates.refresh(quiet)
        }

        func certificate(_ file: String) throws -> Certificate {
            try Certificate(pemEncoded: String(contentsOf: directory.url.appendingPathComponent(file), encoding: .utf8))
        }
    }

    @Test("the server's certificate is renewed from half of its life on, while the hub runs")
    func renewed() throws {
        let scene = try Scene()
        _ = try scene.certificates.tls()
        let first = try scene.certificate("server.pem")
        scene.pass(CertificateAuthority.leafLifetime * 0.49)
        #expect(try scene.certificate("server.pem") == first)
        scene.pass(CertificateAuthority.leafLifetime * 0.02)
        let second = try scene.certificate("server.pem")
        #expect(second != first && second.notValidAfter > scene.now + CertificateAuthority.leafLifetime * 0.9)
    }

    @Test("a successor of the CA is announced two years ahead, signs nothing for 180 days, and then takes over")
    func succession() throws {
        let scene = try Scene()
        _ = try scene.certificates.tls()
        let first = try #require(scene.certificates.authority)
        scene.pass(CertificateAuthority.caLifetime - CertificateAuthority.successorMadeBeforeEnd - Self.day)
        #expect(scene.certificates.successor == nil)
        scene.pass(2 * Self.day)
        let successor = try #require(scene.certificates.successor)
        #expect(scene.certificates.authority == first && successor != first)
        scene.pass(CertificateAuthority.announcedFor - Self.day)
        #expect(try scene.certificate("server.pem").issuer == first.certificate.subject)
        // A hub that is started anew goes on with the same two.
        let restarted = try CertificateAuthority.succession(in: scene.directory.url, now: scene.now)
        #expect(restarted == .init(authority: first, successor: successor))
        scene.pass(2 * Self.day)
        #expect(scene.certificates.authority == successor && scene.certificates.successor == nil)
        #expect(try scene.certificate("server.pem").issuer == successor.certificate.subject)
        #expect(try scene.certificate("ca-before.pem") == first.certificate)
        #expect(first.certificate.notValidAfter > scene.now + 365 * Self.day, "boxes that took it over had time")
    }

    @Test("a hub that is killed while the successor takes over has one CA with its own key afterwards")
    func killed() throws {
        let directory = try TemporaryDirectory(), now = Date()
        let first = try CertificateAuthority.succession(in: directory.url, now: now).authority
        let announced = try CertificateAuthority.announceSuccessor(in: directory.url, now: now)
        func move(_ from: String, _ to: String) throws {
            let target = directory.url.appendingPathComponent(to)
            try FileManager.default.removeItem(at: target)
            try FileManager.default.moveItem(at: directory.url.appendingPathComponent(from), to: target)
        }
        try move("ca-next.key", "ca.key")
        let after = try CertificateAuthority.succession(in: directory.url, now: now)
        #expect(after.authority == announced.successor && after.authority != first && after.successor == nil)
    }

    @Test("a successor is announced once; asking again says when it takes over")
    func announcedOnce() throws {
        let directory = try TemporaryDirectory(), now = Date()
        let takesOver = try #require(try CertificateAuthority.announceSuccessor(in: directory.url, now: now).takesOver)
        #expect(abs(takesOver.timeIntervalSince(now) - CertificateAuthority.announcedFor) < 2)
        let problem = #expect(throws: HubConfigurationError.self) {
            try CertificateAuthority.announceSuccessor(in: directory.url, now: now + Self.day)
        }
        #expect(problem?.description.contains("takes over on") == true)
    }

    @Test("a CA whose key is another one's is told, and replaced by nothing")
    func otherKey() throws {
        let directory = try TemporaryDirectory(), other = try TemporaryDirectory(), now = Date()
        for place in [directory, other] { _ = try CertificateAuthority.make(in: place.url, now: now) }
        let key = try Data(contentsOf: other.url.appendingPathComponent("ca.key"))
        try key.write(to: directory.url.appendingPathComponent("ca.key"))
        #expect(throws: HubConfigurationError.self) { try CertificateAuthority.succession(in: directory.url, now: now) }
    }

    @Test("boxes hear of the successor with their token's answer, and read it from the hub")
    func announced() async throws {
        try await WebFixture.run { web in
            #expect(try await web.send(.GET, SyncRoute.nextCertificateAuthority).status == 404)
            let successor = try #require(try CertificateAuthority.announceSuccessor(in: web.directory.url, now: Date()).successor)
            web.hub.certificates.refresh(Self.quiet)
            #expect(try await web.send(.GET, SyncRoute.nextCertificateAuthority).body == successor.pem)
            #expect(try await Cast.tokenAnswer(web, [web.person]).nextAuthority == successor.fingerprint)
        }
    }

    @Test("an operator's certificate is read again when its file changes, and a broken one leaves the one before in force")
    func operatorFile() async throws {
        let files = try TemporaryDirectory(), names = ["127.0.0.1"]
        let authority = try CertificateAuthority.make(in: files.url, now: Date())
        _ = try authority.server(names: names, now: Date())
        func file(_ name: String) -> URL { files.url.appendingPathComponent(name) }
        func port(_ web: WebFixture) throws -> Int { try #require(web.url.split(separator: ":").last.flatMap { Int($0) }) }
        func shown(_ web: WebFixture) async throws -> [UInt8] {
            try await RawConnection.certificate(port: port(web), authority: file("ca.pem"))
        }
        try await WebFixture.run(operatorAuthority: files.url) { web in
            let first = try await shown(web)
            web.hub.certificates.refresh(Self.quiet)
            #expect(try await shown(web) == first)
            // Half of it is written: the key does not fit the certificate.
            let certificate = try Data(contentsOf: file("server.pem"))
            try FileManager.default.removeItem(at: file("server.pem"))
            _ = try authority.server(names: names, now: Date())
            let renewed = try Data(contentsOf: file("server.pem"))
            try certificate.write(to: file("server.pem"))
            web.hub.certificates.refresh(Self.quiet)
            #expect(try await shown(web) == first)
            try renewed.write(to: file("server.pem"))
            web.hub.certificates.refresh(Self.quiet)
            #expect(try await shown(web) != first)
        }
    }
}
