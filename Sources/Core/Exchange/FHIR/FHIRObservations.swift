public import Vitals

/// Observations (FHIR R4) of heart rates, positions and scalars.
///
/// - Heart rate: the vital signs profile (category `vital-signs`, LOINC 8867-4, UCUM `/min`), with the RR intervals as components in ms.
///   A sample that is no reading (0, or without skin contact) has `dataAbsentReason` in place of a value, never 0.
/// - Heart rate of a minute: the mean of its readings as the value, which is what the profile allows and every reader understands, and
///   the samples beside it as SampledData in a component. RR intervals follow each other by their own length; the `period` of theirs is
///   their mean.
/// - Position: R4 has no code for where a person is, and its geolocation extension belongs to addresses. So the code and those of the
///   components are the hub's own (`BASE/CodeSystem/observation`), with UCUM units.
/// - Scalars, as the table of kinds says (``FHIRKind``): the LOINC code and the hub's own, the value as a Quantity with UCUM or as a code,
///   an instant or a period. Vital signs follow their profiles. A second value is a component; a blood pressure is a panel of two.
///
/// Drills and replays carry the tag HTEST. Events and gaps are about the box, not observed of the person: CSV and JSON have them.
public struct FHIRObservations: Sendable {
    private let detail: FHIRDetail
    private let text: FHIRFixedText
    /// The frame around each.
    var frame: FHIRFrame
    private var utc = UTCText()
    private var heartRates = FHIRMinute<HeartRateSample>()
    private var positions = FHIRMinute<PositionSample>()
    /// By the numbers of the kinds.
    private var last = [Ordinal](repeating: Ordinal(), count: FHIRKind.numbers)

    /// Counts what has the same time.
    private struct Ordinal {
        var time = Milliseconds.min, ordinal = 0

        mutating func next(_ time: Milliseconds) {
            ordinal = time == self.time ? ordinal + 1 : 0
            self.time = time
        }
    }

    init(base: String, patient: FHIRID, detail: FHIRDetail, frame: FHIRFrame) {
        self.detail = detail
        self.frame = frame
        text = FHIRFixedText(base: base, patient: patient, detail: detail)
    }

    /// Begins anew with counting what has the same time.
    mutating func begin(_ place: FHIRFrame.Place) {
        frame.place = place
        last = [Ordinal](repeating: Ordinal(), count: FHIRKind.numbers)
    }

    /// The Observation that an id names, as `GET [base]/Observation/[id]` answers it.
    /// - Parameters:
    ///   - pieces: what there is within its span, in the order in which a search gives it.
    ///   - base: the address of the FHIR interface, without a slash at its end.
    /// - Returns: nil when the samples hold no such Observation (any more).
    public static func one(
        _ id: FHIRObservationID, of pieces: [(samples: SampleSet, provenance: Provenance)], base: String
    ) -> [UInt8]? {
        var writer = FHIRObservations(
            base: base, patient: id.patient, detail: id.detail, frame: FHIRFrame(place: .only(time: id.time, ordinal: id.ordinal)))
        var buffer: [UInt8] = []
        for piece in pieces {
            writer.append(piece.samples.only(id.kind), from: piece.provenance, to: &buffer)
        }
        writer.end(&buffer)
        return buffer.isEmpty ? nil : buffer
    }

    mutating func append(_ samples: SampleSet, from provenance: Provenance, to buffer: inout [UInt8]) {
        var merge = TimeMerge(samples)
        while let next = merge.next() {
            switch next {
            case .heartRate(let sample):
                guard detail == .minutes else {
                    observation(sample, provenance, &buffer)
                    continue
                }
                if let full = heartRates.add(sample, at: sample.time, provenance) { minute(full, &buffer) }
            case .position(let sample):
                guard detail == .minutes else {
                    observation(sample, provenance, &buffer)
                    continue
                }
                if let full = positions.add(sample, at: sample.time, provenance) { minute(full, &buffer) }
            case .scalar(let sample): observation(sample, provenance, &buffer)
            case .event, .gap: continue
            }
        }
    }

    /// Writes the minutes that have begun.
    mutating func end(_ buffer: inout [UInt8]) {
        if let rest = heartRates.take() { minute(rest, &buffer) }
        if let rest = positions.take() { minute(rest, &buffer) }
    }

    // MARK: - One sample

