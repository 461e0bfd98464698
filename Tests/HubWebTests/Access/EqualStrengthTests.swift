import Accounts
import Crypto
import Foundation
import HubServices
import HubStore
import NIOHTTP1
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// Pages, API, boxes, phones and command line side by side: none is the weak door beside a strong one.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct EqualStrengthTests {
    /// Something that only who is let in gets, by each way.
    private static let doors: [(method: HTTPMethod, path: String, refusals: Set<UInt>)] = [
        (.GET, "/organisation/people", [303, 403]), (.GET, "/api/v1/consents", [401]), (.POST, SyncRoute.segments, [401]),
        (.POST, "/owntracks", [401]), (.POST, "/osmand?id=AAAA-BBBB-CCCC-DDDD&timestamp=1&lat=1&lon=1", [401]),
    ]

    @Test("ACC-9, CONS-12: what opens one door opens no other: a cookie no API, a token no page, a password alone neither")
    func apart() async throws {
        try await WebFixture.run { web in
            let cast = try await Cast(web, "a"), account = try #require(cast.accounts[.organisation])
            let password = "Basic " + Data("\(account.email):three ducks swim to Bergamo".utf8).base64EncodedString()
            let full = try web.session(of: account, strength: .full), begun = try web.session(of: account, strength: .begun)
            let cookieValue = String(try #require(full.split(separator: "=", maxSplits: 1).last))
            let keys: [(name: String, headers: [(String, String)], opens: String)] = [
                ("nothing", [], ""), ("a password", [("authorization", password)], ""),
                ("a session that owes its second factor", [("cookie", begun)], ""),
                ("a session", [("cookie", full)], "/organisation/people"),
                ("a session's secret as a token", [("authorization", "Bearer \(cookieValue)")], ""),
                ("a program's token", [("authorization", "Bearer \(cast.token)")], "/api/v1/consents"),
                ("a program's token as a session", [("cookie", "\(Sessions.cookie)=\(cast.token)")], ""),
                ("a box's token", [("authorization", "Bearer \(cast.agent)")], SyncRoute.segments),
            ]
            for key in keys {
                for door in Self.doors {
                    let status = try await web.send(door.method, door.path, headers: key.headers, body: door.method == .POST ? [] : nil)
                        .status
                    if door.path == key.opens {
                        #expect(status == 200, "\(key.name) at \(door.path): \(status)")
                    } else {
                        #expect(door.refusals.contains(status), "\(key.name) at \(door.path): \(status)")
                    }
                }
            }
        }
    }

    @Test("ACC-9: a token is given for a registered key alone: not for a password, a shared secret, or a key of somebody else's")
    func tokens() async throws {
        try await WebFixture.run { web in
            let cast = try await Cast(web, "a"), other = try await Cast(web, "b")
            let account = try #require(cast.accounts[.organisation])
            let forms = [
                "grant_type=password&username=\(account.email)&password=x",
                "grant_type=client_credentials&client_id=\(account.id)&client_secret=x",
                "grant_type=client_credentials", try cast.program.form().replacing("client_credentials", with: "password"),
                // Signed by the key of another organisation.
                try other.program.form(naming: cast.program.organisation),
            ]
            for (endpoint, form) in [APIController.token, SyncRoute.token].flatMap({ path in forms.map { (path, $0) } }) {
                let answer = try await web.send(.POST, endpoint, body: Array(form.utf8))
                #expect([400, 401].contains(answer.status) && !answer.body.contains("access_token"), "\(endpoint) \(form): \(answer.body)")
            }
        }
    }

    @Test("ACC-6: whoever guesses is slowed down at each door")
    func guesses() async throws {
        try await WebFixture.run { web in
            let stranger = try Program(web, email: "stranger@example.org"), office = try Program(web).organisation
            let key = Hexadecimal.string(P256.Signing.PrivateKey().publicKey.x963Representation)
            let doors: [(path: String, body: (Int) throws -> String, headers: [(String, String)])] = [
                ("/log-in", { "email=ada@example.org&password=guess\($0)" }, [("content-type", "application/x-www-form-urlencoded")]),
                (APIController.token, { try stranger.form(jti: "\($0)", naming: office) }, []),
                (SyncRoute.enrolment, { #"{"code":"AAAA\#(1000 + $0)","publicKey":"\#(key)","name":"x"}"# }, []),
                (
                    SyncRoute.pairing,
                    { #"{"code":"AAAA\#(1000 + $0)","publicKey":"\#(key)","name":"x","commitment":"\#(key.prefix(64))"}"# }, []
                ),
                ("/osmand", { "id=AAAA-BBBB-CCCC-\(1000 + $0)&timestamp=1&lat=1&lon=1" }, []),
            ]
            for door in doors {
                var statuses: [UInt] = []
                for number in 0..<40 where statuses.last != 429 {
                    statuses.append(
                        try await web.send(.POST, door.path, headers: door.headers, body: Array(try door.body(number).utf8)).status)
                }
                #expect(statuses.last == 429, "\(door.path)")
            }
        }
    }

    @Test("DATA-11: the command line is as strong as the hub's own files: nobody but their owner can read them")
    func files() async throws {
        try await WebFixture.run { web in
            let files = FileManager.default
            func mode(_ path: String) throws -> Int {
                try #require(files.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber).intValue
            }
            let folder = try TemporaryDirectory(), hub = folder.url.appendingPathComponent("hub")
            _ = try HubCommands.addPeople(names: ["Ada"], HubConfiguration(directory: hub))
            #expect(try mode(hub.path) == 0o700)
            for name in try files.contentsOfDirectory(atPath: hub.path) {
                #expect(try mode(hub.appendingPathComponent(name).path) & 0o077 == 0, "\(name)")
            }
            for name in try files.contentsOfDirectory(atPath: web.directory.url.path) where name.contains("key") || name.contains("sqlite")
            {
                #expect(try mode(web.directory.url.appendingPathComponent(name).path) & 0o077 == 0, "\(name)")
            }
        }
    }
}
