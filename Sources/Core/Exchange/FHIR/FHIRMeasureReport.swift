public import Vitals

/// A MeasureReport (FHIR R4, type summary): what a group's values of one kind were in one period. It has no subject.
///
/// Figures carry the interval that holds the truth 95 times in 100 as an extension with a Range. Where nothing was released the group's figures are
/// absent, with the reason `masked`, whatever kept them back.
public struct FHIRMeasureReport: FHIRResource {
    public static let resourceType = "MeasureReport"

    /// A figure with its interval.
    public struct Figure: Sendable, Hashable {
        public let value: Double, low: Double, high: Double

        public init(value: Double, low: Double, high: Double) { (self.value, self.low, self.high) = (value, low, high) }
    }

    /// People in one class of values.
    public struct Class: Sendable, Hashable {
        /// Where it begins, in the unit.
        public let name: String
        public let count: Figure

        public init(name: String, count: Figure) { (self.name, self.count) = (name, count) }
    }

    public let id: FHIRID
    /// The name of the kind: the measure is `[base]/Measure/group-NAME`.
    public var measure: String
    /// When it was delivered, and what it is about, UTC.
    public var date: Milliseconds
    public var from: Milliseconds, to: Milliseconds
    /// The name of the organisation that asked.
    public var reporter: String
    /// UCUM.
    public var unit: String
    /// nil for a refusal.
    public var count: Figure?
    /// nil for a refusal, and for kinds without a mean.
    public var mean: Figure?
    public var classes: [Class]

    public init(
        id: FHIRID, measure: String, date: Milliseconds, from: Milliseconds, to: Milliseconds, reporter: String, unit: String,
        count: Figure?,
        mean: Figure?, classes: [Class]
    ) {
        (self.id, self.measure, self.date, self.from, self.to) = (id, measure, date, from, to)
        (self.reporter, self.unit, self.count, self.mean, self.classes) = (reporter, unit, count, mean, classes)
    }

    private static let population: StaticString = """
        {"code":{"coding":[{"system":"http://terminology.hl7.org/CodeSystem/measure-population","code":"initial-population",\
        "display":"Initial Population"}]}
        """
    private static let masked: StaticString = """
        {"extension":[{"url":"http://hl7.org/fhir/StructureDefinition/data-absent-reason","valueCode":"masked"}]}
        """

    public func json(base: String) -> [UInt8] {
        var json: [UInt8] = [], utc = UTCText()
        json.append("{\"resourceType\":\"MeasureReport\",\"id\":")
        json.append(json: id.description)
        json.append(",\"status\":\"complete\",\"type\":\"summary\",\"measure\":")
        json.append(json: "\(base)/Measure/group-\(measure)")
        json.append(",\"date\":\"")
        utc.append(date, to: &json)
        json.append("\",\"reporter\":{\"type\":\"Organization\",\"display\":")
        json.append(json: reporter.isEmpty ? "–" : reporter)
        json.append("},\"period\":{\"start\":\"")
        utc.append(from, to: &json)
        json.append("\",\"end\":\"")
        utc.append(to, to: &json)
        json.append("\"},\"group\":[")
        if let count { group(count, base, &json) } else { json.append(Self.masked) }
        json.append("]}")
        return json
    }

    private func group(_ count: Figure, _ base: String, _ json: inout [UInt8]) {
        json.append("{\"population\":[")
        population(count, base, &json)
        json.append("]")
        if let mean {
            json.append(",\"measureScore\":{")
            interval(mean, base, &json)
            json.append(",\"value\":")
            number(mean.value, &json)
            json.append(",\"unit\":")
            json.append(json: unit)
            json.append(",\"system\":\"http://unitsofmeasure.org\",\"code\":")
            json.append(json: unit)
            json.append("}")
        }
        if !classes.isEmpty {
            json.append(",\"stratifier\":[{\"code\":[{\"text\":\"from\"}],\"stratum\":[")
            for (index, one) in classes.enumerated() {
                json.append(index == 0 ? "{\"value\":{\"text\":" : ",{\"value\":{\"text\":")
                json.append(json: one.name)
                json.append("},\"population\":[")
                population(one.count, base, &json)
                json.append("]}")
            }
            json.append("]}]")
        }
        json.append("}")
    }

    private func population(_ count: Figure, _ base: String, _ json: inout [UInt8]) {
        json.append(Self.population)
        json.append(",\"count\":")
        json.append(number: Int64(count.value.rounded()))
        json.append(",")
        interval(count, base, &json)
        json.append("}")
    }

    private func interval(_ figure: Figure, _ base: String, _ json: inout [UInt8]) {
        json.append("\"extension\":[{\"url\":")
        json.append(json: "\(base)/StructureDefinition/interval")
        json.append(",\"valueRange\":{\"low\":{\"value\":")
        number(figure.low, &json)
        json.append("},\"high\":{\"value\":")
        number(figure.high, &json)
        json.append("}}}]")
    }

    /// To a ten-thousandth: the noise is far above that.
    private func number(_ value: Double, _ json: inout [UInt8]) {
        json.append(fixed: Int64((min(max(value, -1e12), 1e12) * 10_000).rounded()), places: 4)
    }
}
