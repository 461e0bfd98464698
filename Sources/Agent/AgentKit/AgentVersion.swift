/// The version of this program.
public enum AgentVersion {
    /// That of `packaging/deb/changelog`; the package is not built where the two differ.
    public static let current = "0.3.0"
}
