internal import Vitals

/// Messages of FIT's profile that describe an activity. Numbers are those of the profile's fields.
extension FITReader {
    /// - Parameter isTimed: whether its header carried the time.
    mutating func take(_ data: FITData, isTimed: Bool) {
        if data.definition.developerFields > 0 { file.leaveOut(.developerFields, data.definition.developerFields) }
        if let seconds = data.integer(253) { state.seconds = seconds }
        let time = isTimed || data.field(253) != nil ? time(isTimed ? state.seconds : data.integer(253), at: data.start) : nil
        switch FITMessage(rawValue: data.definition.global) {
        case .record: record(data, time)
        case .session: session(data, time)
        case .lap: lap(data, time)
        case .event: event(data, time)
        case .fileID: fileID(data)
        case .deviceInfo: deviceInfo(data)
        case .activity: activity(data, time)
        case .sport: if let name = data.text(3) { state.sportName = name }
        case .rrIntervals: intervals(data)
        case .heartRate: heartRates.take(data, time)
        case .fileCreator: break
        case nil: file.leaveOut(.messages)
        }
    }

    /// UTC of a `date_time`, or when counted from switching on: before FIT's `date_time` of 0x10000000.
    private mutating func time(_ seconds: Int64?, at byte: Int) -> Milliseconds? {
        guard let seconds, (0...Int64(UInt32.max)).contains(seconds) else { return nil }
        let time = FITProfile.time(seconds)
        if seconds < FITProfile.absoluteMin {
            if !clock.isRelative { (clock.isRelative, clock.firstAt) = (true, byte) }
            return time
        }
        guard time >= SampleLimits.earliest else {
            problems.note(.value, byte: byte, "time")
            return nil
        }
        return time
    }

    // MARK: record

    private mutating func record(_ data: FITData, _ time: Milliseconds?) {
        guard file.points.count < ActivityFile.Limits.pointsMax else { return file.refusePoint(at: data.start, &problems) }
        var point = ActivityPoint(time: time), latitude: Int64?, longitude: Int64?, cadence: Int64?, fraction: Int64 = 0
        var altitude: Int64?, speed: Int64?, squeezed: Int32?
        for field in data.definition.fields {
            if field.number == 8 {
                squeezed = compressed(data.raw(field), &point)
                continue
            }
            guard let value = data.integer(field) else { continue }
            switch field.number {
            case 0: latitude = FITProfile.degrees(value)
            case 1: longitude = FITProfile.degrees(value)
            case 2: altitude = altitude ?? value
            case 78: altitude = value
            case 3: point.heartRate = bounded(value, 0...SampleLimits.beatsPerMinuteMax, "heartRate", data)
            case 4: cadence = value
            case 53: fraction = value
            case 5: point.distance = bounded(value, 0...Int32.max, "distance", data)
            case 6: speed = speed ?? value
            case 73: speed = value
            case 7: point.power = bounded(value, ActivityFile.powers, "power", data)
            case 13: point.temperature = bounded(value &* 10, ActivityFile.temperatures, "temperature", data)
            case 31: point.horizontalError = bounded(value &* 10, 0...100_000_000, "horizontalError", data)
            case 48 where (0..<128).contains(value): point.time = point.time.map { $0 + (value * 1000 + 64) / 128 }
            default: break
            }
        }
        if let latitude, let longitude { place(latitude, longitude, &point, data) }
        point.altitude = altitude.flatMap { bounded($0 &* 2 &- 5000, SampleLimits.altitude, "altitude", data) }
        point.speed = speed.flatMap { bounded(($0 &+ 5) / 10, SampleLimits.speed, "speed", data) } ?? squeezed
        point.cadence = cadence.flatMap { bounded((($0 &* 128 &+ fraction) &* 10 &+ 64) / 128, ActivityFile.cadences, "cadence", data) }
        file.add(point, at: data.start, &problems)
    }

    private mutating func place(_ latitude: Int64, _ longitude: Int64, _ point: inout ActivityPoint, _ data: FITData) {
        guard latitude.magnitude <= 900_000_000, longitude.magnitude <= 1_800_000_000 else {
            return problems.note(.value, byte: data.start, "place")
        }
        point.place = ActivityPoint.Place(latitude: Int32(latitude), longitude: Int32(longitude))
    }

    /// Twelve bits of speed in 0.01 m/s, and the last twelve of the distance in 1/16 m.
    private mutating func compressed(_ raw: ArraySlice<UInt8>, _ point: inout ActivityPoint) -> Int32? {
        let three = Array(raw.prefix(3))
        guard three.count == 3, three != [0xFF, 0xFF, 0xFF] else { return nil }
        let low = Int64(three[1] >> 4) | Int64(three[2]) << 4
        state.sixteenths += (low - state.sixteenths) & 0xFFF
        point.distance = point.distance ?? Int32(exactly: (state.sixteenths * 100 + 8) / 16)
        return Int32(three[0]) | Int32(three[1] & 15) << 8
    }

    private mutating func bounded<Value: FixedWidthInteger>(
        _ value: Int64, _ range: ClosedRange<Value>, _ name: String, _ data: FITData
    ) -> Value? {
        if let value = Value(exactly: value), range.contains(value) { return value }
        problems.note(.value, byte: data.start, name)
        return nil
    }

    // MARK: session, lap

    /// The fields of a session or a lap that differ in number.
    private struct Numbers {
        let energy: UInt8, maximumSpeed: UInt8, enhancedSpeed: UInt8, averageRate: UInt8, maximumRate: UInt8, power: UInt8, ascent: UInt8
        let sport: UInt8, subSport: UInt8

