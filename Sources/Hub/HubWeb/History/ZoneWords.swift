import History

extension HeartRateZones {
    /// The name of a zone, 1 to 5; 0 is what lies below the first.
    func name(of zone: Int, in texts: Texts) -> String {
        zone == 0 ? texts["health.zone0"] : texts.filled("health.zoneN", ["n": "\(zone)"])
    }

    /// Its heart rates, beats a minute.
    func range(of zone: Int, in texts: Texts) -> String {
        let starts = starts
        return switch zone {
        case 0: texts.filled("health.below", ["n": "\(starts[0])"])
        case starts.count: texts.filled("health.andMore", ["n": "\(starts[zone - 1])"])
        default: "\(starts[zone - 1])–\(starts[zone] - 1)"
        }
    }
}
