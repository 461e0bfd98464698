import Foundation
import Supervision

extension HubConfiguration {
    /// The settings of the package.
    public static let packagedFile = "/etc/trackme/hub.yaml"

    /// Which file of settings a command at a shell reads, if any.
    static func settingsFile(file: String?, directory: String?) -> String? {
        let isElsewhere = directory != nil || getenv("HUB_DIRECTORY") != nil
        return file ?? (!isElsewhere && access(packagedFile, F_OK) == 0 ? packagedFile : nil)
    }

    /// The settings of a command at a shell: those of the package's hub where neither a file nor a directory is named. Run by root, it goes on as
    /// the owner of the hub's directory, so that the hub can read what it writes.
    /// - Parameters:
    ///   - file: as `--config` names it.
    ///   - directory: as `--directory` names it.
    /// - Throws: `HubConfigurationError` for settings that cannot be read.
    public static func ofShell(file: String?, directory: String?) async throws -> HubConfiguration {
        var configuration = try await read(file: settingsFile(file: file, directory: directory))
        if let directory { configuration.use(directory: directory) }
        do throws(DirectoryOwner.Refused) { try DirectoryOwner.become(of: configuration.directory.path) } catch {
            let name = error.name ?? "#\(error.user)"
            throw HubConfigurationError(
                "The owner of \(configuration.directory.path) cannot be taken on: run the command as that user, sudo -u \(name) trackme-hub …"
            )
        }
        return configuration
    }
}
