import HTTPTypes
import SyncProtocol

/// The requests on which an alarm may hang: from boxes, phones and crews, and the pages of an emergency.
enum UrgentRoutes {
    private static let beginnings = [
        "/sync/", SyncRoute.token, SOSController.roomAnswer, "/owntracks", "/osmand", APIController.flags, "/healthz", "/livez", "/readyz",
        "/metrics",
    ]
    private static let pages = ["/sos/", "/duty", "/protection", "/emergencies"]

    /// - Parameter path: of a request, with or without a query.
    static func contains(_ path: String) -> Bool { beginnings.contains { path.hasPrefix($0) } || isOfPages(path) }

    private static func isOfPages(_ path: String) -> Bool {
        pages.contains { path.hasPrefix($0) } || path.hasPrefix("/care/") && path.contains("/protection")
    }

    /// Whether a request reads what somebody looks at: whoever comes to help is told by a stream, and acts by a POST.
    static func isPage(_ path: String, _ method: HTTPRequest.Method) -> Bool { method == .get && isOfPages(path) }
}
