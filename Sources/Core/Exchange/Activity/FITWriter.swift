internal import Vitals

/// Writes a workout as a FIT activity file of protocol 2.0: file_id, sport, the timer's starts and stops, records with RR intervals behind
/// them, laps, a session, the activity.
///
/// FIT holds a position to 1e-7 degrees, an altitude to 0.2 m, a cadence to 1/128 and a temperature to 1 degree. Times are whole seconds
/// with their fraction in 1/128 s beside them. Points without a time are left out.
public enum FITWriter {
    public static let mediaType = "application/vnd.ant.fit"
    public static let fileExtension = "fit"

    /// The whole file, in proportion to the points: at most 38 bytes for each, and two for an RR interval.
    public static func write(_ activity: ActivityFile) -> [UInt8] {
        var writer = FITDocument(activity)
        writer.write()
        return writer.finished()
    }
}

private struct FITDocument {
    private let file: ActivityFile
    private var data: [UInt8] = []
    private let isOnFoot: Bool
    private let start: Milliseconds, end: Milliseconds

    /// Local types, one for each message that is written.
    private enum Local: UInt8 {
        case fileID, sport, event, record, intervals, lap, session, activity
    }

    init(_ file: ActivityFile) {
        self.file = file
        isOnFoot = file.sport?.isOnFoot == true
        start = file.start ?? file.points.lazy.compactMap(\.time).first ?? FITProfile.relativeEnd
        end = max(file.totals.end ?? start, file.points.lazy.compactMap(\.time).max() ?? start)
    }

    mutating func write() {
        define(.fileID, .fileID, Self.fileFields)
        data.append(UInt8(FITProfile.activityFile))
        append(UInt16(255))
        append(UInt16(0))
        append(seconds(start))
        text(file.device ?? "TrackMe")
        let number = FITProfile.number(of: file.sport)
        define(.sport, .sport, [(0, 1, .enumeration), (1, 1, .enumeration), (3, Self.textSize, .string)])
        data += [number.sport, number.sub]
        // The kind's own word, by which sports that are generic to FIT are known again.
        text(file.sport.map { $0.code > 0 ? ActivitySport(code: $0.code).name : $0.name } ?? "")
        define(.event, .event, [(253, 4, .uint32), (0, 1, .enumeration), (1, 1, .enumeration)])
        define(.record, .record, Self.recordFields, isFollowed: false)
        event(start, 0)
        records()
        event(end, 4)
        sections(number)
        define(.activity, .activity, Self.activityFields(file.utcOffset != nil))
        append(seconds(end))
        append(amount(file.totals.timer))
        append(UInt16(clamping: max(1, file.sessions.count)))
        data += [0, 26, 1]
        if let offset = file.utcOffset { append(seconds(end &+ Milliseconds(offset) * 60_000)) }
    }

    /// With header and checksums.
    func finished() -> [UInt8] {
        var bytes: [UInt8] = [14, 0x20, 0x54, 0x08]
        let size = UInt32(clamping: data.count)
        for shift in stride(from: 0, through: 24, by: 8) { bytes.append(UInt8(truncatingIfNeeded: size >> UInt32(shift))) }
        bytes += Array(".FIT".utf8)
        let header = FITChecksum.of(bytes[...])
        bytes += [UInt8(truncatingIfNeeded: header), UInt8(header >> 8)]
        bytes += data
        let whole = FITChecksum.of(bytes[...])
        return bytes + [UInt8(truncatingIfNeeded: whole), UInt8(whole >> 8)]
    }

    // MARK: Definitions

    private typealias Field = (number: UInt8, size: UInt8, type: FITType)
    private static let textSize: UInt8 = 64