    private mutating func observation(_ sample: HeartRateSample, _ provenance: Provenance, _ buffer: inout [UInt8]) {
        guard start(.heartRate, sample.time, provenance, &buffer) else { return }
        effective(sample.time, &buffer)
        if sample.isReading {
            buffer.append(",\"valueQuantity\":")
            buffer.append(quantity: Int64(sample.beatsPerMinute), places: 0, .perMinute)
        } else {
            buffer.append(",\"dataAbsentReason\":")
            buffer.append(FHIRCodes.notPerformed)
        }
        if !sample.rrIntervals.isEmpty {
            buffer.append(",\"component\":[")
            for (index, interval) in sample.rrIntervals.enumerated() {
                buffer.append(index == 0 ? "{\"code\":" : ",{\"code\":")
                buffer.append(FHIRCodes.interval)
                buffer.append(",\"valueQuantity\":")
                buffer.append(quantity: interval.tenthsOfMilliseconds, places: 1, .milliseconds)
                buffer.append(UInt8(ascii: "}"))
            }
            buffer.append(UInt8(ascii: "]"))
        }
        close(&buffer)
    }

    private mutating func observation(_ sample: PositionSample, _ provenance: Provenance, _ buffer: inout [UInt8]) {
        guard start(.position, sample.time, provenance, &buffer) else { return }
        effective(sample.time, &buffer)
        parts([sample], &buffer) { part, buffer in
            buffer.append(",\"valueQuantity\":")
            buffer.append(quantity: Int64(part.value(sample) ?? 0), places: part.places, part.unit)
        }
        close(&buffer)
    }

    private mutating func observation(_ sample: ScalarSample, _ provenance: Provenance, _ buffer: inout [UInt8]) {
        guard let kind = text.kinds[Int(sample.kind.rawValue)], start(sample.kind, sample.time, provenance, &buffer) else { return }
        if let end = sample.end { period(sample.time, max(end, sample.time), &buffer) } else { effective(sample.time, &buffer) }
        if !kind.isPanel { kind.first.append(sample.value, to: &buffer) }
        var values: [(text: FHIRValueText, value: Int64?)] = kind.isPanel ? [(kind.first, sample.value)] : []
        if let second = kind.second, kind.isPanel || sample.second != nil { values.append((second, sample.second)) }
        for (index, component) in values.enumerated() {
            buffer.append(index == 0 ? ",\"component\":[{\"code\":" : ",{\"code\":")
            buffer.append(contentsOf: component.text.code)
            if let value = component.value {
                component.text.append(value, to: &buffer)
            } else {
                buffer.append(",\"dataAbsentReason\":")
                buffer.append(FHIRCodes.unknown)
            }
            buffer.append(UInt8(ascii: "}"))
        }
        if !values.isEmpty { buffer.append(UInt8(ascii: "]")) }
        close(&buffer)
    }

    // MARK: - One minute

    private mutating func minute(_ minute: FHIRMinute<HeartRateSample>.Full, _ buffer: inout [UInt8]) {
        guard start(.heartRate, minute.start, minute.provenance, &buffer) else { return }
        period(minute.gridStart, minute.gridEnd, &buffer)
        let readings = minute.samples.filter(\.isReading)
        guard !readings.isEmpty else {
            buffer.append(",\"dataAbsentReason\":")
            buffer.append(FHIRCodes.notPerformed)
            return close(&buffer)
        }
        let tenths = readings.reduce(0) { $0 + Int64($1.beatsPerMinute) } * 10
        buffer.append(",\"method\":{\"text\":\"Arithmetic mean of the samples of the period\"},\"valueQuantity\":")
        buffer.append(quantity: (tenths + Int64(readings.count) / 2) / Int64(readings.count), places: 1, .perMinute)
        buffer.append(",\"component\":[{\"code\":")
        buffer.append(FHIRCodes.heartRate)
        buffer.append(",\"valueSampledData\":")
        let grid = minute.grid.map { $0.flatMap { $0.isReading ? Int64($0.beatsPerMinute) : nil } }
        buffer.append(sampled: grid, period: 1000, places: 0, .perMinute)
        buffer.append(UInt8(ascii: "}"))
        let intervals = minute.samples.flatMap(\.rrIntervals).map { Optional($0.tenthsOfMilliseconds) }
        if !intervals.isEmpty {
            buffer.append(",{\"code\":")
            buffer.append(FHIRCodes.interval)
            buffer.append(",\"valueSampledData\":")
            let sum = intervals.reduce(0) { $0 + ($1 ?? 0) }
            buffer.append(sampled: intervals, period: max(sum / 10 / Int64(intervals.count), 1), places: 1, .milliseconds)
            buffer.append(UInt8(ascii: "}"))
        }
        buffer.append(UInt8(ascii: "]"))
        close(&buffer)
    }

