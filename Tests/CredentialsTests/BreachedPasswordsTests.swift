import Foundation
import Testing

@testable import Credentials

struct BreachedPasswordsTests {
    @Test("ACC-6: what stands in a list of breached passwords is found, by itself and by its SHA-1, and hardly anything else is")
    func found() throws {
        var builder = BreachedPasswords.Builder(expected: 1000)
        for number in 0..<998 { builder.add("made up \(number)") }
        // "correct horse battery staple" as Have I Been Pwned writes it.
        builder.add("ABF7AAD6438836DBE526AA231ABDE2D0EEF74D42:114")
        builder.add("Dragonfly-Summer")
        builder.add("")
        #expect(builder.count == 1000)
        let breached = try #require(BreachedPasswords(builder.file))
        for number in 0..<998 { #expect(breached.contains("made up \(number)")) }
        #expect(breached.contains("correct horse battery staple") && breached.contains("Dragonfly-Summer"))
        #expect(breached.contains("MADE UP 7"), "large letters help nobody")
        let wrong = (0..<10_000).count { breached.contains("another one \($0)") }
        #expect(wrong < 100, "\(wrong) of 10,000")
    }

    @Test("ACC-6: a file that is none, cut or longer is refused")
    func damaged() {
        let file = BreachedPasswords.Builder(expected: 10).file
        #expect(BreachedPasswords(file) != nil)
        for wrong in [Data(), file.dropLast(), file + [0], Data("TMBP".utf8), Data(repeating: 0, count: file.count)] {
            #expect(BreachedPasswords(wrong) == nil)
        }
        var version = file
        version[4] = 2
        #expect(BreachedPasswords(version) == nil)
    }
}
