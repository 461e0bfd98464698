import Accounts
import Crypto
import Foundation
import HubServices
import HubStore
import Logging
import NIOCore
import NIOHTTP1
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// An organisation's program, with a key of its own.
struct Program {
    let web: WebFixture
    let organisation: OrganisationID
    let key = P256.Signing.PrivateKey()

    init(_ web: WebFixture, email: String = "office@example.org") throws {
        self.web = web
        let new = NewAccount(
            roles: [.organisation], details: [Field.email.rawValue: email], canonicalEmail: email, canonicalIdentifier: nil, password: "",
            language: "en",
            accepted: [:])
        guard case .added(let account) = try web.hub.accounts.addConfirmedAccount(new, now: Cast.now) else {
            throw HubStoreError.unknownPerson(email)
        }
        organisation = OrganisationID(account.id)
        _ = try OrganisationKeys(organisations: web.hub.accounts.organisations).add(
            key.publicKey.pemRepresentation, name: "x", to: account.id, now: Cast.now)
    }

    /// Signed by hand: what any library of the organisation's would send.
    /// - Parameter naming: another organisation than the one whose key this is.
    func form(jti: String = UUID().uuidString, naming other: OrganisationID? = nil) throws -> String {
        let organisation = other ?? organisation
        func part(_ data: Data) -> String {
            data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        }
        let exp = Int(Date().timeIntervalSince1970) + 200
        // The hub was told to take a free port, so it believes that its own is 0.
        let claims = """
            {"iss":"\(organisation)","sub":"\(organisation)","aud":"https://127.0.0.1:0\(APIController.token)","exp":\(exp),"jti":"\(jti)"}
            """
        let signed = part(Data(#"{"alg":"ES256","typ":"JWT","kid":"mine"}"#.utf8)) + "." + part(Data(claims.utf8))
        let signature = part(try key.signature(for: Data(signed.utf8)).rawRepresentation)
        return "grant_type=client_credentials&client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer"
            + "&client_assertion=\(signed).\(signature)"
    }

    func token() async throws -> String {
        let answer = try await web.send(.POST, APIController.token, body: Array(form().utf8))
        #expect(answer.status == 200 && answer.header("cache-control") == "no-store", "\(answer.body)")
        let given = try JSONDecoder().decode(TokenAnswer.self, from: Data(answer.body.utf8))
        #expect(given.tokenType == "Bearer" && given.expiresIn == 3600)
        return given.accessToken
    }
}

@Suite(.serialized)
struct APITests {
    private func json(_ answer: WebFixture.Answer) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(answer.body.utf8)) as? [String: Any])
    }

    @Test("CONS-12: the document names each operation that there is, and each that it names is there and described fully")
    func document() async throws {
        try await WebFixture.run { web in
            let answer = try await web.send(.GET, APIController.document)
            #expect(answer.status == 200 && answer.header("content-type") == "application/json")
            let document = try json(answer)
            #expect(document["openapi"] as? String == "3.1.0")
            let paths = try #require(document["paths"] as? [String: [String: Any]])
            var described: Set<String> = [], names: [String] = []
            for (path, operations) in paths {
                for (method, operation) in operations where method != "parameters" {
                    described.insert("\(method.uppercased()) \(path)")
                    let operation = try #require(operation as? [String: Any])
                    names.append(try #require(operation["operationId"] as? String))
                    #expect((operation["responses"] as? [String: Any])?.isEmpty == false)
                    // It is there: a stranger is sent away, and not told that there is nothing.
                    let url = path.replacing("{id}", with: WebhookID.random().description)
                    let status = try await web.send(HTTPMethod(rawValue: method.uppercased()), url, body: []).status
                    let isOpen = (operation["security"] as? [Any])?.isEmpty == true
                    #expect(isOpen ? status == 200 || status == 400 : status == 401, "\(method) \(path): \(status)")
                }
            }
            #expect(Set(names).count == names.count)
            let accounts = web.hub.accounts
            let controller = APIController(
                accounts: accounts, tokens: OrganisationTokens(organisations: accounts.organisations),
                webhooks: Webhooks(store: accounts.webhooks, addresses: EgressPolicy()), consents: web.hub.consents,
                subscriptions: web.hub.subscriptions, reports: web.hub.reports, programEntries: web.hub.programEntries,
                tokenEndpoint: "", guesses: FailedAttemptLimiter(),
                logger: .init(label: "test"), now: { 0 }, reads: ReadPool(), groups: web.hub.groups,
                export: Export(series: web.hub.series.reader) { 0 })
            #expect(Set(controller.operations.map(\.name)) == described)
            try checkReferences(document, root: document)
        }
    }

    private func checkReferences(_ value: Any, root: [String: Any]) throws {
        if let list = value as? [Any] { for item in list { try checkReferences(item, root: root) } }
        guard let object = value as? [String: Any] else { return }
        if let reference = object["$ref"] as? String {
            var place: Any? = root
            for part in reference.dropFirst(2).split(separator: "/") { place = (place as? [String: Any])?[String(part)] }
            #expect(place != nil, "\(reference)")
        }
        for item in object.values { try checkReferences(item, root: root) }
    }

    @Test("CONS-12: a program gets a token once for an assertion, and the token is worth nothing once its key is revoked")
    func token() async throws {
        try await WebFixture.run { web in
            let program = try Program(web), token = try await program.token()
            let bearer = [("authorization", "Bearer \(token)")]
            #expect(try await web.send(.GET, "/api/v1/webhooks", headers: bearer).body == "[]")
            let form = Array(try program.form(jti: "once").utf8)
            #expect(try await web.send(.POST, APIController.token, body: form).status == 200)
            let again = try await web.send(.POST, APIController.token, body: form)
            #expect(try again.status == 401 && json(again)["error"] as? String == "invalid_client")
            #expect(try await web.send(.POST, APIController.token, body: Array("grant_type=password".utf8)).status == 400)
            let key = try #require(try web.hub.accounts.organisations.organisationKeys(of: program.organisation.account).first)
            #expect(try web.hub.accounts.organisations.revokeOrganisationKey(key.row, of: program.organisation.account, now: 1))
            let refused = try await web.send(.GET, "/api/v1/webhooks", headers: bearer)
            #expect(refused.status == 401 && refused.header("www-authenticate")?.hasPrefix("Bearer") == true)
            #expect(refused.header("content-type") == "application/problem+json")
            #expect(try await web.send(.GET, "/api/v1/webhooks", headers: [("authorization", "Basic x")]).status == 401)
            var statuses: [UInt] = []
            for _ in 0..<25 { statuses.append(try await web.send(.POST, APIController.token, body: form).status) }
            #expect(statuses.first == 401 && statuses.last == 429)
        }
    }

    @Test("CONS-5: a program makes, lists and removes its webhooks; another organisation's program finds none of them")
    func webhooks() async throws {
        try await WebFixture.run { web in
            let token = try await Program(web).token(), other = try await Program(web, email: "other@example.org").token()
            let mine = [("authorization", "Bearer \(token)")], theirs = [("authorization", "Bearer \(other)")]
            func add(_ url: String) async throws -> WebFixture.Answer {
                try await web.send(.POST, "/api/v1/webhooks", headers: mine, body: Array("{\"url\":\"\(url)\"}".utf8))
            }
            let made = try await add("https://Hook.Example/in")
            #expect(made.status == 201)
            let object = try json(made), id = try #require(object["id"] as? String)
            #expect(object["url"] as? String == "https://hook.example/in" && (object["secret"] as? String)?.count == 43)
            #expect(made.header("location") == "/api/v1/webhooks/\(id)")
            let shown = try await web.send(.GET, "/api/v1/webhooks/\(id)", headers: mine)
            #expect(shown.status == 200 && !shown.body.contains("secret"))
            #expect(try json(shown)["waiting"] as? Int == 0)
            #expect(try await web.send(.GET, "/api/v1/webhooks/\(id)/dead-deliveries", headers: mine).body == "[]")
            for (method, path) in [(HTTPMethod.GET, ""), (.GET, "/dead-deliveries"), (.DELETE, "")] {
                let answer = try await web.send(method, "/api/v1/webhooks/\(id)\(path)", headers: theirs)
                let nothing = try await web.send(method, "/api/v1/webhooks/\(WebhookID.random())\(path)", headers: theirs)
                #expect(answer.status == 404 && answer.body == nothing.body)
            }
            for (url, code) in [
                ("http://hook.example", "invalid_url"), ("https://127.0.0.1", "inside"), ("https://[::1]:9/", "inside"),
                ("https://u:p@hook.example", "invalid_url"), ("https://localhost", "invalid_url"), ("", "invalid_url"),
            ] {
                let answer = try await add(url)
                #expect(answer.status == 400 && answer.header("content-type") == "application/problem+json")
                #expect(try json(answer)["code"] as? String == code, "\(url)")
            }
            #expect(try await web.send(.POST, "/api/v1/webhooks", headers: mine, body: Array("{}".utf8)).status == 400)
            let large = [UInt8](repeating: 32, count: APIController.bodyMax + 1)
            #expect(try await web.send(.POST, "/api/v1/webhooks", headers: mine, body: large).status == 413)
            for _ in 1..<WebhookStore.webhooksMax { #expect(try await add("https://hook.example").status == 201) }
            #expect(try await add("https://hook.example").status == 409)
            #expect(try await web.send(.DELETE, "/api/v1/webhooks/\(id)", headers: mine).status == 204)
            #expect(try await web.send(.DELETE, "/api/v1/webhooks/\(id)", headers: mine).status == 404)
            let nowhere = try await web.send(.GET, "/api/v1/nothing", headers: mine)
            #expect(nowhere.status == 404 && nowhere.header("content-type") == "application/problem+json")
        }
    }

    @Test("CONS-5: a network in the configuration that is none is told before the hub starts")
    func configuration() throws {
        let directory = try TemporaryDirectory()
        var configuration = HubConfiguration(directory: directory.url)
        configuration.webhooks.allow = ["10.0.0.0/8", "fd00::/8"]
        try configuration.check()
        configuration.webhooks.allow = ["10.0.0.0/8", "intranet"]
        #expect(throws: HubConfigurationError.self) { try configuration.check() }
    }
}