    private static let fileFields: [Field] = [
        (0, 1, .enumeration), (1, 2, .uint16), (2, 2, .uint16), (4, 4, .uint32), (8, textSize, .string),
    ]
    private static let recordFields: [Field] = [
        (253, 4, .uint32), (0, 4, .int32), (1, 4, .int32), (5, 4, .uint32), (78, 4, .uint32), (73, 4, .uint32), (7, 2, .uint16),
        (3, 1, .uint8), (4, 1, .uint8), (53, 1, .uint8), (13, 1, .int8), (31, 1, .uint8), (48, 1, .uint8),
    ]

    private static func activityFields(_ isLocal: Bool) -> [Field] {
        let fields: [Field] = [
            (253, 4, .uint32), (0, 4, .uint32), (1, 2, .uint16), (2, 1, .enumeration), (3, 1, .enumeration), (4, 1, .enumeration),
        ]
        return isLocal ? fields + [(5, 4, .uint32)] : fields
    }

    /// - Parameter isFollowed: whether a message of it follows at once: its header byte is written, too.
    private mutating func define(_ local: Local, _ message: FITMessage, _ fields: [Field], isFollowed: Bool = true) {
        data += [0x40 | local.rawValue, 0, 0]
        append(message.rawValue)
        data.append(UInt8(clamping: fields.count))
        for field in fields {
            // Types of more than one byte have their highest bit set.
            data += [field.number, field.size, field.type.rawValue | (field.type.size > 1 ? 0x80 : 0)]
        }
        if isFollowed, local != .event { data.append(local.rawValue) }
    }

    // MARK: Messages

    private mutating func event(_ time: Milliseconds, _ type: UInt8) {
        data.append(Local.event.rawValue)
        append(seconds(time))
        data += [0, type]
    }

    private mutating func records() {
        var pause = 0, interval = 0
        for point in file.points {
            guard let time = point.time else { continue }
            while pause < file.pauses.count, file.pauses[pause].upperBound <= time {
                event(file.pauses[pause].lowerBound, 4)
                event(file.pauses[pause].upperBound, 0)
                pause += 1
            }
            record(point, time)
            while interval < file.intervals.count, file.intervals[interval].time <= time {
                intervals(file.intervals[interval].values)
                interval += 1
            }
        }
    }

    private mutating func record(_ point: ActivityPoint, _ time: Milliseconds) {
        data.append(Local.record.rawValue)
        let (whole, fraction) = (time.flooredQuotient(by: 1000), time &- time.flooredQuotient(by: 1000) &* 1000)
        // The last 1/128 of a second begins at 992 ms.
        append(UInt32(clamping: whole &- FITProfile.epoch))
        append(UInt32(bitPattern: point.place.map { FITProfile.semicircles($0.latitude) } ?? .max))
        append(UInt32(bitPattern: point.place.map { FITProfile.semicircles($0.longitude) } ?? .max))
        append(point.distance.flatMap { UInt32(exactly: $0) } ?? .max)
        append(point.altitude.flatMap { UInt32(exactly: (Int64($0) + 5001) / 2) } ?? .max)
        append(point.speed.flatMap { UInt32(exactly: Int64($0) * 10) } ?? .max)
        append(point.power ?? .max)
        data.append(point.heartRate.flatMap { $0 < 255 ? UInt8($0) : nil } ?? .max)
        // Tenths of steps a minute of both feet, in 1/128 of a stride.
        let turns = point.cadence.map { (Int64($0) * 128 + (isOnFoot ? 10 : 5)) / (isOnFoot ? 20 : 10) }
        let cadence = turns.flatMap { (0..<255 * 128).contains($0) ? $0 : nil }
        data += cadence.map { [UInt8($0 / 128), UInt8($0 % 128)] } ?? [.max, .max]
        let degrees = point.temperature.map { (Int($0) + ($0 < 0 ? -5 : 5)) / 10 }
        data.append(UInt8(bitPattern: degrees.flatMap { (-127...126).contains($0) ? Int8($0) : nil } ?? .max))
        data.append(point.horizontalError.flatMap { UInt8(exactly: ($0 + 9) / 10) }.map { min($0, 254) } ?? .max)
        data.append(UInt8(clamping: min(127, (fraction * 128 + 500) / 1000)))
    }

