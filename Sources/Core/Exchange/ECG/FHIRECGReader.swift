internal import Vitals

/// FHIR R4 Observations with SampledData in volts: one resource, or a Bundle of them. Each Observation is a strip, each of its components a lead.
struct FHIRECGReader {
    private var file = ECGFile(.fhir)

    static func read(_ bytes: [UInt8]) throws(ECGProblem) -> ECGFile {
        var reader = FHIRECGReader(), brokenAt = 0
        guard let json = StrictJSON(bytes, brokenAt: &brokenAt) else { throw ECGProblem(.notJSON, at: .byte(brokenAt)) }
        switch json["resourceType"] {
        case .text("Observation"): try reader.take(json, at: "")
        case .text("Bundle"):
            for (index, entry) in json.list("entry").enumerated() {
                guard let resource = entry["resource"], resource["resourceType"] == .text("Observation"), Self.isSampled(resource) else {
                    reader.file.leaveOut(.resources)
                    continue
                }
                do { try reader.take(resource, at: "entry[\(index)].resource.") } catch { reader.file.problems.append(error) }
            }
        default: throw ECGProblem(.notObservation, at: .element("resourceType"))
        }
        return reader.file
    }

    private static func isSampled(_ resource: StrictJSON) -> Bool { data(resource, "").contains { unit($0.sampled) != nil } }

    /// Each SampledData with whose it is, and where it stands.
    private static func data(_ resource: StrictJSON, _ path: String) -> [(sampled: StrictJSON, code: StrictJSON?, path: String)] {
        let own = resource["valueSampledData"].map { [($0, resource["code"], "\(path)valueSampledData")] } ?? []
        return own
            + resource.list("component").enumerated().compactMap { index, component in
                component["valueSampledData"].map { ($0, component["code"], "\(path)component[\(index)].valueSampledData") }
            }
    }

    /// In microvolts; nil where it is no voltage.
    private static func unit(_ sampled: StrictJSON) -> Double? {
        let origin = sampled["origin"]
        return [origin?["code"], origin?["unit"]].compactMap { $0?.string }.lazy.compactMap { ECGNumber.microvolts(unit: $0) }.first
    }

    private mutating func take(_ resource: StrictJSON, at path: String) throws(ECGProblem) {
        let all = Self.data(resource, path), chosen = all.filter { Self.unit($0.sampled) != nil }
        guard let first = all.first else { throw ECGProblem(.noSampledData, at: .element("\(path)component")) }
        guard !chosen.isEmpty else { throw ECGProblem(.unit, at: .element("\(first.path).origin.code")) }
        let time = try Self.time(resource, path)
        var leads: [ECGStrip.Lead] = [], rate: Int?
        for part in chosen {
            let (lead, millihertz) = try self.lead(part)
            guard rate ?? millihertz == millihertz else { throw ECGProblem(.ratesDiffer, at: .element("\(part.path).period")) }
            rate = millihertz
            leads.append(lead)
        }
        do {
            let strip = try ECGStrip(
                time: time, millihertz: rate ?? 0, leads: leads, source: resource["device"]?["display"]?.string,
                said: Self.words(resource.list("interpretation").first))
            // Counted when the strip is taken: what is refused is told as such.
            file.leaveOut(.resources, all.count - chosen.count)
            file.leaveOut(.gaps, leads.reduce(0) { $0 + $1.values.count { $0 == nil } })
            file.strips.append(strip)
        } catch {
            throw ECGProblem(error) { lead, value in .element("\(chosen[lead].path).data, value \(value + 1)") }
        }
    }

    private static func time(_ resource: StrictJSON, _ path: String) throws(ECGProblem) -> Milliseconds {
        let found = [
            ("effectiveDateTime", resource["effectiveDateTime"]), ("effectiveInstant", resource["effectiveInstant"]),
            ("effectivePeriod.start", resource["effectivePeriod"]?["start"]),
        ].first { $1 != nil }
        guard let (name, value) = found, let text = value?.string else {
            throw ECGProblem(.missing, at: .element(path + "effectiveDateTime"), "effectiveDateTime")
        }
        // R4 asks for the zone where there is a time of day.
        guard text.contains("T"), text.last == "Z" || text.suffix(6).contains(where: { "+-".contains($0) }),
            let time = TimeText.milliseconds(text)
        else { throw ECGProblem(.time, at: .element(path + name)) }
        return time
    }

    private func lead(_ part: (sampled: StrictJSON, code: StrictJSON?, path: String)) throws(ECGProblem) -> (ECGStrip.Lead, Int) {
        let sampled = part.sampled
        func missing(_ name: String) -> ECGProblem { ECGProblem(.missing, at: .element("\(part.path).\(name)"), name) }
        guard let unit = Self.unit(sampled), let origin = sampled["origin"]?["value"]?.number else { throw missing("origin.value") }
        guard let period = sampled["period"]?.number else { throw missing("period") }
        guard sampled["dimensions"]?.number == 1 else { throw ECGProblem(.dimensions, at: .element("\(part.path).dimensions")) }
        guard period > 0, let millihertz = ECGNumber.millihertz(1000 / period) else {
            throw ECGProblem(.rate, at: .element("\(part.path).period"))
        }
        guard let data = sampled["data"]?.string else { throw missing("data") }
        let factor = sampled["factor"]?.number ?? 1
        var values: [Int32?] = []
        for word in data.split(whereSeparator: \.isWhitespace) {
            guard values.count <= ECGStrip.Limits.valuesMax else { throw ECGProblem(.tooManyValues, "\(values.count)") }
            if ["E", "U", "L"].contains(word) {
                values.append(nil)
            } else if let number = word.contains(",") ? nil : ECGNumber.read(word), case let value = (number * factor + origin) * unit,
                value.isFinite
            {
                values.append(ECGNumber.value(value))
            } else {
                throw ECGProblem(.number, at: .element("\(part.path).data, value \(values.count + 1)"))
            }
        }
        return (ECGStrip.Lead(name: Self.name(part.code), values: values), millihertz)
    }

    /// By the code of ISO/IEEE 11073-10101, else by what the code is called.
    private static func name(_ code: StrictJSON?) -> ECGLeadName {
        for coding in code?.list("coding") ?? [] {
            if let number = coding["code"]?.string.flatMap({ Int($0) }), let name = ECGLeadName(number: number &- FHIRECG.potential) {
                return name
            }
        }
        for text in [code?["text"]?.string] + (code?.list("coding").map { $0["display"]?.string } ?? []) {
            guard let text else { continue }
            let name = ECGLeadName(text.split(separator: "_").last.map(String.init) ?? text)
            if name.number != nil { return name }
        }
        return ECGLeadName(code?["text"]?.string ?? "")
    }

    private static func words(_ concept: StrictJSON?) -> String? {
        concept?["text"]?.string ?? concept?.list("coding").first?["display"]?.string
    }
}

extension StrictJSON {
    /// As `init(_:)`; nil where that throws, with the byte at which it stopped.
    fileprivate init?(_ bytes: [UInt8], brokenAt: inout Int) {
        do { self = try StrictJSON.value(bytes, &brokenAt) } catch { return nil }
    }

    fileprivate func list(_ name: String) -> [StrictJSON] {
        if case .array(let items)? = self[name] { items } else { [] }
    }

    fileprivate var string: String? {
        if case .text(let text) = self { text } else { nil }
    }

    fileprivate var number: Double? {
        if case .number(let number) = self { number } else { nil }
    }
}
