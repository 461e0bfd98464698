public import Vitals

/// A Bundle (FHIR R4) of Observations, and of whole resources put before them: a collection for an export, the answer to a search, or what came
/// in the order of its arrival.
///
///     var writer = FHIRBundleWriter(.collection, base: "https://hub.example/fhir", patient: pseudonym, detail: .minutes, created: now)
///     writer.begin(&buffer)
///     writer.add(FHIRPatient(pseudonym), to: &buffer)
///     try writer.append(samples, from: .live, to: &buffer)
///     writer.end(&buffer)
public struct FHIRBundleWriter: SampleWriter {
    public static let mediaType = "application/fhir+json; fhirVersion=4.0"
    public static let fileExtension = "fhir.json"
    public static let passes: [[DataKind]] = [FHIRKind.all.map(\.kind)]

    /// The type of the Bundle.
    public enum Kind: Sendable, Hashable {
        case collection
        /// `total`: how many match on all pages, where that is known. `selfLink`: the search as the hub understood it. `next`: the next page.
        case searchset(total: Int?, selfLink: String, next: String?)
        /// In the order of arrival, where an Observation may stand twice (bdl-7). `next`: what is left already, nil for nothing; `monitor`
        /// (RFC 5989): what will have come later.
        case history(selfLink: String, next: String?, monitor: String)

        fileprivate var code: StaticString {
            switch self {
            case .collection: "collection"
            case .searchset: "searchset"
            case .history: "history"
            }
        }

        fileprivate var links: [(relation: StaticString, url: String)] {
            switch self {
            case .collection: []
            case .searchset(_, let own, let next?): [("self", own), ("next", next)]
            case .searchset(_, let own, nil): [("self", own)]
            case .history(let own, let next?, let monitor): [("self", own), ("next", next), ("monitor", monitor)]
            case .history(let own, nil, let monitor): [("self", own), ("monitor", monitor)]
            }
        }

        fileprivate var place: FHIRFrame.Place {
            switch self {
            case .collection: .collection
            case .searchset: .search
            case .history: .history(received: 0)
            }
        }
    }

    private let kind: Kind
    private let base: String
    private let created: Milliseconds
    private var observations: FHIRObservations

    /// - Parameters:
    ///   - base: the address of the FHIR interface, without a slash at its end.
    ///   - patient: whom the Observations are about: a pseudonym.
    ///   - created: when the Bundle is made, UTC.
    public init(_ kind: Kind, base: String, patient: FHIRID, detail: FHIRDetail, created: Milliseconds) {
        (self.kind, self.base, self.created) = (kind, base, created)
        observations = FHIRObservations(base: base, patient: patient, detail: detail, frame: FHIRFrame(place: kind.place))
    }

    /// A Bundle of whole resources alone.
    public init(_ kind: Kind, base: String, created: Milliseconds) {
        self.init(kind, base: base, patient: FHIRID(PersonID(high: 0, low: 0)), detail: .samples, created: created)
    }

    public mutating func begin(_ buffer: inout [UInt8]) {
        var utc = UTCText()
        buffer.append("{\"resourceType\":\"Bundle\",\"type\":")
        buffer.append(quoted: kind.code)
        buffer.append(",\"timestamp\":\"")
        utc.append(created, to: &buffer)
        buffer.append(UInt8(ascii: "\""))
        if case .searchset(let total?, _, _) = kind {
            buffer.append(",\"total\":")
            buffer.append(number: total)
        }
        for (index, link) in kind.links.enumerated() {
            buffer.append(index == 0 ? ",\"link\":[{\"relation\":" : "},{\"relation\":")
            buffer.append(quoted: link.relation)
            buffer.append(",\"url\":")
            buffer.append(json: link.url)
        }
        if !kind.links.isEmpty { buffer.append("}]") }
    }

    /// Puts a whole resource into the Bundle.
    public mutating func add(_ resource: some FHIRResource, to buffer: inout [UInt8]) {
        observations.frame.open(&buffer) { buffer in
            var address: [UInt8] = []
            address.append(json: "\(base)/\(type(of: resource).resourceType)/\(resource.id)")
            buffer.append(contentsOf: address.dropFirst().dropLast())
        }
        buffer.append(contentsOf: resource.json(base: base))
        observations.frame.close(&buffer)
    }

    public mutating func append(_ samples: SampleSet, from provenance: Provenance, to buffer: inout [UInt8]) {
        observations.append(samples, from: provenance, to: &buffer)
    }

    /// Observations that came together: the same Observation twice in it counts as two.
    /// - Parameter received: when, UTC.
    public mutating func append(
        _ samples: SampleSet, from provenance: Provenance, received: Milliseconds, to buffer: inout [UInt8]
    ) {
        observations.begin(.history(received: received))
        observations.append(samples, from: provenance, to: &buffer)
    }

    /// Puts into a history, in place of what is not in it, what is to be read again.
    /// - Parameter url: relative to the base.
    public mutating func add(_ outcome: FHIROutcome, readAgain url: String, to buffer: inout [UInt8]) {
        observations.frame.openHint(&buffer)
        buffer.append("\"request\":{\"method\":\"GET\",\"url\":")
        buffer.append(json: url)
        buffer.append("},\"response\":{\"status\":\"410\",\"outcome\":")
        buffer.append(contentsOf: outcome.json)
        buffer.append("}}")
    }

    public mutating func end(_ buffer: inout [UInt8]) {
        observations.end(&buffer)
        // FHIR's JSON knows no empty list (R4, json, 2.6.2): without an entry there is no `entry`.
        buffer.append(observations.frame.isFirst ? "}\n" : "]}\n")
    }
}
