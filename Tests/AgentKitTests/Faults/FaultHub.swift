import Crypto
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import SwiftASN1
import Synchronization
import Vitals
import X509

@testable import AgentKit

/// An authority of a test, and certificates of its making.
struct TestAuthority {
    let certificate: Certificate
    private let key = P256.Signing.PrivateKey()

    init(_ name: String = "test", from begin: String = "2026-01-01T00:00:00Z", to end: String = "2046-01-01T00:00:00Z") throws {
        let subject = try DistinguishedName { CommonName("TrackMe \(name)") }
        certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey), notValidBefore: Self.date(begin),
            notValidAfter: Self.date(end), issuer: subject, subject: subject, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true))
            },
            issuerPrivateKey: .init(key))
    }

    var pem: String { get throws { try certificate.serializeAsPEM().pemString } }

    static func date(_ text: String) -> Date { ISO8601DateFormatter().date(from: text) ?? .distantPast }

    /// What a hub shows, valid for `names` (addresses too) between two dates.
    func server(
        _ names: [String] = ["127.0.0.1"], from begin: String = "2026-06-01T00:00:00Z", to end: String = "2027-07-01T00:00:00Z",
        usage: [ExtendedKeyUsage.Usage]? = [.serverAuth]
    ) throws -> TLSConfiguration {
        let leafKey = P256.Signing.PrivateKey()
        let leaf = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(leafKey.publicKey), notValidBefore: Self.date(begin),
            notValidAfter: Self.date(end), issuer: certificate.subject, subject: try DistinguishedName { CommonName("hub") },
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                // Without one: an extension that nobody can read.
                if let usage {
                    try ExtendedKeyUsage(usage)
                } else {
                    Certificate.Extension(oid: .X509ExtensionID.extendedKeyUsage, critical: false, value: [0x05, 0x00])
                }
                SubjectAlternativeNames(
                    names.map { name in
                        let octets = name.split(separator: ".").compactMap { UInt8($0) }
                        return octets.count == 4 ? .ipAddress(ASN1OctetString(contentBytes: octets[...])) : .dnsName(name)
                    })
            },
            issuerPrivateKey: .init(key))
        return .makeServerConfiguration(
            certificateChain: [
                .certificate(try NIOSSLCertificate(bytes: Array(leaf.serializeAsPEM().pemString.utf8), format: .pem))
            ],
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(leafKey.pemRepresentation.utf8), format: .pem)))
    }
}

/// A TLS server that answers every request with the same status and body, and keeps what it was sent.
final class TLSServer: Sendable {
    private let channel: any Channel
    private let seen: Seen
    let port: Int

    /// - Parameters:
    ///   - idleLimit: closes a connection that many milliseconds after an answer.
    ///   - date: what its clock says.
    init(
        _ configuration: TLSConfiguration, idleLimit: Int64? = nil, status: HTTPResponseStatus = .ok, date: String? = nil,
        body: String = "{}"
    ) async throws {
        let fields = HTTPHeaders([("Content-Length", "\(body.utf8.count)")] + (date.map { [("Date", $0)] } ?? []))
        let head = HTTPResponseHead(version: .http1_1, status: status, headers: fields)
        let context = try NIOSSLContext(configuration: configuration), seen = Seen()
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(NIOSSLServerHandler(context: context))
                    try pipeline.configureHTTPServerPipeline()
                    try pipeline.addHandler(Handler(seen, idleLimit, head, body))
                    seen.connections.add(1, ordering: .relaxed)
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        self.seen = seen
        port = channel.localAddress?.port ?? 0
    }

    var requests: [String] { seen.requests.withLock { $0 } }
    var connections: Int { seen.connections.load(ordering: .relaxed) }

    func stop() async { try? await channel.close() }

    private final class Seen: Sendable {
        let requests = Mutex<[String]>([])
        let connections = Atomic<Int>(0)
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let seen: Seen
        private let idleLimit: Int64?
        private let head: HTTPResponseHead
        private let body: String

        init(_ seen: Seen, _ idleLimit: Int64?, _ head: HTTPResponseHead, _ body: String) {
            (self.head, self.body) = (head, body)
            self.seen = seen
            self.idleLimit = idleLimit
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): seen.requests.withLock { $0.append(head.uri) }
            case .body: break
            case .end:
                context.write(wrapOutboundOut(.head(head)), promise: nil)
                context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: body)))), promise: nil)
                context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
                guard let idleLimit else { return }
                let channel = context.channel
                context.eventLoop.scheduleTask(in: .milliseconds(idleLimit)) { channel.close(promise: nil) }
            }
        }
    }
}