        static let session = Numbers(
            energy: 11, maximumSpeed: 15, enhancedSpeed: 125, averageRate: 16, maximumRate: 17, power: 20, ascent: 22, sport: 5, subSport: 6
        )
        static let lap = Numbers(
            energy: 11, maximumSpeed: 14, enhancedSpeed: 111, averageRate: 15, maximumRate: 16, power: 19, ascent: 21, sport: 25,
            subSport: 39)
    }

    private mutating func session(_ data: FITData, _ time: Milliseconds?) {
        guard file.sessions.count < ActivityFile.Limits.sectionsMax else { return }
        file.sessions.append(section(data, .session, time))
    }

    private mutating func lap(_ data: FITData, _ time: Milliseconds?) {
        guard file.laps.count < ActivityFile.Limits.sectionsMax else { return }
        file.laps.append(section(data, .lap, time))
    }

    private mutating func section(_ data: FITData, _ numbers: Numbers, _ time: Milliseconds?) -> ActivitySection {
        var section = ActivitySection()
        section.start = self.time(data.integer(2), at: data.start) ?? time
        func amount(_ number: UInt8) -> Int64? { data.integer(number).flatMap { $0 >= 0 ? $0 : nil } }
        (section.elapsed, section.timer, section.distance) = (amount(7), amount(8), amount(9))
        (section.energy, section.ascent, section.descent) = (amount(numbers.energy), amount(numbers.ascent), amount(numbers.ascent + 1))
        let rates = 0...SampleLimits.beatsPerMinuteMax
        section.averageHeartRate = data.integer(numbers.averageRate).flatMap { bounded($0, rates, "averageHeartRate", data) }
        section.maximumHeartRate = data.integer(numbers.maximumRate).flatMap { bounded($0, rates, "maximumHeartRate", data) }
        section.maximumSpeed = (data.integer(numbers.enhancedSpeed) ?? data.integer(numbers.maximumSpeed)).flatMap {
            bounded(($0 &+ 5) / 10, SampleLimits.speed, "maximumSpeed", data)
        }
        section.averagePower = data.integer(numbers.power).flatMap { bounded($0, ActivityFile.powers, "averagePower", data) }
        if let sport = data.integer(numbers.sport) {
            section.sport = FITProfile.sport(sport, data.integer(numbers.subSport), name: state.sportName)
        }
        return section
    }

    // MARK: Others

    /// Event 0 is the timer: type 0 starts it, 1, 4, 8 and 9 stop it.
    private mutating func event(_ data: FITData, _ time: Milliseconds?) {
        guard data.integer(0) == 0, let time, let type = data.integer(1) else { return }
        switch type {
        case 0:
            if let stopped = state.stopped, stopped < time, file.pauses.count < ActivityFile.Limits.sectionsMax {
                file.pauses.append(stopped...time)
            }
            state.stopped = nil
        case 1, 4, 8, 9: state.stopped = state.stopped ?? time
        default: break
        }
    }

    private mutating func fileID(_ data: FITData) {
        type = type ?? data.integer(0)
        (state.manufacturer, state.product) = (data.integer(1), data.integer(2))
        state.productName = data.text(8)
    }

    /// Index 0 is what wrote the file; others are its sensors.
    private mutating func deviceInfo(_ data: FITData) {
        if data.integer(0) == 0, let name = data.text(27) { state.productName = name }
    }

    private mutating func activity(_ data: FITData, _ time: Milliseconds?) {
        guard let time, let local = data.integer(5), local >= FITProfile.absoluteMin else { return }
        let wall = FITProfile.time(local)
        if time < FITProfile.relativeEnd {
            (clock.relative, clock.wall) = (time, wall)
        } else if abs(wall - time) <= 15 * 3_600_000 {
            file.utcOffset = Int(((wall - time) / 1000 + (wall < time ? -30 : 30)) / 60)
        }
    }

    /// 1/1000 s, of the time since the record before.
    private mutating func intervals(_ data: FITData) {
        guard let field = data.field(0), let time = file.points.last?.time, file.points.count > state.first else { return }
        let values = data.integers(field).compactMap { UInt16(exactly: ($0 * 1024 + 500) / 1000) }
        guard !values.isEmpty else { return }
        intervalCount += values.count
        guard intervalCount <= ActivityFile.Limits.beatsMax else { return problems.note(.tooManyPoints, byte: data.start, "intervals") }
        if file.intervals.last?.time == time {
            file.intervals[file.intervals.count - 1].values += values
        } else {
            file.intervals.append(ActivityFile.Intervals(time: time, values: values))
        }
    }

    /// The end of one of several files: what only the whole of it tells.
    mutating func finishFile() {
        let name = state.productName ?? FITProfile.device(manufacturer: state.manufacturer, product: state.product)
        file.device = file.device ?? name
        let sports = file.sessions.filter { $0.sport != nil }
        guard sports.contains(where: { $0.sport?.isOnFoot == true }) else { return }
        guard sports.contains(where: { $0.sport?.isOnFoot == false }) else {
            return file.countBothFeet(from: state.first, &problems, at: bytes.count)
        }
        for session in sports where session.sport?.isOnFoot == true {
            guard let start = session.start, let end = session.end else { continue }
            file.countBothFeet(from: state.first, in: start...max(start, end), &problems, at: bytes.count)
        }
    }
}
