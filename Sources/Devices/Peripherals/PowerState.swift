public import Vitals

/// How the box is fed, from everything that its kernel says about power supplies.
public struct PowerState: Hashable, Sendable, Codable {
    public var power: BoxPower
    /// 0 to 100; nil without a battery, or when none says. The mean of several: the box runs until all are empty.
    public var batteryPercent: Int?

    public init(power: BoxPower = .unknown, batteryPercent: Int? = nil) {
        self.power = power
        self.batteryPercent = batteryPercent
    }

    /// Judges supplies as sysfs lists them.
    ///
    /// A line that feeds the box decides, then what the batteries do. A power bank on the charging socket cannot be told from a
    /// charger in the wall: USB does not carry that. (Whether the box moves can tell: see `PersonMonitor`.) A box without any entry, such
    /// as a bare board, does not know.
    init(_ supplies: [PowerSupply]) {
        let own = supplies.filter { $0.belongsToBox && $0.isPresent }
        let lines = own.filter { $0.kind == .line }
        let batteries = own.filter { $0.kind == .battery }
        if lines.contains(where: { $0.online == true }) {
            power = .mains
        } else if batteries.contains(where: { $0.status == .discharging }) {
            power = .battery
        } else if batteries.contains(where: { $0.status == .charging || $0.status == .full }) {
            // Fed by something that has no entry of its own.
            power = .mains
        } else if !batteries.isEmpty, !lines.isEmpty, lines.allSatisfy({ $0.online == false }) {
            power = .battery
        } else {
            power = .unknown
        }
        let levels = batteries.compactMap(\.percent)
        batteryPercent = levels.isEmpty ? nil : levels.reduce(0, +) / levels.count
    }
}
