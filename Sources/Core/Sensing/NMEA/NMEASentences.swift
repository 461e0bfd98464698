/// The sentences one by one (NMEA 0183 4.11; field orders as in gpsd's "NMEA Revealed").
extension NMEAMerger {
    mutating func take(
        _ kind: NMEAKind, _ bytes: RawSpan, _ fields: NMEAFields, at offset: Int64, _ report: inout NMEAReport,
        _ emit: (NMEAFix) -> Void
    ) {
        var fields = fields
        var isMalformed = false
        switch kind {
        case .rmc: rmc(bytes, &fields, at: offset, &isMalformed, &report, emit)
        case .gga: gga(bytes, &fields, at: offset, &isMalformed, &report, emit)
        case .gll: gll(bytes, &fields, at: offset, &isMalformed, &report, emit)
        case .gns: gns(bytes, &fields, at: offset, &isMalformed, &report, emit)
        case .gsa: gsa(bytes, &fields, &isMalformed)
        case .gst: gst(bytes, &fields, at: offset, &isMalformed, &report, emit)
        case .vtg: vtg(bytes, &fields, &isMalformed)
        case .zda: zda(bytes, &fields, at: offset, &isMalformed, &report, emit)
        }
        if isMalformed { report.skip(.malformedField) }
    }

    private typealias Place = (latitude: Int32, longitude: Int32, decimals: Int)

    /// Latitude and longitude with their hemispheres.
    private func place(_ bytes: RawSpan, _ fields: inout NMEAFields, _ isMalformed: inout Bool) -> Place? {
        let latitude = fields.angle(
            bytes, positive: UInt8(ascii: "N"), negative: UInt8(ascii: "S"), max: 90, &isMalformed)
        let longitude = fields.angle(
            bytes, positive: UInt8(ascii: "E"), negative: UInt8(ascii: "W"), max: 180, &isMalformed)
        guard let latitude, let longitude else { return nil }
        return (latitude.value, longitude.value, min(latitude.decimals, longitude.decimals))
    }

    /// Keeps the position unless the epoch has one with more digits: receivers go on computing within an epoch, so the later one is newer.
    private mutating func take(_ place: Place?, isValid: Bool, _ report: inout NMEAReport) {
        guard isValid else {
            epoch?.isVoid = true
            return
        }
        guard let place else { return report.skip(.emptyPosition) }
        guard let decimals = epoch?.decimals, place.decimals >= decimals else { return }
        epoch?.latitude = place.latitude
        epoch?.longitude = place.longitude
        epoch?.decimals = place.decimals
    }

    private mutating func take(knots: Int64?, course: Int64?) {
        // 1 knot = 1852 m / 3600 s; thousandths of a knot to 0.01 m/s.
        if let knots, knots >= 0, knots < 100_000_000 { epoch?.speed = Int32((knots * 1852 + 18_000) / 36_000) }
        if let course, course >= 0, course <= 36_000 { epoch?.course = Int32(course % 36_000) }
    }

    /// time, status, lat, N, lon, E, knots, course, ddmmyy, variation, E, mode
    private mutating func rmc(
        _ bytes: RawSpan, _ fields: inout NMEAFields, at offset: Int64, _ isMalformed: inout Bool, _ report: inout NMEAReport,
        _ emit: (NMEAFix) -> Void
    ) {
        let time = fields.timeOfDay(bytes, &isMalformed)
        let status = fields.letter(bytes)
        let place = place(bytes, &fields, &isMalformed)
        let knots = fields.number(3, bytes, &isMalformed), course = fields.number(2, bytes, &isMalformed)
        let date = fields.next(bytes)
        guard !isMalformed, let time else { return }
        begin(time, at: offset, &report, emit)
        takeDate(bytes, date, &report)
        take(place, isValid: status == UInt8(ascii: "A"), &report)
        if status == UInt8(ascii: "A") { take(knots: knots, course: course) }
    }

    private mutating func takeDate(_ bytes: RawSpan, _ field: Range<Int>, _ report: inout NMEAReport) {
        guard !field.isEmpty else { return }
        guard field.count == 6, let number = NMEADecimal(bytes, field), number.decimals == 0, number.mantissa >= 0 else {
            report.datesImpossible += 1
            return
        }
        let value = Int(number.mantissa)
        takeDate(day: value / 10_000, month: value / 100 % 100, year: value % 100, &report)
    }

