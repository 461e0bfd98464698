import HTTPTypes
import SyncProtocol

/// The requests on which an alarm may hang: from boxes, phones and crews, and the pages of an emergency.
enum UrgentRoutes {
    private static let beginnings = [
        "/sync/", SyncRoute.token, SOSController.roomAnswer, "/owntracks", "/osmand", APIController.flags, "/healthz", "/livez", "/readyz",
        "/metrics",
    ]
    private static let pages = ["/sos/", "/duty", "/protection", "/emergencies", "/operator/alarms"]

    /// - Parameter path: of a request, with or without a query.
    static func contains(_ path: String) -> Bool { beginnings.contains { path.hasPrefix($0) } || isOfPages(path) }

    /// Of those, what a person in need, a crew or a control room asks for. `/sync/` is mostly data.
    static func concernsAlarms(_ path: String) -> Bool {
        isOfPages(path) || [SyncRoute.sos, SOSController.roomAnswer, APIController.flags].contains { path.hasPrefix($0) }
    }

    private static func isOfPages(_ path: String) -> Bool {
        pages.contains { path.hasPrefix($0) } || path.hasPrefix("/care/") && path.contains("/protection")
    }

    /// Whether a request reads what somebody looks at: whoever comes to help is told by a stream, and acts by a POST.
    static func isPage(_ path: String, _ method: HTTPRequest.Method) -> Bool { method == .get && isOfPages(path) }
}
