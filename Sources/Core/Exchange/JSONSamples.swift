internal import Vitals

/// One sample as a JSON object: shared by the document and by the lines. What is not known is left out, but `bpm` is null where the
/// sensor sent 0, which is never a reading.
struct JSONSamples: Sendable {
    private var utc = UTCText()
    private var plain: PlainRates?

    /// The text before and behind the number of heart rates of which nothing else is known: the same for hours on end.
    private struct PlainRates {
        let hasKind: Bool, source: Int, contact: SensorContact
        var before: [UInt8] = [], behind: [UInt8] = []
    }

    mutating func append(_ sample: HeartRateSample, kind: Bool, _ source: StaticString, to buffer: inout [UInt8]) {
        if sample.isPlain { return append(plain: sample, kind: kind, source, to: &buffer) }
        start(sample.time, kind ? "heart_rate" : nil, source, &buffer)
        if sample.beatsPerMinute > 0 {
            append(",\"bpm\":", Int64(sample.beatsPerMinute), places: 0, &buffer)
        } else {
            buffer.append(",\"bpm\":null")
        }
        append(",\"contact\":", sample.contact.exportName, &buffer)
        append(",\"energy_kj\":", sample.energyKilojoules.map(Int64.init), places: 0, &buffer)
        if !sample.rrIntervals.isEmpty {
            buffer.append(",\"rr_ms\":[")
            for (index, interval) in sample.rrIntervals.enumerated() {
                if index > 0 { buffer.append(UInt8(ascii: ",")) }
                buffer.append(interval: interval)
            }
            buffer.append(UInt8(ascii: "]"))
        }
        buffer.append(UInt8(ascii: "}"))
    }

    private mutating func append(plain sample: HeartRateSample, kind: Bool, _ source: StaticString, to buffer: inout [UInt8]) {
        let place = Int(bitPattern: source.utf8Start)
        var texts = plain ?? PlainRates(hasKind: !kind, source: place, contact: sample.contact)
        if texts.hasKind != kind || texts.source != place || texts.contact != sample.contact {
            texts = PlainRates(hasKind: kind, source: place, contact: sample.contact)
            from(kind ? "heart_rate" : nil, source, &texts.before)
            texts.before.append(",\"bpm\":")
            append(",\"contact\":", sample.contact.exportName, &texts.behind)
            texts.behind.append(UInt8(ascii: "}"))
            plain = texts
        }
        buffer.append("{\"time\":\"")
        utc.append(sample.time, to: &buffer)
        buffer.append(contentsOf: texts.before)
        buffer.append(number: sample.beatsPerMinute)
        buffer.append(contentsOf: texts.behind)
    }

    /// Lines that are put together before they are appended.
    private static let linesAtOnce = 128

    /// Heart rates that are like the one that was appended last: nothing but the beats is known of them, their source and contact are the
    /// same. Each is put behind a comma and a line break. So a day of seconds costs a copy of one line for each.
    /// - Parameter start: the first of `rates` that counts.
    /// - Returns: how many follow that are.
    mutating func append(
        alike rates: [HeartRateSample], from start: Int, _ source: StaticString, to buffer: inout [UInt8]
    ) -> Int {
        guard let plain, !plain.hasKind, plain.source == Int(bitPattern: source.utf8Start), start < rates.count,
            rates[start].isPlain, rates[start].contact == plain.contact
        else { return 0 }
        var before: [UInt8] = []
        before.append(",\n{\"time\":\"")
        let timeAt = before.count
        utc.append(rates[start].time, to: &before)
        before.append(contentsOf: plain.before)
        var line = PlainLine(before: before, behind: plain.behind, timeAt: timeAt)
        return rates.withUnsafeBufferPointer { rates in
            var index = start
            while index < rates.count, rates[index].isPlain, rates[index].contact == plain.contact {
                let last = min(index + Self.linesAtOnce, rates.count)
                withUnsafeTemporaryAllocation(of: UInt8.self, capacity: (last - index) * line.bytesMax) { lines in
                    guard let lines = lines.baseAddress else { return }
                    var end = lines
                    while index < last, rates[index].isPlain, rates[index].contact == plain.contact {
                        end = line.write(rates[index].time, rates[index].beatsPerMinute, to: end, &utc)
                        index += 1
                    }
                    buffer.append(contentsOf: UnsafeBufferPointer(start: lines, count: end - lines))
                }
            }
            return index - start
        }
    }

    mutating func append(_ sample: PositionSample, kind: Bool, _ source: StaticString, to buffer: inout [UInt8]) {
        start(sample.time, kind ? "position" : nil, source, &buffer)
        append(",\"lat\":", Int64(sample.latitude), places: 7, &buffer)
        append(",\"lon\":", Int64(sample.longitude), places: 7, &buffer)
        append(",\"altitude_m\":", sample.altitude.map(Int64.init), places: 1, &buffer)
        append(",\"speed_m_s\":", sample.speed.map(Int64.init), places: 2, &buffer)
        append(",\"course_deg\":", sample.course.map(Int64.init), places: 2, &buffer)
        append(",\"error_m\":", sample.horizontalError.map(Int64.init), places: 1, &buffer)
        append(",\"fix\":", sample.mode.exportName, &buffer)
        append(",\"found_by\":", sample.source.exportName, &buffer)
        buffer.append(UInt8(ascii: "}"))
    }

    mutating func append(_ event: StateEvent, kind: Bool, _ source: StaticString, to buffer: inout [UInt8]) {
        start(event.time, kind ? "event" : nil, source, &buffer)
        buffer.append(",\"event\":\"")
        event.code.appendName(to: &buffer)
        buffer.append("\",\"value\":")
        buffer.append(number: event.value)
        buffer.append(UInt8(ascii: "}"))
    }

