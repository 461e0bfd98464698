public import Vitals

/// Writes positions as NMEA 0183 sentences that ``NMEADecoder`` reads back to the same values: RMC, GGA, GSA for the mode, and GST where the
/// error is known. Minutes have six decimals, in which 1e-7 degrees are exact; speeds have thousandths of a knot.
public enum NMEAWriter {
    /// 1980-01-06 to 2079-12-31: RMC's year has two digits.
    public static let times: Range<Milliseconds> = 315_964_800_000..<3_471_292_800_000

    /// The sentences of one position, each with its CR LF.
    /// - Parameters:
    ///   - sample: the position; its own time is not written, and may be in any clock domain.
    ///   - utc: the time that is written.
    /// - Returns: nil for what the sentences cannot say: a time outside of ``times``, or values outside of the ranges of `PositionSample`.
    public static func sentences(for sample: PositionSample, utc: Milliseconds) -> [UInt8]? {
        guard times.contains(utc), sample.latitude.magnitude <= 900_000_000, sample.longitude.magnitude <= 1_800_000_000,
            (sample.speed ?? 0) >= 0, (0..<36_000).contains(sample.course ?? 0), (0...errorMax).contains(sample.horizontalError ?? 0)
        else { return nil }
        let time = timeOfDay(utc), place = place(sample)
        // 1852 m / 3600 s are a knot: 0.01 m/s to thousandths of a knot.
        let knots = sample.speed.map { ((Int64($0) * 36_000 + 926) / 1852).text(places: 3) } ?? ""
        let course = sample.course.map { Int64($0).text(places: 2) } ?? ""
        let altitude = sample.altitude.map { Int64($0).text(places: 1) } ?? ""
        return sentence("GPRMC,\(time),A,\(place),\(knots),\(course),\(date(utc)),,,A")
            + sentence("GPGGA,\(time),\(place),1,,,\(altitude),M,,M,,")
            + sentence("GPGSA,A,\(mode(sample.mode)),,,,,,,,,,,,,,,")
            + (sample.horizontalError.map { error($0, time) } ?? [])
    }

    /// The sentences of a receiver without a fix; nil for a time outside of ``times``.
    public static func noFix(utc: Milliseconds) -> [UInt8]? {
        guard times.contains(utc) else { return nil }
        let time = timeOfDay(utc)
        return sentence("GPRMC,\(time),V,,,,,,,\(date(utc)),,,N") + sentence("GPGGA,\(time),,,,,0,,,,M,,M,,")
    }

    /// `$`, the text, `*`, the checksum (all bytes between exclusive-ored) and CR LF.
    static func sentence(_ text: String) -> [UInt8] {
        let checksum = text.utf8.reduce(0, ^)
        return Array("$\(text)*\(Hexadecimal.string([checksum]).uppercased())\r\n".utf8)
    }

    /// 1,000 km in 0.1 m: whoever is further off does not know where he is.
    private static let errorMax: Int32 = 10_000_000

    /// Two equal deviations whose root of squares is the error, rounded down to hundredths of a metre, so that the reader's rounding up gives
    /// the error again.
    private static func error(_ error: Int32, _ time: String) -> [UInt8] {
        let deviation = Int64((50 * Double(error) * Double(error)).squareRoot()).text(places: 2)
        return sentence("GPGST,\(time),,,,,\(deviation),\(deviation),")
    }

    /// GSA's 1 is for a mode that nobody told: then the altitude decides.
    private static func mode(_ mode: FixMode) -> Int {
        switch mode {
        case .unknown: 1
        case .twoDimensional: 2
        case .threeDimensional: 3
        }
    }

    private static func place(_ sample: PositionSample) -> String {
        angle(sample.latitude, degreeDigits: 2) + (sample.latitude < 0 ? ",S," : ",N,")
            + angle(sample.longitude, degreeDigits: 3) + (sample.longitude < 0 ? ",W" : ",E")
    }

    /// 1e-7 degrees are 6e-6 minutes.
    private static func angle(_ value: Int32, degreeDigits: Int) -> String {
        let (degrees, rest) = Int64(value.magnitude).quotientAndRemainder(dividingBy: 10_000_000)
        let minutes = (rest * 6).text(places: 6)
        return padded(degrees, degreeDigits) + (minutes.utf8.count < 9 ? "0" : "") + minutes
    }

    private static func timeOfDay(_ utc: Milliseconds) -> String {
        let time = utc % 86_400_000
        return padded(time / 3_600_000, 2) + padded(time / 60_000 % 60, 2) + padded(time / 1000 % 60, 2) + "." + padded(time % 1000, 3)
    }

    private static func date(_ utc: Milliseconds) -> String {
        let date = CivilDay(days: utc / 86_400_000)
        return padded(date.day, 2) + padded(date.month, 2) + padded(date.year % 100, 2)
    }

    private static func padded(_ value: Int64, _ digits: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }
}