    /// time, lat, N, lon, E, quality, satellites, HDOP, altitude, M, …
    private mutating func gga(
        _ bytes: RawSpan, _ fields: inout NMEAFields, at offset: Int64, _ isMalformed: inout Bool, _ report: inout NMEAReport,
        _ emit: (NMEAFix) -> Void
    ) {
        let time = fields.timeOfDay(bytes, &isMalformed)
        let place = place(bytes, &fields, &isMalformed)
        let quality = fields.letter(bytes)
        fields.skip(1, bytes)
        let dilution = fields.number(2, bytes, &isMalformed), altitude = fields.number(1, bytes, &isMalformed)
        guard !isMalformed, let time else { return }
        begin(time, at: offset, &report, emit)
        // 7 is a position that was typed in, 8 a simulator.
        let isValid = (0x31...0x36).contains(quality) || quality == 0x39
        take(place, isValid: isValid, &report)
        guard isValid else { return }
        epoch?.dilution = dilution
        if let altitude { epoch?.altitude = Int32(clamping: altitude) }
    }

    /// lat, N, lon, E, time, status, mode
    private mutating func gll(
        _ bytes: RawSpan, _ fields: inout NMEAFields, at offset: Int64, _ isMalformed: inout Bool, _ report: inout NMEAReport,
        _ emit: (NMEAFix) -> Void
    ) {
        let place = place(bytes, &fields, &isMalformed)
        let time = fields.timeOfDay(bytes, &isMalformed)
        let status = fields.letter(bytes)
        guard !isMalformed, let time else { return }
        begin(time, at: offset, &report, emit)
        take(place, isValid: status == UInt8(ascii: "A"), &report)
    }

    /// time, lat, N, lon, E, a letter per system (N: no fix), satellites, HDOP, altitude, …
    private mutating func gns(
        _ bytes: RawSpan, _ fields: inout NMEAFields, at offset: Int64, _ isMalformed: inout Bool, _ report: inout NMEAReport,
        _ emit: (NMEAFix) -> Void
    ) {
        let time = fields.timeOfDay(bytes, &isMalformed)
        let place = place(bytes, &fields, &isMalformed)
        let modes = fields.next(bytes)
        fields.skip(1, bytes)
        let dilution = fields.number(2, bytes, &isMalformed), altitude = fields.number(1, bytes, &isMalformed)
        guard !isMalformed, let time else { return }
        begin(time, at: offset, &report, emit)
        let isValid = modes.contains { bytes.byte(at: $0) != UInt8(ascii: "N") }
        take(place, isValid: isValid, &report)
        guard isValid else { return }
        epoch?.dilution = dilution
        if let altitude { epoch?.altitude = Int32(clamping: altitude) }
    }

    /// selection, mode, 12 satellites, PDOP, HDOP, VDOP
    private mutating func gsa(_ bytes: RawSpan, _ fields: inout NMEAFields, _ isMalformed: inout Bool) {
        fields.skip(1, bytes)
        let mode = fields.letter(bytes)
        fields.skip(13, bytes)
        let dilution = fields.number(2, bytes, &isMalformed)
        guard !isMalformed, (0x31...0x33).contains(mode) else {
            isMalformed = isMalformed || mode != 0
            return
        }
        self.mode = mode - 0x30
        modeDilution = dilution
    }

    /// time, range, major, minor, orientation, deviation of latitude, of longitude, of altitude in metres
    private mutating func gst(
        _ bytes: RawSpan, _ fields: inout NMEAFields, at offset: Int64, _ isMalformed: inout Bool, _ report: inout NMEAReport,
        _ emit: (NMEAFix) -> Void
    ) {
        let time = fields.timeOfDay(bytes, &isMalformed)
        fields.skip(4, bytes)
        let latitude = fields.number(2, bytes, &isMalformed), longitude = fields.number(2, bytes, &isMalformed)
        guard !isMalformed, let time else { return }
        begin(time, at: offset, &report, emit)
        guard let latitude, let longitude, latitude >= 0, longitude >= 0, max(latitude, longitude) < 100_000_000 else { return }
        let squares = Double(latitude) * Double(latitude) + Double(longitude) * Double(longitude)
        epoch?.deviation = Int32((squares.squareRoot() / 10).rounded(.up))
    }

    /// course, T, magnetic course, M, knots, N, km/h, K
    private mutating func vtg(_ bytes: RawSpan, _ fields: inout NMEAFields, _ isMalformed: inout Bool) {
        let course = fields.number(2, bytes, &isMalformed)
        fields.skip(3, bytes)
        let knots = fields.number(3, bytes, &isMalformed)
        guard !isMalformed else { return }
        take(knots: knots, course: course)
    }

    /// time, day, month, year
    private mutating func zda(
        _ bytes: RawSpan, _ fields: inout NMEAFields, at offset: Int64, _ isMalformed: inout Bool, _ report: inout NMEAReport,
        _ emit: (NMEAFix) -> Void
    ) {
        let time = fields.timeOfDay(bytes, &isMalformed)
        let day = fields.number(0, bytes, &isMalformed), month = fields.number(0, bytes, &isMalformed)
        let year = fields.number(0, bytes, &isMalformed)
        guard !isMalformed, let time else { return }
        begin(time, at: offset, &report, emit)
        guard let day, let month, let year, year >= 100 else { return }
        takeDate(day: Int(day), month: Int(month), year: Int(year), &report)
    }
}
