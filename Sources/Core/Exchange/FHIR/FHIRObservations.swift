public import Vitals

/// Observations (FHIR R4) of heart rates and positions.
///
/// - Heart rate: the vital signs profile (category `vital-signs`, LOINC 8867-4, UCUM `/min`), with the RR intervals as components in ms.
///   A sample that is no reading (0, or without skin contact) has `dataAbsentReason` in place of a value, never 0.
/// - Heart rate of a minute: the mean of its readings as the value, which is what the profile allows and every reader understands, and
///   the samples beside it as SampledData in a component. RR intervals follow each other by their own length; the `period` of theirs is
///   their mean.
/// - Position: R4 has no code for where a person is, and its geolocation extension belongs to addresses. So the code and those of the
///   components are the hub's own (`BASE/CodeSystem/observation`), with UCUM units.
///
/// Drills and replays carry the tag HTEST. Events and gaps are about the box, not observed of the person: CSV and JSON have them.
public struct FHIRObservations: Sendable {
    private let detail: FHIRDetail
    private let text: FHIRFixedText
    /// What stands around each.
    var frame: FHIRFrame
    private var utc = UTCText()
    private var heartRates = FHIRMinute<HeartRateSample>()
    private var positions = FHIRMinute<PositionSample>()
    private var lastHeartRate = Ordinal(), lastPosition = Ordinal()

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
        text = FHIRFixedText(base: base, patient: patient)
    }

    /// Begins anew with counting what has the same time.
    mutating func begin(_ place: FHIRFrame.Place) {
        frame.place = place
        (lastHeartRate, lastPosition) = (Ordinal(), Ordinal())
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
            var kept = SampleSet()
            if id.kind == .heartRate { kept.heartRates = piece.samples.heartRates } else { kept.positions = piece.samples.positions }
            writer.append(kept, from: piece.provenance, to: &buffer)
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

    // MARK: - One minute

    private mutating func minute(_ minute: FHIRMinute<HeartRateSample>.Full, _ buffer: inout [UInt8]) {
        guard start(.heartRate, minute.start, minute.provenance, &buffer) else { return }
        period(minute, &buffer)
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
        period(minute, &buffer)
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
        let time = max(time, 0)
        if kind == .heartRate { lastHeartRate.next(time) } else { lastPosition.next(time) }
        let ordinal = kind == .heartRate ? lastHeartRate.ordinal : lastPosition.ordinal
        let prefix = FHIRObservationID.prefix(kind, detail)
        guard frame.wants(time: time, ordinal: ordinal) else { return false }
        frame.open(&buffer) { buffer in
            buffer.append(contentsOf: text.address)
            text.appendID(prefix, time, ordinal, &buffer)
        }
        buffer.append("{\"resourceType\":\"Observation\",\"id\":\"")
        text.appendID(prefix, time, ordinal, &buffer)
        buffer.append(UInt8(ascii: "\""))
        meta(kind, provenance, &buffer)
        buffer.append(",\"status\":\"final\"")
        if kind == .heartRate {
            buffer.append(",\"category\":")
            buffer.append(FHIRCodes.vitalSigns)
            buffer.append(",\"code\":")
            buffer.append(FHIRCodes.heartRate)
        } else {
            buffer.append(",\"code\":")
            buffer.append(contentsOf: text.position)
        }
        buffer.append(contentsOf: text.subject)
        return true
    }

    private func meta(_ kind: DataKind, _ provenance: Provenance, _ buffer: inout [UInt8]) {
        guard kind == .heartRate || provenance.isTest else { return }
        buffer.append(",\"meta\":{")
        if kind == .heartRate { buffer.append("\"profile\":[\"http://hl7.org/fhir/StructureDefinition/heartrate\"]") }
        if provenance.isTest {
            if kind == .heartRate { buffer.append(UInt8(ascii: ",")) }
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

    private mutating func period(_ minute: FHIRMinute<some Sendable>.Full, _ buffer: inout [UInt8]) {
        buffer.append(",\"effectivePeriod\":{\"start\":\"")
        utc.append(minute.gridStart, to: &buffer)
        buffer.append("\",\"end\":\"")
        utc.append(minute.gridEnd, to: &buffer)
        buffer.append("\"}")
    }

    private func close(_ buffer: inout [UInt8]) {
        buffer.append(UInt8(ascii: "}"))
        frame.close(&buffer)
    }
}
