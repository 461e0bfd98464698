import ArgumentParser
import Foundation
import HubWeb

struct SetupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup", abstract: "Ask for name, certificate, mail, texts and map, try each, and write the settings.")
    @Option(help: "The file of settings.")
    var config = HubConfiguration.packagedFile

    func run() async throws {
        let steps = try await HubSetupCommand.run(config, ask: Self.ask, say: { print($0) }, isKnown: Self.isKnown)
        print("Next:")
        for step in steps { print("    \(step)") }
    }

    private static func isKnown(_ name: String) -> Bool {
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(name, nil, nil, &found) == 0 else { return false }
        freeaddrinfo(found)
        return true
    }

    private static func ask(_ question: String, isSecret: Bool) -> String? {
        print(question, terminator: "")
        fflush(nil)
        guard isSecret, isatty(0) == 1 else { return readLine() }
        var before = termios()
        tcgetattr(0, &before)
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(0, TCSANOW, &silent)
        defer {
            tcsetattr(0, TCSANOW, &before)
            print("")
        }
        return readLine()
    }
}
