/// A battery's level and whether it is low, with some room so that a level that wavers is told once.
struct BatteryGauge: Hashable, Sendable {
    private(set) var percent: Int?
    private(set) var isLow = false
    private(set) var isVeryLow = false

    /// nil: the level is not known any more.
    mutating func take(_ percent: Int?) {
        self.percent = percent
        guard let percent else {
            (isLow, isVeryLow) = (false, false)
            return
        }
        isLow = Self.isBelow(MonitorConfiguration.batteryLow, percent, before: isLow)
        isVeryLow = Self.isBelow(MonitorConfiguration.batteryVeryLow, percent, before: isVeryLow)
    }

    private static func isBelow(_ limit: Int, _ percent: Int, before: Bool) -> Bool {
        percent <= limit || (before && percent < limit + MonitorConfiguration.batteryRecovery)
    }
}

/// Concludes from the levels that a sensor is being charged: they rise while nobody wears it, or have risen when it comes back.
struct ChargingSign: Hashable, Sendable {
    /// The lowest level since the sensor was last worn.
    private var lowest: Int?
    /// Nobody was seen to wear it since the level rose.
    private(set) var isRising = false

    mutating func take(_ percent: Int) {
        let lowest = min(self.lowest ?? percent, percent)
        self.lowest = lowest
        if percent >= lowest + MonitorConfiguration.chargingRise { isRising = true }
    }

    /// Somebody wears it: whatever the level did before, it is not being charged, and a later rise counts from here.
    mutating func worn(percent: Int?) {
        isRising = false
        lowest = percent
    }
}