    mutating func append(_ gap: GapRecord, kind: Bool, _ source: StaticString, to buffer: inout [UInt8]) {
        start(gap.time, kind ? "gap" : nil, source, &buffer)
        append(",\"reason\":", gap.reason.exportName, &buffer)
        buffer.append(",\"segments\":")
        buffer.append(number: gap.segments)
        buffer.append(UInt8(ascii: "}"))
    }

    /// `value` in the kind's unit, or its code by name; `unit`, `end` and the second value where it has them.
    mutating func append(_ sample: ScalarSample, _ source: StaticString, to buffer: inout [UInt8]) {
        let entry = sample.kind.entry
        start(sample.time, nil, source, &buffer)
        buffer.append(",\"kind\":\"")
        buffer.append(contentsOf: entry.name.utf8)
        buffer.append("\",\"value\":")
        append(sample.value, entry.codes, decimals: entry.decimals, &buffer)
        if !entry.unit.isEmpty {
            buffer.append(",\"unit\":\"")
            buffer.append(contentsOf: entry.unit.utf8)
            buffer.append(UInt8(ascii: "\""))
        }
        if let second = sample.second, let meaning = entry.second {
            buffer.append(",\"")
            buffer.append(contentsOf: meaning.name.utf8)
            buffer.append("\":")
            append(second, meaning.codes, decimals: entry.decimals, &buffer)
        }
        if let end = sample.end {
            buffer.append(",\"end\":\"")
            utc.append(end, to: &buffer)
            buffer.append(UInt8(ascii: "\""))
        }
        buffer.append(UInt8(ascii: "}"))
    }

    private func append(_ value: Int64, _ codes: [String], decimals: Int, _ buffer: inout [UInt8]) {
        guard !codes.isEmpty else { return buffer.append(fixed: value, places: decimals) }
        buffer.append(UInt8(ascii: "\""))
        buffer.append(contentsOf: ScalarSample.name(of: value, codes).utf8)
        buffer.append(UInt8(ascii: "\""))
    }

    private mutating func start(_ time: Int64, _ kind: StaticString?, _ source: StaticString, _ buffer: inout [UInt8]) {
        buffer.append("{\"time\":\"")
        utc.append(time, to: &buffer)
        from(kind, source, &buffer)
    }

    /// The text behind the time.
    private func from(_ kind: StaticString?, _ source: StaticString, _ buffer: inout [UInt8]) {
        if let kind {
            buffer.append("\",\"kind\":\"")
            buffer.append(kind)
        }
        buffer.append("\",\"source\":\"")
        buffer.append(source)
        buffer.append(UInt8(ascii: "\""))
    }

    private func append(_ name: StaticString, _ value: Int64?, places: Int, _ buffer: inout [UInt8]) {
        guard let value else { return }
        buffer.append(name)
        buffer.append(fixed: value, places: places)
    }

    private func append(_ name: StaticString, _ text: StaticString?, _ buffer: inout [UInt8]) {
        guard let text else { return }
        buffer.append(name)
        buffer.append(quoted: text)
    }
}

extension HeartRateSample {
    /// Whether nothing but the beats and the contact is known.
    @inline(__always)
    fileprivate var isPlain: Bool { beatsPerMinute > 0 && energyKilojoules == nil && rrIntervals.isEmpty }
}

/// The line of a heart rate, in which the time and the beats change.
private struct PlainLine {
    /// Up to the beats, and what stands behind them.
    private var before: [UInt8]
    private let behind: [UInt8]
    /// Where the time stands.
    private let timeAt: Int
    /// UTC milliseconds at which the minute of that time begins; nil where the text is that of no time within the minute.
    private var minute: Milliseconds?

    init(before: [UInt8], behind: [UInt8], timeAt: Int) {
        (self.before, self.behind, self.timeAt) = (before, behind, timeAt)
    }

    /// Digits of an `UInt16`.
    private static let digitsMax = 5

    var bytesMax: Int { before.count + Self.digitsMax + behind.count }

    /// - Parameter start: of ``bytesMax`` bytes.
    /// - Returns: where the next line begins.
    @inline(__always)
    mutating func write(
        _ time: Milliseconds, _ beats: UInt16, to start: UnsafeMutablePointer<UInt8>, _ utc: inout UTCText
    ) -> UnsafeMutablePointer<UInt8> {
        let inMinute = minute.map { UInt64(bitPattern: time &- $0) } ?? .max
        if inMinute >= 60_000 { remember(time, &utc) }
        Self.copy(before, to: start)
        if inMinute < 60_000 { UTCText.write(Int(inMinute), into: start + timeAt) }
        let end = Self.write(beats, to: start + before.count)
        Self.copy(behind, to: end)
        return end + behind.count
    }

    /// The time as a whole, which also is right for one that has no text of its own.
    private mutating func remember(_ time: Milliseconds, _ utc: inout UTCText) {
        var text: [UInt8] = []
        utc.append(time, to: &text)
        before.replaceSubrange(timeAt..<timeAt + UTCText.count, with: text)
        minute = UTCText.range.contains(time) ? time.flooredQuotient(by: 60_000) * 60_000 : nil
    }

    @inline(__always)
    private static func copy(_ bytes: [UInt8], to start: UnsafeMutablePointer<UInt8>) {
        bytes.withUnsafeBufferPointer { bytes in
            if let first = bytes.baseAddress { start.update(from: first, count: bytes.count) }
        }
    }

    @inline(__always)
    private static func write(_ number: UInt16, to start: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
        let count = number < 10 ? 1 : number < 100 ? 2 : number < 1000 ? 3 : number < 10_000 ? 4 : 5
        var rest = number
        for place in (0..<count).reversed() {
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            start[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
            rest = quotient
        }
        return start + count
    }
}
