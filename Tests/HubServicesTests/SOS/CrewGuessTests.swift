import Foundation
import HubStore
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// Codes of crews, guessed.
@Suite struct CrewGuessTests {
    @Test("ACC-16: who guesses crew codes is slowed, and shuts nobody else out")
    func networks() async throws {
        let made = try AccountFixture()
        let audit = try AuditLog(HubDirectory(made.directory.url), accounts: made.store)
        let hospitals = HospitalService(service: made.accounts, audit: audit)
        func wait(_ address: String) async throws -> Bool {
            let browser = FactorService.Browser(address: address, name: "test", knownDevice: nil)
            guard case .wait = try await hospitals.join(["code": "AAAA-AAAA"], nil, language: "en", browser) else { return false }
            return true
        }
        for number in 0..<40 { #expect(try await !wait("198.51.100.\(number)"), "\(number)") }
        for _ in 0..<5 { #expect(try await !wait("2001:db8::1")) }
        #expect(try await wait("2001:db8::2"))
        #expect(try await !wait("192.0.2.1"))
    }
}
