import Foundation
import NIOCore
import NIOPosix
import NIOSSL

/// Opens bare connections to a hub: TLS with the pinned CA, or plain.
struct HubConnection: Sendable {
    let host: String
    let port: Int
    private let tls: NIOSSLContext?

    init(_ state: FleetState) throws {
        guard let url = URL(string: state.url), let host = url.host else { throw FleetError("'\(state.url)' is no address of a hub.") }
        let isSecure = url.scheme == "https"
        self.host = host.trimmingCharacters(in: ["[", "]"])
        port = url.port ?? (isSecure ? 443 : 80)
        guard isSecure else {
            tls = nil
            return
        }
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.applicationProtocols = ["http/1.1"]
        if let authority = state.certificateAuthority {
            configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(Array(authority.utf8)))
        }
        tls = try NIOSSLContext(configuration: configuration)
    }

    /// Connects; `handler` gets decrypted bytes.
    func open<Handler: ChannelHandler>(
        on group: any EventLoopGroup, _ handler: @escaping @Sendable () -> Handler
    ) -> EventLoopFuture<any Channel> {
        let isAddress = (try? SocketAddress(ipAddress: host, port: port)) != nil
        let name = isAddress ? nil : host
        return ClientBootstrap(group: group)
            .connectTimeout(.seconds(10))
            .channelInitializer { [tls] channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLClientHandler(context: tls, serverHostname: name)) }
                    try channel.pipeline.syncOperations.addHandler(handler())
                }
            }
            .connect(host: host, port: port)
    }

    /// The first line and the headers of a request, but for the length of a body.
    func head(_ method: String, _ path: String, _ fields: [(String, String)]) -> String {
        let authority = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        return "\(method) \(path) HTTP/1.1\r\nHost: \(authority)\r\n" + fields.map { "\($0.0): \($0.1)\r\n" }.joined()
    }
}
