import HubServices

extension HubConfiguration {
    /// When the hub may be down.
    public struct Maintenance: Sendable {
        /// `hub.maintenance.hours` / `HUB_MAINTENANCE_HOURS`: the hours of the day in which maintenance may be planned, `HH:MM-HH:MM` by the hub's
        /// clock; any hour without.
        public var hours: String?

        var allowed: MaintenanceHours? { hours.flatMap { MaintenanceHours($0) } }

        func check() throws {
            guard let hours, allowed == nil else { return }
            throw HubConfigurationError("hub.maintenance.hours is \(hours): write it like 02:00-05:00, or leave it out for any hour.")
        }
    }
}
