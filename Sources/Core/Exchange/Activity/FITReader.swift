internal import Vitals

/// Reads FIT (Flexible and Interoperable Data Transfer, protocol 1 and 2): headers, definition and data messages, compressed timestamps.
/// FITMessages.swift has the meaning of the messages.
///
/// A file that is cut, or whose header promises more than there is, is read to its end. Bytes that no definition explains are passed over,
/// to where messages with times near the last one go on.
struct FITReader {
    let bytes: [UInt8]
    var file = ActivityFile(.fit)
    var problems = ActivityProblems()
    var heartRates = FITHeartRates()
    var clock = FITClock()
    var state = State()
    var intervalCount = 0
    /// Of file_id: 4 for an activity.
    var type: Int64?
    private var at = 0
    /// Where the last data message began.
    private var lastStart = 0
    private var definitions = [FITDefinition?](repeating: nil, count: 16)

    /// State of a message that holds for those behind it, in one of several files.
    struct State {
        /// Of the last message with a time, as written.
        var seconds: Int64? {
            didSet {
                guard let seconds, oldValue.map({ abs(seconds - $0) <= 3600 }) ?? true else { return }
                trusted = seconds
            }
        }
        /// The last time that came within an hour of the one before.
        var trusted: Int64?
        /// The distance of compressed_speed_distance, in 1/16 m.
        var sixteenths: Int64 = 0
        var sportName: String?, productName: String?
        var manufacturer: Int64?, product: Int64?
        /// UTC, since the timer stopped.
        var stopped: Milliseconds?
        /// Index of the file's first point.
        var first = 0
    }

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    static func isFIT(_ bytes: [UInt8]) -> Bool { FITHeader(bytes, at: 0) != nil }

    /// - Throws: ``ActivityProblem/Code/notActivity`` for a file that is whole, and has no points because it is of another type.
    mutating func read(_ utc: (Milliseconds) -> Milliseconds?) throws(ActivityProblem) -> ActivityFile {
        var start = 0
        while start < bytes.count, let header = FITHeader(bytes, at: start) {
            if header.isDamaged { problems.note(.header, byte: start) }
            start = read(header, at: start)
        }
        // Some devices fill the last block of their memory.
        if start < bytes.count, bytes[start...].contains(where: { $0 != 0 && $0 != 0xFF }) {
            problems.note(.header, byte: start, "\(bytes.count - start)")
        }
        file.heartRates = heartRates.samples
        if heartRates.lost > 0 { problems.note(.heartRates, byte: heartRates.lostAt, count: heartRates.lost) }
        clock.settle(&file, &problems, utc)
        if file.points.isEmpty, file.heartRates.isEmpty, let type, type != FITProfile.activityFile {
            throw ActivityProblem(.notActivity, "\(type)")
        }
        file.start = file.earliest
        file.problems = problems.list
        return file
    }

    // MARK: Files

    /// - Returns: where the next header would stand.
    private mutating func read(_ header: FITHeader, at start: Int) -> Int {
        let data = start + header.size
        // A size of 4 GB is no overflow on 64 bits, and on 32 the file is smaller than its half.
        var (end, overflow) = data.addingReportingOverflow(header.dataSize)
        if overflow || header.dataSize == 0 || end > bytes.count {
            let missing = overflow || header.dataSize == 0 ? nil : "\(end - bytes.count + 2)"
            problems.note(.cut, byte: bytes.count, missing)
            end = bytes.count
        } else if end + 2 > bytes.count {
            problems.note(.cut, byte: bytes.count, "\(end + 2 - bytes.count)")
        } else if UInt16(bytes[end]) | UInt16(bytes[end + 1]) << 8 != FITChecksum.of(bytes[start..<end]) {
            problems.note(.checksum, byte: end)
            // The size itself may be what was changed.
            if bytes.count - end > 64, FITHeader(bytes, at: end + 2) == nil { end = bytes.count - 2 }
        }
        state = State()
        state.first = file.points.count
        definitions = [FITDefinition?](repeating: nil, count: 16)
        at = data
        while at < end { message(to: end) }
        finishFile()
        return min(bytes.count, end + 2)
    }

    // MARK: Messages

