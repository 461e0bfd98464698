import AsyncHTTPClient
import Crypto
import Foundation
import HubServices
import NIOCore
import NIOHTTP1
import Seams
import SyncProtocol
import Vitals

/// An organisation's program that asks about groups over HTTP, as any other one would.
struct GroupAttackClient: Sendable {
    /// An answer without what differs for every request: its identifier and its times.
    struct Answer {
        let status: UInt
        let bytes: [UInt8]
        /// Milliseconds.
        let took: Double

        /// Windows of an answer, the newest first.
        func windows() throws -> [Window] { try JSONDecoder().decode(Document.self, from: Data(bytes)).windows ?? [] }
    }

    struct Document: Decodable {
        let windows: [Window]?
    }

    struct Window: Decodable {
        let results: [Result]
    }

    struct Result: Decodable {
        struct Class: Decodable {
            let count: Double
        }

        let kind: String, status: String
        let histogram: [Class]
    }

    struct Question: Encodable {
        struct Ages: Encodable {
            let from: Int
            var through: Int?
        }

        struct Area: Encodable {
            struct Circle: Encodable {
                let latitude: Double, longitude: Double, radius: Double
            }

            let circle: Circle
        }

        struct Range: Encodable {
            let kind: String, from: Double
        }

        var kinds: [String]
        var sexes: [String]?
        var ages: Ages?
        var regions: [String]?
        var area: Area?
        var ranges: [Range]?
    }

    private struct Sent: Encodable {
        let question: Question
        let purpose: String
        let past: Int
    }

    let base: String
    let organisation: String
    private let token: String
    private let machine: Machine

    static let purpose = "An attack on made-up people"
    private static let limit: TimeAmount = .seconds(120), bytesMax = 64 << 20

    /// Gets a token with a registered key, as the API's documents say (RFC 7523).
    init(base: String, endpoint: String, organisation: String, key: P256.Signing.PrivateKey, now: Milliseconds, machine: Machine)
        async throws
    {
        let identifier = Base64URL.text(machine.randomness.bytes(16))
        let claims = """
            {"iss":"\(organisation)","sub":"\(organisation)","aud":"\(endpoint)","exp":\(now / 1000 + 200),"jti":"\(identifier)"}
            """
        let signed = "\(Base64URL.text(Array(#"{"alg":"ES256","typ":"JWT"}"#.utf8))).\(Base64URL.text(Array(claims.utf8)))"
        let signature = Base64URL.text(try key.signature(for: Data(signed.utf8)).rawRepresentation)
        let form =
            "grant_type=client_credentials&client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer"
            + "&client_assertion=\(signed).\(signature)"
        let answer = try await Self.post(
            base + APIController.token, [("content-type", "application/x-www-form-urlencoded")], Array(form.utf8), machine)
        guard answer.status == 200 else { throw GroupAttackProblem("The hub gave no token: it answered \(answer.status).") }
        token = try JSONDecoder().decode(TokenAnswer.self, from: Data(answer.bytes)).accessToken
        (self.base, self.organisation, self.machine) = (base, organisation, machine)
    }

    /// Asks once about the newest windows.
    func ask(_ question: Question, past: Int = 1) async throws -> Answer {
        let body = Array(try JSONEncoder().encode(Sent(question: question, purpose: Self.purpose, past: past)))
        let headers = [("content-type", "application/json"), ("authorization", "Bearer \(token)")]
        return try await Self.post("\(base)/api/v1/groups/requests", headers, body, machine)
    }

    private static func post(_ url: String, _ headers: [(String, String)], _ body: [UInt8], _ machine: Machine) async throws -> Answer {
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        request.body = .bytes(ByteBuffer(bytes: body))
        let began = machine.uptime
        let response = try await HTTPClient.shared.execute(request, timeout: limit)
        let bytes = try await response.body.collect(upTo: bytesMax)
        let (seconds, rest) = (machine.uptime - began).components
        return Answer(
            status: response.status.code, bytes: Array(bytes.readableBytesView), took: Double(seconds) * 1000 + Double(rest) / 1e15)
    }
}

/// Why there is no attack, and what to do.
struct GroupAttackProblem: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
