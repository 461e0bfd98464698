import Foundation
import Seams

/// `trackme-hub setup`.
public enum HubSetupCommand {
    static let passwordFile = "hub-mail-password", before = ".before-setup"

    /// Asks, tries, and writes the settings, with what they were before beside them.
    /// - Parameters:
    ///   - path: the file of settings; it is made where there is none.
    ///   - ask: shows a question, and comes back with the line; nil when there are no more. The flag: it is a secret.
    ///   - isKnown: whether the name service knows a name.
    /// - Returns: what to do next.
    /// - Throws: `HubConfigurationError` where the file cannot be read or written, or nobody answers any more.
    public static func run(
        _ path: String, ask: @escaping (String, Bool) -> String?, say: @escaping (String) -> Void,
        isKnown: @escaping @Sendable (String) -> Bool
    ) async throws -> [String] {
        try await run(path, on: .system, ask: ask, say: say) { .init(on: .system, owner: $0, isKnown: isKnown) }
    }

    /// - Parameter tries: what is tried, where the hub's directory is that of this user and group.
    static func run(
        _ path: String, on machine: Machine, ask: @escaping (String, Bool) -> String?, say: @escaping (String) -> Void,
        tries: ((user: UInt32, group: UInt32)) -> HubSetup.Tries
    ) async throws -> [String] {
        let present = try? machine.files.read(path), text = present.map { String(decoding: $0, as: UTF8.self) } ?? HubSettings.file
        let configuration = try await present == nil ? HubConfiguration.read(file: nil) : HubConfiguration.read(file: path)
        let folder = (path as NSString).deletingLastPathComponent, keeper = SettingsKeeper(path: path, machine: machine)
        var owner = stat()
        if stat(configuration.directory.path, &owner) != 0 { (owner.st_uid, owner.st_gid) = (getuid(), getgid()) }
        var setup = HubSetup(
            HubSettingsFile(text), port: configuration.listen.port, host: configuration.url.flatMap { URL(string: $0)?.host },
            tries: tries((owner.st_uid, owner.st_gid)), ask: ask, say: say,
            keep: { password in
                let file = "\(folder)/\(passwordFile)"
                try keeper.write(Array("\(password)\n".utf8), to: file)
                return file
            })
        do { try await setup.run() } catch is HubSetup.Ended {
            throw HubConfigurationError("Nobody answers any more: the settings stay as they were.")
        }
        if let present, setup.file.text != text { try keeper.write(present, to: path + before) }
        if setup.file.text != text || present == nil { try keeper.write(Array(setup.file.text.utf8), to: path) }
        return ["sudo systemctl restart trackme-hub"] + (setup.extract.map { ["sudo trackme-hub map import \($0)"] } ?? [])
            + ["sudo trackme-hub claim-code     # makes the first operator, where there is none"]
    }
}

/// Writes files beside the settings for whom they are: root and the hub's group.
private struct SettingsKeeper {
    let path: String
    let machine: Machine

    func write(_ bytes: [UInt8], to file: String) throws {
        var facts = stat()
        let isKnown = stat(path, &facts) == 0
        do throws(FileProblem) { try machine.files.replace(file, with: bytes, mode: 0o640) } catch {
            throw HubConfigurationError("\(file) cannot be written (\(error.reason)): run it as root, sudo trackme-hub setup.")
        }
        if isKnown { _ = chown(file, facts.st_uid, facts.st_gid) }
    }
}
