import SyncProtocol

/// The requests on which an alarm may hang: from boxes, phones and crews, and the pages of an emergency.
enum UrgentRoutes {
    private static let beginnings = [
        "/sync/", SyncRoute.token, "/sos/", SOSController.roomAnswer, "/duty", "/protection", "/emergencies", "/owntracks", "/osmand",
        APIController.flags, "/healthz", "/readyz",
    ]

    /// - Parameter path: of a request, with or without a query.
    static func contains(_ path: String) -> Bool {
        beginnings.contains { path.hasPrefix($0) } || path.hasPrefix("/care/") && path.contains("/protection")
    }
}