    private mutating func minute(_ minute: FHIRMinute<PositionSample>.Full, _ buffer: inout [UInt8]) {
        guard start(.position, minute.start, minute.provenance, &buffer) else { return }
        period(minute.gridStart, minute.gridEnd, &buffer)
        let grid = minute.grid
        parts(minute.samples, &buffer) { part, buffer in
            buffer.append(",\"valueSampledData\":")
            let values = grid.map { $0.flatMap { part.value($0).map(Int64.init) } }
            buffer.append(sampled: values, period: 1000, places: part.places, part.unit)
        }
        close(&buffer)
    }

    // MARK: - Parts

    /// Everything up to the subject. Returns false when this one is not wanted.
    private mutating func start(_ kind: DataKind, _ time: Milliseconds, _ provenance: Provenance, _ buffer: inout [UInt8]) -> Bool {
        let time = max(time, 0), number = Int(kind.rawValue)
        guard let known = text.kinds[number] else { return false }
        last[number].next(time)
        let ordinal = last[number].ordinal
        guard frame.wants(time: time, ordinal: ordinal) else { return false }
        frame.open(&buffer) { buffer in
            buffer.append(contentsOf: text.address)
            text.appendID(known.prefix, time, ordinal, &buffer)
        }
        buffer.append("{\"resourceType\":\"Observation\",\"id\":\"")
        text.appendID(known.prefix, time, ordinal, &buffer)
        buffer.append(UInt8(ascii: "\""))
        meta(known.profile, provenance, &buffer)
        buffer.append(contentsOf: known.head)
        return true
    }

    private func meta(_ profile: [UInt8], _ provenance: Provenance, _ buffer: inout [UInt8]) {
        guard !profile.isEmpty || provenance.isTest else { return }
        buffer.append(",\"meta\":{")
        buffer.append(contentsOf: profile)
        if provenance.isTest {
            if !profile.isEmpty { buffer.append(UInt8(ascii: ",")) }
            buffer.append(FHIRCodes.test)
        }
        buffer.append(UInt8(ascii: "}"))
    }

    /// A component for each part of a position that any of the samples has.
    private func parts(
        _ samples: [PositionSample], _ buffer: inout [UInt8], _ value: (FHIRPositionPart, inout [UInt8]) -> Void
    ) {
        buffer.append(",\"component\":[")
        for (index, part) in FHIRPositionPart.all.enumerated() where samples.contains(where: { part.value($0) != nil }) {
            buffer.append(index == 0 ? "{\"code\":" : ",{\"code\":")
            buffer.append(contentsOf: text.parts[index])
            value(part, &buffer)
            buffer.append(UInt8(ascii: "}"))
        }
        buffer.append(UInt8(ascii: "]"))
    }

    private mutating func effective(_ time: Milliseconds, _ buffer: inout [UInt8]) {
        buffer.append(",\"effectiveDateTime\":\"")
        utc.append(time, to: &buffer)
        buffer.append(UInt8(ascii: "\""))
    }

    private mutating func period(_ start: Milliseconds, _ end: Milliseconds, _ buffer: inout [UInt8]) {
        buffer.append(",\"effectivePeriod\":{\"start\":\"")
        utc.append(start, to: &buffer)
        buffer.append("\",\"end\":\"")
        utc.append(end, to: &buffer)
        buffer.append("\"}")
    }

    private func close(_ buffer: inout [UInt8]) {
        buffer.append(UInt8(ascii: "}"))
        frame.close(&buffer)
    }
}

extension SampleSet {
    fileprivate func only(_ kind: DataKind) -> SampleSet {
        switch kind {
        case .heartRate: SampleSet(heartRates: heartRates)
        case .position: SampleSet(positions: positions)
        default: SampleSet(scalars: scalars.filter { $0.kind == kind })
        }
    }
}