    private mutating func message(to end: Int) {
        let head = bytes[at]
        if head & 0xC0 == 0x40 {
            guard let definition = FITDefinition(bytes, at: at, end: end) else { return resynchronise(to: end) }
            definitions[Int(head & 15)] = definition
            for field in definition.fields where field.type == nil && FITMessage(rawValue: definition.global) != nil {
                problems.note(.fieldSize, byte: at, "\(definition.global).\(field.number)")
            }
            at += definition.length
            return
        }
        let isCompressed = head & 0x80 != 0, local = isCompressed ? Int(head >> 5 & 3) : Int(head & 15)
        guard let definition = definitions[local] else { return resynchronise(to: end) }
        guard at + 1 + definition.size <= end else {
            problems.note(.cut, byte: at, "\(at + 1 + definition.size - end)")
            at = end
            return
        }
        let data = FITData(bytes: bytes, start: at + 1, definition: definition)
        if isCompressed, let last = state.seconds {
            let offset = Int64(head & 31)
            state.seconds = last + ((offset - last) & 31)
        }
        lastStart = at
        take(data, isTimed: isCompressed && state.seconds != nil)
        at += 1 + definition.size
    }

    /// Goes on at the next byte from which on messages make sense. A point whose time is far from those before was read from bytes that
    /// are not where they belong: it is taken back.
    private mutating func resynchronise(to end: Int) {
        var from = at
        if let trusted = state.trusted, let seconds = state.seconds, abs(seconds - trusted) > Self.jumpMax,
            file.points.count > state.first
        {
            if file.points.last?.time == FITProfile.time(seconds) || file.points.last?.time == nil {
                file.points.removeLast()
                from = lastStart
            }
            state.seconds = trusted
        }
        repeat { at += 1 } while at < end && !isPlausible(at, to: end)
        problems.note(.unread, byte: from, count: at - from)
    }

    /// A day, in seconds.
    private static let jumpMax: Int64 = 86_400

    /// Whether three records follow whose times are within an hour of each other and a day of what came before, or the definition of a
    /// message of the profile.
    private func isPlausible(_ start: Int, to end: Int) -> Bool {
        var at = start, records = 0, steps = 0, last = state.trusted, span = Self.jumpMax
        while steps < 8, records < 3 {
            guard at < end else { return records > 0 }
            if bytes[at] & 0xD0 == 0x40, bytes[at + 1 < end ? at + 1 : at] == 0 {
                return FITDefinition(bytes, at: at, end: end)?.isPlausible ?? false
            }
            guard bytes[at] & 0xC0 == 0, let definition = definitions[Int(bytes[at] & 15)], at + 1 + definition.size <= end else {
                return false
            }
            if definition.global == FITMessage.record.rawValue {
                let data = FITData(bytes: bytes, start: at + 1, definition: definition)
                guard let seconds = data.integer(253), abs(seconds - (last ?? seconds)) <= span else { return false }
                (last, span, records) = (seconds, 3600, records + 1)
            }
            at += 1 + definition.size
            steps += 1
        }
        return records == 3
    }
}

/// Times of FIT: those of devices that know the date, and those that count from when the device was switched on.
struct FITClock {
    /// Of a message that says both: the device's count, and the clock on the wall as if it were UTC.
    var relative: Milliseconds?, wall: Milliseconds?
    /// Whether any time counts so.
    var isRelative = false
    var firstAt = 0

    /// Gives relative times a date, or takes them away.
    func settle(_ file: inout ActivityFile, _ problems: inout ActivityProblems, _ utc: (Milliseconds) -> Milliseconds?) {
        guard isRelative else { return }
        var shift: Milliseconds?
        if let relative, let wall, let date = utc(wall) {
            let (difference, overflow) = date.subtractingReportingOverflow(relative)
            if !overflow, date >= SampleLimits.earliest { shift = difference }
        }
        if shift == nil { problems.note(.relativeTime, byte: firstAt) }
        func moved(_ time: Milliseconds?) -> Milliseconds? {
            guard let time, time < FITProfile.relativeEnd else { return time }
            return shift.map { time &+ $0 }
        }
        for index in file.points.indices { file.points[index].time = moved(file.points[index].time) }
        for index in file.sessions.indices { file.sessions[index].start = moved(file.sessions[index].start) }
        for index in file.laps.indices { file.laps[index].start = moved(file.laps[index].start) }
        file.pauses = file.pauses.compactMap { pause in
            moved(pause.lowerBound).flatMap { low in moved(pause.upperBound).flatMap { low <= $0 ? low...$0 : nil } }
        }
        file.heartRates = file.heartRates.compactMap { sample in
            moved(sample.time).map { HeartRateSample(time: $0, beatsPerMinute: sample.beatsPerMinute) }
        }
        file.intervals = file.intervals.compactMap { some in
            moved(some.time).map { ActivityFile.Intervals(time: $0, values: some.values) }
        }
    }
}
