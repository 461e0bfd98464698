internal import Glibc

/// Where the control socket of an agent is.
public enum ControlSocket {
    private static let name = "control.sock"
    /// RuntimeDirectory= of the service.
    private static let service = "/run/trackme-agent"

    /// Where the agent of a state directory listens: in the directory that the service manager made, or beside the state.
    public static func path(forState directory: String, environment: [String: String]) -> String {
        (runtimeDirectory(environment) ?? directory) + "/" + name
    }

    /// Where a command finds the running agent: beside the state directory that was named, or where the service is.
    public static func path(state: String?, environment: [String: String]) -> String {
        if let directory = runtimeDirectory(environment) ?? state { return directory + "/" + name }
        if access(service, F_OK) == 0 { return service + "/" + name }
        let directory = AgentConfiguration.defaultStateDirectory(environment: environment) { access($0, W_OK) == 0 }
        return directory + "/" + name
    }

    private static func runtimeDirectory(_ environment: [String: String]) -> String? {
        environment["RUNTIME_DIRECTORY"]?.split(separator: ":").first.map(String.init)
    }
}
