public import Vitals

/// A Bundle (FHIR R4) of Observations, and of whole resources put before them: a collection for an export, or the answer to a search.
///
///     var writer = FHIRBundleWriter(.collection, base: "https://hub.example/fhir", patient: pseudonym, detail: .minutes, created: now)
///     writer.begin(&buffer)
///     writer.add(FHIRPatient(pseudonym), to: &buffer)
///     try writer.append(samples, from: .live, to: &buffer)
///     writer.end(&buffer)
public struct FHIRBundleWriter: SampleWriter {
    public static let mediaType = "application/fhir+json; fhirVersion=4.0"
    public static let fileExtension = "fhir.json"
    public static let passes: [[DataKind]] = [[.heartRate, .position]]

    /// What the Bundle is.
    public enum Kind: Sendable, Hashable {
        case collection
        /// `total`: how many match on all pages, where that is known. `selfLink`: the search as the hub understood it. `next`: the next page.
        case searchset(total: Int?, selfLink: String, next: String?)
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
        let frame = FHIRFrame(place: kind == .collection ? .collection : .search)
        observations = FHIRObservations(base: base, patient: patient, detail: detail, frame: frame)
    }

    public mutating func begin(_ buffer: inout [UInt8]) {
        var utc = UTCText()
        buffer.append("{\"resourceType\":\"Bundle\",\"type\":")
        buffer.append(quoted: kind == .collection ? "collection" : "searchset")
        buffer.append(",\"timestamp\":\"")
        utc.append(created, to: &buffer)
        buffer.append(UInt8(ascii: "\""))
        if case .searchset(let total, let own, let next) = kind {
            if let total {
                buffer.append(",\"total\":")
                buffer.append(number: total)
            }
            buffer.append(",\"link\":[{\"relation\":\"self\",\"url\":")
            buffer.append(json: own)
            if let next {
                buffer.append("},{\"relation\":\"next\",\"url\":")
                buffer.append(json: next)
            }
            buffer.append("}]")
        }
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

    public mutating func end(_ buffer: inout [UInt8]) {
        observations.end(&buffer)
        // FHIR's JSON knows no empty list (R4, json, 2.6.2): without an entry there is no `entry`.
        buffer.append(observations.frame.isFirst ? "}\n" : "]}\n")
    }
}

/// What stands around a resource.
struct FHIRFrame: Sendable {
    enum Place: Sendable {
        case collection, search
        /// Nothing around it, and no other but this one.
        case only(time: Milliseconds, ordinal: Int)
    }

    let place: Place
    private(set) var isFirst = true

    init(place: Place) { self.place = place }

    func wants(time: Milliseconds, ordinal: Int) -> Bool {
        guard case .only(let wantedTime, let wantedOrdinal) = place else { return true }
        return time == wantedTime && ordinal == wantedOrdinal
    }

    /// Begins an entry whose address `address` appends.
    mutating func open(_ buffer: inout [UInt8], address: (inout [UInt8]) -> Void) {
        if case .only = place { return }
        buffer.append(isFirst ? ",\"entry\":[\n{\"fullUrl\":\"" : ",\n{\"fullUrl\":\"")
        isFirst = false
        address(&buffer)
        buffer.append("\",\"resource\":")
    }

    func close(_ buffer: inout [UInt8]) {
        switch place {
        case .collection: buffer.append(UInt8(ascii: "}"))
        case .search: buffer.append(",\"search\":{\"mode\":\"match\"}}")
        case .only: return
        }
    }
}
