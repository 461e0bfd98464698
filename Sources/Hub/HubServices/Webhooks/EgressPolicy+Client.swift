public import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
public import Seams

/// Posts to addresses that strangers gave. A name is resolved here, every address that it has must lie outside, and the connection goes to
/// one of exactly these: what a name server says a moment later does not count (DNS rebinding). TLS still checks the name.
public struct EgressClient: Sendable {
    /// The addresses of a name.
    public typealias Resolve = @Sendable (_ host: String) async throws -> [IPAddress]

    /// From the connection to the end of the answer.
    public static let limit: Duration = .seconds(10)
    /// Of an answer's body not more is read, and nothing of it is kept.
    public static let bodyMax = 4096

    private let addresses: EgressPolicy
    private let pool: OutsidePool
    private let limit: Duration
    private let resolve: Resolve
    private let machine: Machine

    /// - Parameters:
    ///   - configuration: whom to trust; all else is set here.
    ///   - resolve: how names are resolved; nil for ``resolver(on:)``.
    /// - Throws: `ThreadRefusal`, where the system refuses threads for names.
    public init(
        addresses: EgressPolicy, configuration: HTTPClient.Configuration = .init(), limit: Duration = Self.limit,
        resolve: Resolve? = nil, machine: Machine = .system
    ) throws(ThreadRefusal) {
        (self.addresses, self.limit, self.machine) = (addresses, limit, machine)
        if let resolve { self.resolve = resolve } else { self.resolve = try Self.resolver(on: machine) }
        var configuration = configuration
        configuration.redirectConfiguration = .disallow
        configuration.decompression = .disabled
        configuration.httpVersion = .http1Only
        configuration.proxy = nil
        configuration.timeout.connect = .seconds(5)
        configuration.connectionPool.retryConnectionEstablishment = false
        // Shorter than most servers keep a connection: one that they just closed would fail a post.
        configuration.connectionPool.idleTimeout = .seconds(15)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = DeliveryLimits.destinationMax
        pool = OutsidePool(configuration, on: machine)
    }

    /// Why a post came to no answer. Says nothing about the hub's own network.
    public struct Failure: Error, Sendable, Hashable, CustomStringConvertible {
        public let description: String
    }

    /// Posts `body` once.
    /// - Parameter turn: which of several addresses is taken: another with each try.
    /// - Returns: the status of the answer; a redirect is an answer like any other, and is not followed.
    public func post(
        _ body: [UInt8], to url: OutsideURL, headers: [(String, String)], turn: Int = 0
    ) async throws(Failure) -> Int {
        try await send(body, to: url, headers: headers, turn: turn).status
    }

    /// The head of an answer.
    public struct Answer: Sendable, Hashable {
        public let status: Int
        /// The header Retry-After.
        public let retryAfter: String?
    }

    /// The same as ``post(_:to:headers:turn:)``, with more of the answer.
    public func send(
        _ body: [UInt8], to url: OutsideURL, headers: [(String, String)], turn: Int = 0
    ) async throws(Failure) -> Answer {
        let address = try await address(of: url.host, turn: turn)
        var request = HTTPClientRequest(url: url.text)
        request.method = .POST
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        request.body = .bytes(ByteBuffer(bytes: body))
        let made = request
        return try await pool.use(.init(host: url.host, address: address)) { await answer(to: made, $0) }.get()
    }

    /// Asks for the head of a page, which tells nothing: whether anybody answers there.
    /// - Returns: the status of the answer.
    public func head(_ url: OutsideURL) async throws(Failure) -> Int {
        let address = try await address(of: url.host, turn: 0)
        var request = HTTPClientRequest(url: url.text)
        request.method = .HEAD
        let made = request
        return try await pool.use(.init(host: url.host, address: address)) { await answer(to: made, $0) }.get().status
    }

    private func answer(to request: HTTPClientRequest, _ client: HTTPClient) async -> Result<Answer, Failure> {
        await withTaskGroup(of: Result<Answer, Failure>.self) { group in
            group.addTask {
                do {
                    let response = try await client.execute(request, deadline: .distantFuture)
                    var read = 0
                    for try await part in response.body {
                        read += part.readableBytes
                        if read > Self.bodyMax { break }
                    }
                    return .success(Answer(status: Int(response.status.code), retryAfter: response.headers.first(name: "retry-after")))
                } catch { return .failure(Self.failure(error)) }
            }
            group.addTask {
                try? await machine.sleep(for: limit)
                return .failure(Failure(description: "no complete answer within \(limit.components.seconds) s"))
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(Failure(description: "it was not tried"))
        }
    }

    private func address(of host: String, turn: Int) async throws(Failure) -> IPAddress {
        let found: [IPAddress]
        if let literal = IPAddress(host) {
            found = [literal]
        } else {
            do { found = try await resolve(host) } catch {
                throw Failure(description: "the name \(host) cannot be resolved")
            }
        }
        guard !found.isEmpty else { throw Failure(description: "the name \(host) has no address") }
        guard found.allSatisfy(addresses.isOutside) else {
            throw Failure(description: "\(host) is not on the public Internet, so nothing is sent there")
        }
        return found[abs(turn % found.count)]
    }

    private static func failure(_ error: any Error) -> Failure {
        let kind = String(describing: type(of: error))
        if kind.contains("SSL") {
            return Failure(description: "TLS failed: the certificate is not trusted, has expired, or is for another name (\(kind))")
        }
        if let error = error as? HTTPClientError { return Failure(description: "the connection failed: \(error.shortDescription)") }
        return Failure(description: "the connection was refused or broke (\(kind))")
    }

    // MARK: Names

    /// Names that are asked for at once, at most. A name server that does not answer holds each as long as the machine's configuration says.
    static let namesMax = 8

    /// The resolver of the machine, on ``namesMax`` threads of its own.
    public static func resolver(on machine: Machine) throws(ThreadRefusal) -> Resolve {
        let threads = try BlockingQueue.resolve.threads(on: machine, count: namesMax)
        return { host in await threads.run { lookUp(host) } }
    }

    private static func lookUp(_ host: String) -> [IPAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var found: [IPAddress] = []
        var next = list
        while let entry = next?.pointee {
            let bytes = UnsafeRawBufferPointer(start: entry.ai_addr, count: Int(entry.ai_addrlen))
            // The address stands behind family and port, in IPv6 also behind the flow.
            let address: Range<Int>? = entry.ai_family == AF_INET ? 4..<8 : entry.ai_family == AF_INET6 ? 8..<24 : nil
            if let address, address.upperBound <= bytes.count { found.append(IPAddress(bytes: Array(bytes[address]))) }
            next = entry.ai_next
        }
        return found
    }
}
