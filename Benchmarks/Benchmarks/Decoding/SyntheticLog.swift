import Foundation

/// A made-up NMEA 0183 log: each second the six sentences that a common receiver sends, of somebody who walks in a wide curve.
struct SyntheticLog {
    let seconds: Int
    let bytes: [UInt8]

    static let sentencesPerSecond = 6

    var sentences: Int { seconds * Self.sentencesPerSecond }

    init(seconds: Int) {
        self.seconds = seconds
        var text = ""
        for second in 0..<seconds {
            let angle = Double(second) / 3000
            let latitude = 47.05 + sin(angle) * 0.03, longitude = 8.3 + cos(angle) * 0.04
            let altitude = 420 + 30 * sin(angle * 7)
            let place = "\(Self.minutes(latitude, 2)),N,\(Self.minutes(longitude, 3)),E"
            let time = Self.time(second)
            let (satellites, dilution) = (8 + second % 4, 0.8 + Double(second % 7) / 10)
            text += Self.sentence(
                "GPGGA,\(time),\(place),1,\(Self.digits(satellites, 2)),\(Self.fixed(dilution, 1)),\(Self.fixed(altitude, 1)),M,47.3,M,,")
            text += Self.sentence("GPGSA,A,3,02,05,07,09,13,15,18,21,,,,,1.6,\(Self.fixed(dilution, 1)),1.3")
            text += Self.sentence("GPGSV,2,1,08,02,\(20 + second % 60),134,38,05,41,289,42,07,66,051,45,09,12,210,29")
            text += Self.sentence("GPGSV,2,2,08,13,35,077,\(30 + second % 15),15,22,310,35,18,08,019,24,21,54,163,43")
            let course = Double(second * 3 % 3600) / 10
            let date = Self.digits(20 + second / 86_400, 2) + "0726"
            text += Self.sentence("GPRMC,\(time),A,\(place),5.\(second % 10),\(Self.fixed(course, 1)),\(date),,,A")
            text += Self.sentence("GPVTG,\(Self.fixed(course, 1)),T,,M,5.\(second % 10),N,10.2,K,A")
        }
        bytes = Array(text.utf8)
    }

    private static func time(_ second: Int) -> String {
        digits(second / 3600 % 24, 2) + digits(second / 60 % 60, 2) + digits(second % 60, 2) + ".00"
    }

    /// dddmm.mmmmm
    private static func minutes(_ degrees: Double, _ width: Int) -> String {
        let whole = Int(degrees)
        let minutes = Int((degrees - Double(whole)) * 60 * 100_000)
        return digits(whole, width) + digits(minutes / 100_000, 2) + "." + digits(minutes % 100_000, 5)
    }

    private static func digits(_ value: Int, _ width: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, width - text.count)) + text
    }

    private static func fixed(_ value: Double, _ places: Int) -> String { String(format: "%.\(places)f", value) }

    private static func sentence(_ body: String) -> String {
        let checksum = body.utf8.reduce(UInt8(0), ^)
        return "$\(body)*\(String(format: "%02X", checksum))\r\n"
    }
}
