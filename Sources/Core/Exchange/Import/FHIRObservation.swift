internal import Vitals

/// An Observation (FHIR R4) as it is read.
struct FHIRObservation {
    /// Why there is no sample in it.
    enum Fault: Error { case absent, unit, value }

    let json: StrictJSON

    init(_ json: StrictJSON) { self.json = json }

    // MARK: What it is

    /// By a hub's own code, which says most, else by the LOINC code.
    var kind: DataKind? {
        let codings = Self.codings(json["code"])
        for coding in codings where coding.system.hasSuffix(Self.ownSystem) {
            if let kind = DataKind(name: coding.code), FHIRKind(kind) != nil { return kind }
        }
        return codings.lazy.compactMap { $0.system == FHIRCodes.loinc ? Self.kindsByLOINC[$0.code] : nil }.first
    }

    static let ownSystem = "/CodeSystem/observation"

    private static let kindsByLOINC: [String: DataKind] = {
        let more: [String: DataKind] = [
            "3141-9": .weight, "3137-7": .height, "8331-1": .bodyTemperature, "41950-7": .steps, "55284-4": .bloodPressure,
            "59408-5": .oxygenSaturation, "2708-6": .oxygenSaturation,
        ]
        return FHIRKind.all.reduce(into: more) { kinds, known in
            for code in known.loinc { kinds[code] = kinds[code] ?? known.kind }
        }
    }()

    /// The first code, for a list of those that are not known.
    var codeName: String {
        guard let coding = Self.codings(json["code"]).first else { return "Observation" }
        return coding.system == FHIRCodes.loinc ? "LOINC \(coding.code)" : "\(coding.system) \(coding.code)"
    }

    var isWithdrawn: Bool { json["status"]?.plainText == "entered-in-error" || json["status"]?.plainText == "cancelled" }
    var isElectrocardiogram: Bool { Self.codings(json["code"]).contains { $0.code == "11524-6" || $0.code == "131328" } }
    var isTest: Bool { json["meta"]?["tag"]?.items.contains { $0["code"]?.plainText == "HTEST" } == true }
    var subject: String? { json["subject"]?["reference"]?.plainText }
    var device: String? { json["device"]?["display"]?.plainText }

    /// An instant, or when its period begins. A date alone is none.
    var time: Milliseconds? {
        let text = json["effectiveDateTime"] ?? json["effectiveInstant"] ?? json["effectivePeriod"]?["start"]
        return text?.plainText.flatMap(ImportText.time)
    }

    private var end: Milliseconds? { json["effectivePeriod"]?["end"]?.plainText.flatMap(ImportText.time) }

    private static func codings(_ concept: StrictJSON?) -> [(system: String, code: String)] {
        (concept?["coding"]?.items ?? []).compactMap { coding in
            coding["code"]?.plainText.map { (coding["system"]?.plainText ?? "", $0) }
        }
    }

    private func components(_ code: String) -> [StrictJSON] {
        (json["component"]?.items ?? []).filter { component in Self.codings(component["code"]).contains { $0.code == code } }
    }

    // MARK: Scalars

    func scalar(_ kind: DataKind, at time: Milliseconds) throws(Fault) -> ScalarSample {
        let entry = kind.entry, isPanel = FHIRKind(kind)?.vitalSign?.isPanel == true
        let holder = isPanel ? entry.loinc.flatMap { components($0).first } ?? json : json
        let value = try Self.value(holder, kind.name, entry.codes, entry)
        var second: Int64?
        if let meaning = entry.second {
            let found = [meaning.loinc, meaning.name].compactMap(\.self).lazy.compactMap { components($0).first }.first
            if let found, found["dataAbsentReason"] == nil { second = try Self.value(found, meaning.name, meaning.codes, entry) }
        }
        guard let sample = ScalarSample(kind, time: time, value: value, end: entry.span == .none ? nil : end, second: second) else {
            throw .value
        }
        return sample
    }

    /// A Quantity in the kind's unit, or a code of the hub's own CodeSystem `name`.
    private static func value(_ holder: StrictJSON, _ name: String, _ codes: [String], _ entry: KindEntry) throws(Fault) -> Int64 {
        guard codes.isEmpty else {
            let own = codings(holder["valueCodeableConcept"]).first { $0.system.hasSuffix("/CodeSystem/\(name)") }
            guard let value = own.flatMap({ SampleWords.code($0.code, codes) }) else { throw try fault(holder) }
            return value
        }
        if let whole = holder["valueInteger"]?.double, entry.unit.hasPrefix("{") {
            return try exact(whole.rounded())
        }
        guard let quantity = holder["valueQuantity"], let number = quantity["value"]?.double else { throw try fault(holder) }
        guard let unit = unit(quantity, storedIn: entry.unit) else { throw .unit }
        guard let value = unit.value(number, entry) else { throw .value }
        return value
    }

    private static func fault(_ holder: StrictJSON) throws(Fault) -> Fault { holder["dataAbsentReason"] == nil ? .value : .absent }

    private static func exact(_ number: Double) throws(Fault) -> Int64 {
        guard let value = Int64(exactly: number) else { throw .value }
        return value
    }

    private static func unit(_ quantity: StrictJSON?, storedIn unit: String) -> ImportUnit? {
        [quantity?["code"], quantity?["unit"]].lazy.compactMap { $0?.plainText }.compactMap { ImportUnit($0, storedIn: unit) }.first
    }

    // MARK: Heart rates

