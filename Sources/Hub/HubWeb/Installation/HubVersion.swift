/// The version of this program.
public enum HubVersion {
    /// That of `packaging/deb/changelog.hub`; the package is not built where the two differ.
    public static let current = "0.4.0"
}
