import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

/// A connection of the server with what stands before and behind it: ``ProxyHeader`` and ``RequestGuard``.
struct GuardedChannel<Base: ServerChildChannel>: ServerChildChannel {
    typealias Value = Base.Value

    let base: Base
    let connections: Connections
    let headers: SecurityHeaders

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            if !connections.proxies.isEmpty { try channel.pipeline.syncOperations.addHandler(ProxyHeader(connections)) }
        }.flatMap {
            base.setup(channel: channel, logger: logger)
        }.flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(RequestGuard(connections, headers), position: .after(decoder))
            return value
        }
    }

    func handle(value: Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}
