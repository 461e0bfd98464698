internal import BlueZ
internal import Monitoring
internal import Peripherals
internal import Positioning
internal import Sensing
internal import Vitals

extension AgentConfiguration {
    /// Settings for one run alone.
    public func overridden(gpsd: String?, transport: String?) throws(AgentProblem) -> AgentConfiguration {
        var changed = self
        if let gpsd { changed.position.gpsd = gpsd == "none" ? nil : gpsd }
        if let transport { changed.bluetooth.transport = try SensorTransport(option: transport) }
        return changed
    }

    var monitor: MonitorConfiguration {
        let power: BoxPower? =
            switch power {
            case .auto: nil
            case .mains: .mains
            case .battery: .battery
            }
        let hasPosition = position.gpsd != nil || position.geoclue || position.fixed != nil
        return MonitorConfiguration(role: role, powerOverride: power, hasPosition: hasPosition)
    }

    /// - Parameter earliest: the latest day that is known to have been, UTC milliseconds: receivers that tell an earlier one are not believed.
    func positionSources(_ places: PlaceStorage, earliest: @escaping @Sendable () -> Milliseconds) throws(AgentProblem)
        -> PositionSources.Configuration
    {
        var gpsd: GPSDSource.Configuration?
        if let address = position.gpsd {
            var source = GPSDSource.Configuration(address: try GPSDAddress(option: address))
            let known = source.earliestUTC
            source.earliestUTC = { max(known(), earliest()) }
            gpsd = source
        }
        return PositionSources.Configuration(
            gpsd: gpsd, geoclue: position.geoclue, fixed: position.fixed, wifiPlaces: position.wifi ? places : nil)
    }
}

extension StateDirectory {
    /// Keeps the places of Wi-Fi networks in a file of its own.
    func placeStorage() -> PlaceStorage {
        let file = "places.json"
        return PlaceStorage(load: { try self.read(file) }, save: { try self.write($0, to: file) })
    }
}