    /// 1/1000 s, in a message of its own: its definition says how many there are.
    private mutating func intervals(_ values: [UInt16]) {
        for start in stride(from: 0, to: values.count, by: 100) {
            let some = values[start..<min(values.count, start + 100)]
            define(.intervals, .rrIntervals, [(0, UInt8(some.count * 2), .uint16)])
            for value in some { append(UInt16(clamping: (Int64(value) * 1000 + 512) / 1024)) }
        }
    }

    private mutating func sections(_ sport: (sport: UInt8, sub: UInt8)) {
        let laps = file.laps.isEmpty ? [file.totals] : file.laps
        for lap in laps { section(lap, .lap, sport) }
        for session in file.sessions.isEmpty ? [file.totals] : file.sessions { section(session, .session, sport) }
    }

    /// Fields of a lap and a session, whose numbers differ.
    private mutating func section(_ section: ActivitySection, _ local: Local, _ sport: (sport: UInt8, sub: UInt8)) {
        let isLap = local == .lap, number = section.sport.map { FITProfile.number(of: $0) } ?? sport
        var fields: [Field] = [
            (253, 4, .uint32), (2, 4, .uint32), (7, 4, .uint32), (8, 4, .uint32), (9, 4, .uint32), (isLap ? 111 : 125, 4, .uint32),
            (11, 2, .uint16), (isLap ? 19 : 20, 2, .uint16), (isLap ? 21 : 22, 2, .uint16), (isLap ? 22 : 23, 2, .uint16),
            (isLap ? 15 : 16, 1, .uint8), (isLap ? 16 : 17, 1, .uint8), (0, 1, .enumeration), (1, 1, .enumeration),
        ]
        if !isLap || section.sport != nil { fields += [(isLap ? 25 : 5, 1, .enumeration), (isLap ? 39 : 6, 1, .enumeration)] }
        define(local, isLap ? .lap : .session, fields)
        append(seconds(section.end ?? end))
        append(section.start.map { seconds($0) } ?? .max)
        for value in [section.elapsed, section.timer, section.distance] { append(amount(value)) }
        append(section.maximumSpeed.flatMap { UInt32(exactly: Int64($0) * 10) } ?? .max)
        append(section.energy.flatMap { UInt16(exactly: $0) } ?? .max)
        append(section.averagePower ?? .max)
        append(section.ascent.flatMap { UInt16(exactly: $0) } ?? .max)
        append(section.descent.flatMap { UInt16(exactly: $0) } ?? .max)
        for rate in [section.averageHeartRate, section.maximumHeartRate] {
            data.append(rate.flatMap { $0 < 255 ? UInt8($0) : nil } ?? .max)
        }
        data += [isLap ? 9 : 8, 1]
        if !isLap || section.sport != nil { data += [number.sport, number.sub] }
    }

    // MARK: Values

    private func seconds(_ time: Milliseconds) -> UInt32 { UInt32(clamping: time.flooredQuotient(by: 1000) &- FITProfile.epoch) }
    private func amount(_ value: Int64?) -> UInt32 { value.flatMap { UInt32(exactly: $0) } ?? .max }

    private mutating func append(_ value: UInt16) { data += [UInt8(truncatingIfNeeded: value), UInt8(value >> 8)] }

    private mutating func append(_ value: UInt32) {
        append(UInt16(truncatingIfNeeded: value))
        append(UInt16(value >> 16))
    }

    /// Whole characters, and a zero at the end.
    private mutating func text(_ text: String) {
        var bytes: [UInt8] = []
        for character in text {
            guard bytes.count + character.utf8.count < Int(Self.textSize) else { break }
            bytes += Array(character.utf8)
        }
        data += bytes + [UInt8](repeating: 0, count: Int(Self.textSize) - bytes.count)
    }
}
