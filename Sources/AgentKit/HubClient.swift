internal import AsyncHTTPClient
internal import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL
internal import SyncProtocol
internal import Vitals

/// HTTP to one hub: no redirections, bounded answers, time limits, and one trust root.
struct HubClient: Sendable {
    enum Trust: Sendable {
        /// Only what this CA (PEM) signed, for the name in the address.
        case pinned(String)
        case system
        /// For what is public and compared otherwise.
        case nobody
    }

    enum Method: String {
        case get = "GET"
        case post = "POST"
    }

    /// No answer came, for this reason.
    struct Unreachable: Error, CustomStringConvertible {
        var description: String
    }

    struct Response: Sendable {
        var status: Int
        var retryAfter: Int?
        var location: String?
        /// What the other side's clock said, UTC milliseconds.
        var date: Milliseconds?
        var body: [UInt8]
    }

    static let answerBytesMax = 1 << 20

    let address: HubAddress
    private let client: HTTPClient
    private let requestLimit: Milliseconds

    init(_ address: HubAddress, trust: Trust, configuration: AgentConfiguration) throws(AgentProblem) {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        switch trust {
        case .pinned(let pem):
            guard let roots = try? NIOSSLCertificate.fromPEMBytes(Array(pem.utf8)), roots.count == 1 else {
                throw AgentProblem(
                    "The stored CA certificate of the hub is not exactly one certificate",
                    advice: "Enrol the box again with `trackme-agent enrol --replace URL CODE`")
            }
            tls.trustRoots = .certificates(roots)
        case .system: break
        case .nobody: tls.certificateVerification = .none
        }
        var http = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow,
            timeout: .init(connect: .milliseconds(configuration.connectLimit), read: .milliseconds(configuration.requestLimit)))
        http.httpVersion = .http1Only
        http.connectionPool = .init(idleTimeout: .seconds(60), concurrentHTTP1ConnectionsPerHostSoftLimit: 1)
        http.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: http)
        self.address = address
        requestLimit = configuration.requestLimit
    }

    func shutdown() async { try? await client.shutdown() }

    /// One request; the whole of it within the time limit.
    func send(
        _ method: Method, _ path: String, headers: [(String, String)] = [], body: [UInt8]? = nil
    ) async throws(Unreachable) -> Response {
        var request = HTTPClientRequest(url: address.url(path))
        request.method = .init(rawValue: method.rawValue)
        request.headers = HTTPHeaders(headers)
        request.headers.add(name: ProtocolVersion.header, value: String(ProtocolVersion.current))
        if let body { request.body = .bytes(body) }
        let limit = requestLimit
        do {
            return try await withThrowingTaskGroup(of: Response?.self) { [request] group in
                group.addTask { try await perform(request) }
                group.addTask {
                    try await Task.sleep(for: .milliseconds(limit))
                    return nil
                }
                defer { group.cancelAll() }
                guard let response = try await group.next() ?? nil else {
                    throw Unreachable(description: "\(address) took longer than \(limit / 1000) s to answer")
                }
                return response
            }
        } catch let error as Unreachable {
            throw error
        } catch {
            throw Unreachable(description: reason(error))
        }
    }

    private func perform(_ request: HTTPClientRequest) async throws -> Response {
        let response = try await client.execute(request, timeout: .milliseconds(requestLimit))
        let body = try await response.body.collect(upTo: Self.answerBytesMax)
        return Response(
            status: Int(response.status.code), retryAfter: response.headers.first(name: "Retry-After").flatMap { Int($0) },
            location: response.headers.first(name: "Location"), date: response.headers.first(name: "Date").flatMap(HTTPDate.utc),
            body: Array(body.readableBytesView))
    }

    private func reason(_ error: any Error) -> String {
        switch error {
        case is NIOTooManyBytesError: "\(address) answered with more than \(Self.answerBytesMax >> 10) KiB, which no hub does"
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
            "\(address) does not show the certificate that was agreed at enrolment, or this box's clock is wrong (\(error))"
        case let error as HTTPClientError where error == .connectTimeout: "\(address) cannot be reached (no answer in time)"
        case let error as HTTPClientError where error == .remoteConnectionClosed: "\(address) broke off the connection"
        case is CancellationError: "the agent stops"
        default: "\(address) cannot be reached (\(error))"
        }
    }
}

extension Uploader.Reply where Answer: Decodable {
    /// What a response means: only a hub's JSON is believed.
    init(_ result: Result<HubClient.Response, HubClient.Unreachable>, from address: HubAddress) {
        let response: HubClient.Response
        switch result {
        case .success(let value): response = value
        case .failure(let error):
            self = .unreachable(error.description)
            return
        }
        let decoder = JSONDecoder()
        switch response.status {
        case 200..<300:
            guard let answer = try? decoder.decode(Answer.self, from: Data(response.body)) else {
                self = .notTheHub(
                    "\(address) answered with something that is no hub's answer (\(response.body.count) bytes): a login page of the network?"
                )
                return
            }
            self = .answer(answer)
        case 300..<400:
            self = .notTheHub("\(address) sends us elsewhere (\(response.status)): a login page of the network?")
        default:
            let error = try? decoder.decode(ErrorAnswer.self, from: Data(response.body))
            // A proxy on the way can answer these too, and must not stop the agent for good.
            if error == nil, response.status == 403 || response.status == 426 {
                self = .notTheHub("\(address) answered \(response.status) without a hub's explanation")
            } else {
                self = .refused(status: response.status, retryAfter: response.retryAfter, error: error)
            }
        }
    }
}
