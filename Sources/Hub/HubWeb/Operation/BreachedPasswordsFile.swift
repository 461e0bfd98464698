import Credentials
public import Foundation
import Seams

/// The file that `hub.passwords.breached` names.
public enum BreachedPasswordsFile {
    /// Makes it of a list: a password or its SHA-1 in each line.
    /// - Parameters:
    ///   - expected: how many lines there are, about.
    ///   - next: gives the next line; nil at the end.
    /// - Returns: what was made.
    public static func make(_ file: URL, expected: Int, next: () -> String?) throws -> String {
        guard expected > 0 else { throw HubConfigurationError("--expected is \(expected): give the number of lines of the list, about.") }
        var builder = BreachedPasswords.Builder(expected: expected)
        while let line = next() { builder.add(line) }
        try HubCommands.machine.files.replace(file.path, with: Array(builder.file), mode: 0o644)
        let made = "\(builder.count) passwords are in \(file.path): name it in hub.passwords.breached."
        guard builder.count > expected * 2 else { return made }
        return made + "\nThere were more than twice as many as expected: good passwords will be refused, too. Make it again."
    }
}

extension HubConfiguration {
    /// - Throws: ``HubConfigurationError`` for a file that is none.
    func breachedPasswords() throws -> BreachedPasswords? {
        guard let path = passwords.breached else { return nil }
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped), let breached = BreachedPasswords(data)
        else {
            throw HubConfigurationError("hub.passwords.breached is \(path), which is no file of `trackme-hub passwords`: make it anew.")
        }
        return breached
    }
}