    private static let rateCode = "8867-4", intervalCode = "147240"
    /// Values of one SampledData: ten minutes, ten a second.
    private static let valuesMax = 6000
    /// How the writer says that nothing was measured.
    private static let noContact = "The sensor had no skin contact"

    func heartRates(from time: Milliseconds) throws(Fault) -> [HeartRateSample] {
        if let sampled = components(Self.rateCode).lazy.compactMap({ $0["valueSampledData"] }).first {
            return try heartRates(of: sampled, from: time)
        }
        var sample: HeartRateSample
        if let quantity = json["valueQuantity"], let number = quantity["value"]?.double {
            guard let unit = Self.unit(quantity, storedIn: DataKind.heartRate.entry.unit) else { throw .unit }
            guard let rate = UInt16(exactly: (number * unit.factor).rounded()) else { throw .value }
            sample = HeartRateSample(time: time, beatsPerMinute: rate)
        } else {
            let reason = json["dataAbsentReason"]
            guard reason?["text"]?.plainText == Self.noContact, json["effectivePeriod"] == nil else {
                throw reason == nil ? .value : .absent
            }
            sample = HeartRateSample(time: time, beatsPerMinute: 0, contact: .notDetected)
        }
        for component in components(Self.intervalCode) {
            guard let tenths = component["valueQuantity"]?["value"]?.double.flatMap({ Int64(exactly: ($0 * 10).rounded()) }),
                let interval = SampleWords.interval(tenths: tenths)
            else { throw .value }
            sample.rrIntervals.append(interval)
        }
        return [sample]
    }

    private func heartRates(of sampled: StrictJSON, from time: Milliseconds) throws(Fault) -> [HeartRateSample] {
        guard let unit = Self.unit(sampled["origin"], storedIn: DataKind.heartRate.entry.unit) else { throw .unit }
        let (values, times) = try Self.values(sampled, from: time)
        var samples: [HeartRateSample] = []
        for (value, time) in zip(values, times) {
            guard let value else { continue }
            guard let rate = UInt16(exactly: (value * unit.factor).rounded()) else { throw .value }
            samples.append(HeartRateSample(time: time, beatsPerMinute: rate))
        }
        guard !samples.isEmpty, let intervals = components(Self.intervalCode).lazy.compactMap({ $0["valueSampledData"] }).first else {
            return samples
        }
        // Intervals follow each other by their own length; each goes to the sample that it lies before or in.
        var index = 0, sum = 0.0
        for case let interval? in try Self.values(intervals, from: time).values {
            guard let kept = Int64(exactly: (interval * 10).rounded()).flatMap(SampleWords.interval) else { throw .value }
            sum += interval
            while index + 1 < samples.count, Double(samples[index + 1].time &- time) <= sum { index += 1 }
            samples[index].rrIntervals.append(kept)
        }
        return samples
    }

    // MARK: Positions

    func positions(from time: Milliseconds) throws(Fault) -> [PositionSample] {
        var columns: [[Int32?]] = [], times: [Milliseconds] = []
        for part in FHIRPositionPart.all {
            let component = components(part.code).first
            if let sampled = component?["valueSampledData"] {
                let (values, found) = try Self.values(sampled, from: time)
                times = found.count > times.count ? found : times
                columns.append(try values.map { value throws(Fault) in try value.map { number throws(Fault) in try part.stored(number) } })
            } else if let number = component?["valueQuantity"]?["value"]?.double {
                times = times.isEmpty ? [time] : times
                columns.append([try part.stored(number)])
            } else {
                columns.append([])
            }
        }
        func value(_ column: Int, _ index: Int) -> Int32? { index < columns[column].count ? columns[column][index] : nil }
        return times.enumerated().compactMap { index, time in
            guard let latitude = value(0, index), let longitude = value(1, index) else { return nil }
            return PositionSample(
                time: time, latitude: latitude, longitude: longitude, altitude: value(2, index), speed: value(3, index),
                course: value(4, index), horizontalError: value(5, index), mode: .unknown, source: .network)
        }
    }

    // MARK: SampledData

    /// The values of a SampledData (R4, datatypes) of one dimension with their times. Nil is one that is not there.
    private static func values(
        _ sampled: StrictJSON, from time: Milliseconds
    ) throws(Fault) -> (values: [Double?], times: [Milliseconds]) {
        guard let period = sampled["period"]?.double, period > 0, sampled["dimensions"]?.double ?? 1 == 1,
            let data = sampled["data"]?.plainText
        else { throw .value }
        let origin = sampled["origin"]?["value"]?.double ?? 0, factor = sampled["factor"]?.double ?? 1
        var values: [Double?] = [], times: [Milliseconds] = []
        for word in data.split(separator: " ", maxSplits: valuesMax) {
            guard let offset = Int64(exactly: (Double(values.count) * period).rounded()), offset < 86_400_000 else { throw .value }
            let number = ["E", "U", "L"].contains(word) ? nil : ImportText.number(Array(word.utf8)[...])
            guard number != nil || word.utf8.count == 1 else { throw .value }
            values.append(number.map { $0 * factor + origin })
            times.append(time &+ offset)
        }
        return (values, times)
    }
}

extension FHIRPositionPart {
    fileprivate func stored(_ number: Double) throws(FHIRObservation.Fault) -> Int32 {
        let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
        guard let value = Int32(exactly: (number * scale).rounded()) else { throw .value }
        return value
    }
}
