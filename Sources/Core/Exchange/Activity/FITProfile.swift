internal import Vitals

/// The messages of FIT's global profile that are read or written.
enum FITMessage: UInt16 {
    case fileID = 0
    case sport = 12
    case session = 18
    case lap = 19
    case record = 20
    case event = 21
    case deviceInfo = 23
    case activity = 34
    case fileCreator = 49
    case rrIntervals = 78
    case heartRate = 132
}

/// Numbers of the profile.
enum FITProfile {
    /// Seconds from 1970 to FIT's epoch, 1989-12-31T00:00:00Z.
    static let epoch: Int64 = 631_065_600
    /// Times below it count from when the device was switched on (profile, `date_time`).
    static let absoluteMin: Int64 = 0x1000_0000
    /// The type of an activity's file.
    static let activityFile: Int64 = 4

    /// UTC of a `date_time`.
    static func time(_ seconds: Int64) -> Milliseconds { (epoch + seconds) * 1000 }
    static let relativeEnd = time(absoluteMin)

    /// 1e-7 degrees of semicircles, which are 180 / 2^31 degrees: the finer of both, so that 1e-7 degrees survive the way there and back.
    /// A number of more than 32 bits becomes one that is no place.
    static func degrees(_ semicircles: Int64) -> Int64 {
        guard let semicircles = Int32(exactly: semicircles) else { return .max }
        let scaled = Int64(semicircles) * 1_800_000_000
        return (scaled + (scaled < 0 ? -(1 << 30) : 1 << 30)) / (1 << 31)
    }

    static func semicircles(_ degrees: Int32) -> Int32 {
        let scaled = Int64(degrees) << 31
        return Int32(clamping: (scaled + (scaled < 0 ? -900_000_000 : 900_000_000)) / 1_800_000_000)
    }

    /// - Parameter name: what the device calls its own profile.
    static func sport(_ number: Int64, _ sub: Int64?, name: String?) -> ActivitySport {
        let isIndoor = sub.flatMap { indoor.contains($0) ? true : outdoor.contains($0) ? false : nil }
        if number == 10, sub == 20 { return ActivitySport(code: 9, isIndoor: isIndoor, name: "strength_training") }
        if number == 0, let name {
            let named = ActivitySport(name: name)
            return ActivitySport(code: named.code, isIndoor: isIndoor ?? named.isIndoor, name: name)
        }
        guard let known = sports[number] else { return ActivitySport(code: 0, isIndoor: isIndoor, name: name ?? "sport \(number)") }
        return ActivitySport(code: known.code, isIndoor: isIndoor, name: known.name)
    }

    /// Number and kind of a sport for a file. Sports without a number of their own are generic, and told apart by their name.
    static func number(of sport: ActivitySport?) -> (sport: UInt8, sub: UInt8) {
        guard let sport else { return (0, 0) }
        switch (sport.code, sport.isIndoor == true) {
        case (1, let isIndoor): return (11, isIndoor ? 27 : 0)
        case (2, let isIndoor): return (1, isIndoor ? 45 : 0)
        case (3, let isIndoor): return (2, isIndoor ? 6 : 0)
        case (4, _): return (17, 0)
        case (5, let isIndoor): return (5, isIndoor ? 17 : sport.isIndoor == false ? 18 : 0)
        case (6, let isIndoor): return (15, isIndoor ? 14 : 0)
        case (7, let isIndoor): return (12, isIndoor ? 25 : 0)
        case (9, _): return (10, 20)
        default: return (0, 0)
        }
    }

    private static let sports: [Int64: (name: String, code: Int64)] = [
        0: ("generic", 0), 1: ("running", 2), 2: ("cycling", 3), 3: ("transition", 0), 4: ("fitness_equipment", 0), 5: ("swimming", 5),
        6: ("basketball", 11), 7: ("soccer", 11), 8: ("tennis", 0), 9: ("american_football", 11), 10: ("training", 8), 11: ("walking", 1),
        12: ("cross_country_skiing", 7), 13: ("alpine_skiing", 7), 14: ("snowboarding", 7), 15: ("rowing", 6), 16: ("mountaineering", 4),
        17: ("hiking", 4), 18: ("multisport", 0), 19: ("paddling", 0), 20: ("flying", 0), 21: ("e_biking", 3), 22: ("motorcycling", 0),
        23: ("boating", 0), 24: ("driving", 0), 25: ("golf", 0), 26: ("hang_gliding", 0), 27: ("horseback_riding", 0), 28: ("hunting", 0),
        29: ("fishing", 0), 30: ("inline_skating", 0), 31: ("rock_climbing", 0), 32: ("sailing", 0), 33: ("ice_skating", 0),
        34: ("sky_diving", 0), 35: ("snowshoeing", 4), 36: ("snowmobiling", 0), 37: ("stand_up_paddleboarding", 0), 38: ("surfing", 0),
        39: ("wakeboarding", 0), 40: ("water_skiing", 0), 41: ("kayaking", 0), 42: ("rafting", 0), 43: ("windsurfing", 0),
        44: ("kitesurfing", 0), 45: ("tactical", 0), 46: ("jumpmaster", 0), 47: ("boxing", 0), 48: ("floor_climbing", 0),
    ]

    /// Treadmill, spinning, indoor cycling and rowing, elliptical, stairs, lengths in a pool, indoor skiing, walking and running, virtual.
    private static let indoor: Set<Int64> = [1, 5, 6, 14, 15, 16, 17, 25, 27, 45, 58]
    /// Street, trail, track, road, mountain, downhill, cyclocross, open water, gravel.
    private static let outdoor: Set<Int64> = [2, 3, 4, 7, 8, 9, 11, 18, 46]

    /// The name of a device that gives none.
    static func device(manufacturer: Int64?, product: Int64?) -> String? {
        guard let manufacturer else { return nil }
        let name = manufacturers[manufacturer] ?? "FIT \(manufacturer)"
        return product.map { $0 > 0 ? "\(name) \($0)" : name } ?? name
    }

    private static let manufacturers: [Int64: String] = [
        1: "Garmin", 6: "SRM", 9: "Saris", 16: "Timex", 23: "Suunto", 32: "Wahoo", 40: "Concept2", 52: "Seiko Epson", 61: "Geonaute",
        63: "Specialized", 67: "Bkool", 68: "CatEye", 69: "Stages", 70: "Sigma", 71: "TomTom", 73: "Wattbike", 86: "Elite", 89: "Tacx",
        95: "Stryd", 107: "Magene", 111: "Technogym", 115: "iGPSport", 123: "Polar", 258: "Lezyne", 260: "Zwift", 265: "Strava",
        267: "Bryton", 281: "TrainerRoad", 289: "Hammerhead", 294: "COROS",
    ]
}
