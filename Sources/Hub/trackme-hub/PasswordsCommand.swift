import ArgumentParser
import Foundation
import HubWeb

struct PasswordsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "passwords", abstract: "Make a list of breached passwords into a file for hub.passwords.breached.",
        discussion: """
            Reads the list from its input: in each line a password, or the SHA-1 of one, as Have I Been Pwned gives them. The file takes two \
            bytes for each.
            """)
    @Argument(help: "The file to make.")
    var file: String
    @Option(help: "How many lines the list has, about.")
    var expected: Int

    func run() throws {
        print(try BreachedPasswordsFile.make(URL(fileURLWithPath: file), expected: expected) { readLine(strippingNewline: true) })
    }
}
