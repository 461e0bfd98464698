internal import Dispatch
internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// One request on one connection.
struct SIPAttempt: Sendable {
    struct Result: Sendable {
        var ending: SIPTransaction.Ending
        /// Address and port of the other side, and the transport that was used.
        var peer: String?
        var transport: String
    }

    let request: SIPRequest
    let patience: Moment
    let loop: any EventLoop

    func run() async -> Result {
        guard case .udp = request.target.transport else { return await attempt(by: request.target.transport) }
        // The address is not known yet: the longest has 45 characters.
        let size = request.bytes(local: String(repeating: "x", count: 45), transport: .udp).count
        if size <= SIPTarget.datagramMax { return await attempt(by: .udp) }
        let byTCP = await attempt(by: .tcp)
        // Somebody who refuses TCP may still take a large datagram (RFC 3261, 18.1.1).
        if case .lost("nobody listens there", sent: 0) = byTCP.ending { return await attempt(by: .udp) }
        return byTCP
    }

    private func attempt(by transport: SIPTarget.Transport) async -> Result {
        let result = SIPOnce<SIPTransaction.Ending>()
        do {
            let channel = try await connect(by: transport, result)
            let peer = channel.remoteAddress.flatMap { address in address.ipAddress.map { SIPTarget.authority($0, address.port ?? 0) } }
            let ending = await withTaskCancellationHandler {
                await result.value
            } onCancel: {
                channel.close(promise: nil)
            }
            return Result(ending: ending, peer: peer, transport: transport.token)
        } catch {
            return Result(ending: .lost(SIPProblem.text(error), sent: 0), peer: nil, transport: transport.token)
        }
    }

    private func connect(by transport: SIPTarget.Transport, _ result: SIPOnce<SIPTransaction.Ending>) async throws -> any Channel {
        let target = request.target
        let address = try? SocketAddress(ipAddress: target.host, port: target.port)
        if case .udp = transport { return try await connectUDP(try await resolve(address), result) }
        let bootstrap = ClientBootstrap(group: loop)
            .connectTimeout(.seconds(SIPSender.connectSeconds))
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if case .tls(let trust) = transport {
                        // An address stands in the certificate itself, and in no name (RFC 5922, 7.1).
                        let name = trust.name ?? (address == nil ? target.host : nil)
                        try channel.pipeline.syncOperations.addHandler(NIOSSLClientHandler(context: trust.context, serverHostname: name))
                    }
                    try channel.pipeline.syncOperations.addHandler(handler(transport, result))
                }
            }
        if let address { return try await bootstrap.connect(to: address).get() }
        return try await bootstrap.connect(host: target.host, port: target.port).get()
    }

    private func connectUDP(_ address: SocketAddress, _ result: SIPOnce<SIPTransaction.Ending>) async throws -> any Channel {
        try await DatagramBootstrap(group: loop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers(SIPEnvelopes(peer: address), handler(.udp, result))
                }
            }
            .connect(to: address).get()
    }

    private func handler(_ transport: SIPTarget.Transport, _ result: SIPOnce<SIPTransaction.Ending>) -> SIPHandler {
        SIPHandler(request, by: transport, patience: patience, result: result)
    }

    /// A name is looked up on a thread of its own, and no longer than a connection may take: a dead name service must not stop an event
    /// loop.
    private func resolve(_ address: SocketAddress?) async throws -> SocketAddress {
        if let address { return address }
        let found = SIPOnce<Swift.Result<SocketAddress, any Error>>(), target = request.target
        let timeout = loop.scheduleTask(in: .seconds(SIPSender.connectSeconds)) {
            found.finish(.failure(ChannelError.connectTimeout(.seconds(SIPSender.connectSeconds))))
        }
        DispatchQueue.global().async {
            found.finish(Swift.Result { try SocketAddress.makeAddressResolvingHost(target.host, port: target.port) })
        }
        defer { timeout.cancel() }
        return try await found.value.get()
    }
}
