import Sensing
public import Vitals

/// The knowledge of a ``PersonMonitor``, for everything that shows it.
public struct PersonSummary: Codable, Sendable, Hashable {
    public var wearing: Wearing
    /// Beats per minute; nil while readings do not count.
    public var heartRate: Int?
    public var heartRateTime: Milliseconds?
    public var isConnected: Bool
    /// Of the sensor, 0 to 100.
    public var batteryPercent: Int?
    /// The obstacle that keeps the sensor from delivering, and its remedy.
    public var problem: String?
    /// In the boot clock; nil when not paused.
    public var pausedUntil: Milliseconds?
    /// The same as UTC, where it was given.
    public var pausedUntilUTC: Milliseconds?
    public var isWatched: Bool
    public var isTracked: Bool
    public var links: [ChainLink]
    /// Told and not over. A battery that is very low is not named as low beside that.
    public var notices: [Notice]
}

extension PersonMonitor {
    /// As of the last told time.
    public var summary: PersonSummary {
        PersonSummary(
            wearing: wearing, heartRate: isWatching ? sensor.usableValue.map(Int.init) : nil,
            heartRateTime: isWatching ? sensor.usableAt : nil, isConnected: sensor.isConnected,
            batteryPercent: sensor.battery.percent, problem: sensor.problem?.description, pausedUntil: pause?.until,
            pausedUntilUTC: pause?.utc, isWatched: isWatching, isTracked: isTracking, links: links, notices: notices)
    }

    /// Told and not over, also where ``PersonSummary/notices`` leaves it out beside a graver one.
    public func isTold(_ notice: Notice) -> Bool { board.told.contains(notice) }

    private var notices: [Notice] {
        let told = board.told
        return told.filter { notice in
            switch notice {
            case .sensorBatteryLow: !told.contains(.sensorBatteryVeryLow)
            case .boxBatteryLow: !told.contains(.boxBatteryVeryLow)
            default: true
            }
        }
    }
}
