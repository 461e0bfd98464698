public import Vitals

/// A logical id of a FHIR resource: 1 to 36 of `A-Z a-z 0-9 - .`. R4 (datatypes, id) allows 64: the rest is for ids that are made of this
/// one (``FHIRObservationID``).
public struct FHIRID: Hashable, Sendable, CustomStringConvertible {
    public let description: String

    /// Nil for text that no id may be.
    /// - Parameter lengthMax: 64 for an id of which no other is made.
    public init?(_ text: String, lengthMax: Int = 36) {
        let allowed = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        guard allowed, (1...lengthMax).contains(text.utf8.count) else { return nil }
        description = text
    }

    /// 32 hexadecimal digits.
    public init(_ identifier: some Identifier128) { description = identifier.description }
}

/// The id of an Observation. It says which samples it was made of, so that one that was found can be read again without a table of ids:
/// `hr-PATIENT-TIME`, `pos-PATIENT-TIME`, with an `m` behind the kind for a minute; `s16-PATIENT-TIME` of a scalar with the kind's number;
/// and `.1`, `.2` … behind the time where there is more than one at that time.
public struct FHIRObservationID: Hashable, Sendable, CustomStringConvertible, LosslessStringConvertible {
    /// One of ``FHIRKind/all``.
    public let kind: DataKind
    public let detail: FHIRDetail
    public let patient: FHIRID
    /// When the sample was taken, or when the minute begins: UTC, not before 1970.
    public let time: Milliseconds
    /// 0 for the first at that time.
    public let ordinal: Int

    init(kind: DataKind, detail: FHIRDetail, patient: FHIRID, time: Milliseconds, ordinal: Int) {
        (self.kind, self.detail, self.patient, self.time, self.ordinal) = (kind, detail, patient, max(time, 0), ordinal)
    }

    /// Reads an id of this hub; nil for any other text.
    public init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 3, let prefix = Self.prefixes[String(parts[0])], let last = parts.last,
            let patient = FHIRID(parts[1..<(parts.count - 1)].joined(separator: "-"))
        else { return nil }
        let numbers = last.split(separator: ".", omittingEmptySubsequences: false)
        guard numbers.count <= 2, let time = Milliseconds(numbers[0]), (0...UTCText.range.upperBound).contains(time),
            let ordinal = numbers.count == 2 ? Int(numbers[1]) : 0
        else { return nil }
        self.init(kind: prefix.kind, detail: prefix.detail, patient: patient, time: time, ordinal: ordinal)
        guard description == text else { return nil }
    }

    public var description: String {
        "\(Self.prefix(kind, detail))-\(patient)-\(time)" + (ordinal > 0 ? ".\(ordinal)" : "")
    }

    /// The span to read, both ends included, to make the Observation again with ``FHIRObservations/one(_:of:base:)``.
    public var span: ClosedRange<Milliseconds> {
        time...(detail == .samples ? time : time + 59_999)
    }

    private static let prefixes: [String: (kind: DataKind, detail: FHIRDetail)] = Dictionary(
        FHIRKind.all.map(\.kind).flatMap { kind in
            (kind.isScalar ? [FHIRDetail.samples] : [.samples, .minutes]).map { (prefix(kind, $0), (kind, $0)) }
        }, uniquingKeysWith: { first, _ in first })

    static func prefix(_ kind: DataKind, _ detail: FHIRDetail) -> String {
        switch kind {
        case .heartRate: detail == .samples ? "hr" : "hrm"
        case .position: detail == .samples ? "pos" : "posm"
        default: "s\(kind.rawValue)"
        }
    }
}

/// How much is put into one Observation.
public enum FHIRDetail: Sendable, Hashable {
    /// One Observation for each sample: what a search returns.
    case samples
    /// One for each minute of heart rates and of positions, with its samples on a grid of seconds: what an export of a long time has. It takes a twentieth of
    /// the bytes; the times are right to one second, and of several samples in one second the last is kept.
    /// Scalars are few: each is an Observation here, too.
    case minutes
}
