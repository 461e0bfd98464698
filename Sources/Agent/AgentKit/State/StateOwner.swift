internal import Supervision

/// Commands that an administrator runs write files of the service.
public enum StateOwner {
    /// As root, becomes the owner of the state directory, so that the service can read what is written. Does nothing otherwise.
    /// - Throws: when root cannot become the owner.
    public static func become(of directory: String) throws(AgentProblem) {
        do throws(DirectoryOwner.Refused) { try DirectoryOwner.become(of: directory) } catch {
            throw AgentProblem(
                "The owner of \(directory) (user \(error.user)) cannot be taken on",
                advice: "Run the command as that user: sudo -u \(error.name ?? "#\(error.user)") trackme-agent …")
        }
    }
}
