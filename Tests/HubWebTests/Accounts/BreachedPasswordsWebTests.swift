import Foundation
import TestSupport
import Testing

@testable import HubWeb

@Suite(.serialized, .timeLimit(.minutes(2)))
struct BreachedPasswordsWebTests {
    @Test("ACC-6: a password of the operator's list of breached ones is refused at the sign-up, and a page says why")
    func signUp() async throws {
        let folder = try TemporaryDirectory(), file = folder.url.appendingPathComponent("breached")
        var lines = ["seven geese fly to Como", "another one of these"][...]
        let made = try BreachedPasswordsFile.make(file, expected: 2) { lines.popFirst() }
        #expect(made.hasPrefix("2 passwords"))
        let change: (inout HubConfiguration) throws -> Void = { $0.passwords.breached = file.path }
        try await WebFixture.run(change: change) { web in
            let fields = AccountTests.person().merging(["password": "seven geese fly to Como"]) { $1 }
            let refused = try await web.post("/sign-up/person", fields)
            #expect(refused.status == 422 && refused.body.contains(Texts.of("en")["mistake.passwordCommon"]))
            #expect(!refused.body.contains("seven geese fly"))
            #expect(try await web.post("/sign-up/person", AccountTests.person()).status == 200)
        }
    }

    @Test("ACC-6: a hub does not start with a list that is none, and says what to do")
    func damaged() throws {
        let folder = try TemporaryDirectory(), file = folder.url.appendingPathComponent("breached")
        try Data("password\n123456\n".utf8).write(to: file)
        var configuration = HubConfiguration(directory: folder.url)
        for path in [file.path, folder.url.appendingPathComponent("nowhere").path] {
            configuration.passwords.breached = path
            let error = #expect(throws: HubConfigurationError.self) { try configuration.breachedPasswords() }
            #expect(error?.description.contains("trackme-hub passwords") == true)
        }
    }
}
