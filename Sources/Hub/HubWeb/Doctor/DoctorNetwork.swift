import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// The doctor's connections: a part that the command makes, and hands to what looks.
struct DoctorNetwork: Sendable {
    /// Whom a connection trusts.
    enum Trust: Sendable, Hashable {
        case system
        /// An authority's PEM file.
        case authority(String)
        /// For this machine's own door: what it shows is another matter.
        case anybody
    }

    enum Answer: Sendable, Hashable {
        /// - Parameter start: the first bytes of what was answered.
        case answered(status: UInt, type: String, start: String)
        case failed(String)
    }

    enum Listening: Sendable, Hashable {
        case possible
        /// - Parameter code: the system's number of the error; 0 where it is none of the system's.
        case refused(code: Int32, why: String)
    }

    var get: @Sendable (_ url: String, _ trust: Trust, _ limit: Int64) async -> Answer
    /// Listens for a moment.
    var listen: @Sendable (_ host: String, _ port: Int) async -> Listening

    /// This machine's.
    static let system = DoctorNetwork(get: { await fetch($0, $1, limit: $2) }, listen: { await tryListening($0, $1) })

    private static func fetch(_ url: String, _ trust: Trust, limit: Int64) async -> Answer {
        var tls = TLSConfiguration.makeClientConfiguration()
        switch trust {
        case .system: break
        case .authority(let file): tls.trustRoots = .file(file)
        case .anybody: tls.certificateVerification = .none
        }
        var configuration = HTTPClient.Configuration(tlsConfiguration: tls, redirectConfiguration: .disallow)
        // Otherwise a certificate that is refused looks like a server that does not answer.
        configuration.connectionPool.retryConnectionEstablishment = false
        let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let answer: Answer
        do {
            let response = try await client.execute(HTTPClientRequest(url: url), timeout: .milliseconds(limit))
            var parts = response.body.makeAsyncIterator(), start = ""
            if let part = try await parts.next() {
                start = String(buffer: part.getSlice(at: part.readerIndex, length: min(200, part.readableBytes)) ?? part)
            }
            answer = .answered(
                status: response.status.code, type: response.headers.first(name: "content-type") ?? "", start: start)
        } catch { answer = .failed("\(error)") }
        try? await client.shutdown()
        return answer
    }

    private static func tryListening(_ host: String, _ port: Int) async -> Listening {
        do {
            let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1).bind(host: host, port: port).get()
            try await channel.close()
            return .possible
        } catch let error as IOError {
            return .refused(code: error.errnoCode, why: String(cString: strerror(error.errnoCode)))
        } catch { return .refused(code: 0, why: "\(error)") }
    }
}
