/// One row of the table of kinds: all that somebody has to know who stores, sends, shows or writes samples of a kind that they have never
/// heard of. The rows are in KindTable.swift.
public struct KindEntry: Sendable, Hashable {
    /// Where samples stand in a ``SampleSet``.
    public enum Storage: Sendable, Hashable {
        /// In a column made for the kind.
        case own
        /// In ``SampleSet/scalars``.
        case scalar
        /// In the samples of another kind: whoever has those without this kind gets them without this part.
        case part(of: DataKind)
        /// In no ``SampleSet``: uploaded and kept as a whole, with limits of its own, such as ``ECGStrip/Limits``.
        case attachment
    }

    /// How long a sample lasts, in milliseconds from its time on.
    public enum Span: Sendable, Hashable {
        /// It is an instant.
        case none
        /// It may have an end.
        case optional(max: Milliseconds)
        /// It must have an end.
        case required(max: Milliseconds)
    }

    /// Where samples can come from. A sample's own source is its segment's ``Provenance``.
    public enum Source: Sendable, Hashable {
        /// A standard Bluetooth service by its 16-bit number.
        case bluetooth(UInt16)
        /// gpsd or an application for positions.
        case satellites
        /// The box or the hub works it out, or notices it.
        case derived
        case imported
        case manual
    }

    /// Uses of a kind beside storing it.
    public struct Uses: OptionSet, Sendable, Hashable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Others may ask the person for it.
        public static let asked = Uses(rawValue: 1)
        /// It stands in the person's exports.
        public static let exported = Uses(rawValue: 2)
        /// Pages show it.
        public static let shown = Uses(rawValue: 4)
        /// It can raise an alarm.
        public static let alarms = Uses(rawValue: 8)
    }

    /// The second value of a sample, of which ``KindEntry`` describes the first.
    public struct Second: Sendable, Hashable {
        /// As exports write it.
        public let name: String
        public let range: ClosedRange<Int64>
        public let loinc: String?
        /// Whether each sample must have it.
        public let isRequired: Bool
        /// Whether it is never above the first value.
        public let isLower: Bool
        /// Names of the values, where they are codes.
        public let codes: [String]

        public init(
            name: String, range: ClosedRange<Int64>, loinc: String? = nil, isRequired: Bool, isLower: Bool = false, codes: [String] = []
        ) {
            self.name = name
            self.range = range
            self.loinc = loinc
            self.isRequired = isRequired
            self.isLower = isLower
            self.codes = codes
        }
    }

    /// The elements that Garmin's TrackPointExtension v2 has for what is measured beside heart rate and position: what GPX can hold. The raw
    /// values are their names, in the order of the schema.
    public enum TrackPointElement: String, Sendable, Hashable, CaseIterable {
        /// Of the air: a body's temperature has no element. Degrees Celsius.
        case airTemperature = "atemp"
        /// Degrees Celsius.
        case waterTemperature = "wtemp"
        /// Metres under water.
        case depth
        /// Revolutions or steps a minute, whole, 254 at most.
        case cadence = "cad"
        /// Metres a second; a position's own goes first.
        case speed
    }

    /// As the API, exports and texts (`kind.NAME`, in each language) write it. It never changes.
    public let name: String
    public let storage: Storage
    /// UCUM, empty for codes.
    public let unit: String
    /// Values are whole numbers of 10^-`decimals` units: the resolution.
    public let decimals: Int
    /// LOINC code; nil where LOINC has none that means just this.
    public let loinc: String?
    /// Values that are taken, in the resolution. What lies outside is left out by boxes and refused by the hub.
    public let range: ClosedRange<Int64>
    /// Names of the values from 0 on, where they are codes.
    public let codes: [String]
    public let second: Second?
    public let span: Span
    public let sources: Set<Source>
    public let uses: Uses
    /// Whether it tells of movement, exercise or sleep: what HL7's category `activity` means.
    public let isActivity: Bool
    /// The GPX element that carries it, in ``unit``; nil where GPX has no exact equivalent.
    public let trackPoint: TrackPointElement?
    /// The subject by which forms show it.
    public let subject: Subject
    /// How it is rolled up; nil for what stays as it is, such as events, or is kept whole.
    public let rollUp: RollUp?
    /// Into what values of people are grouped; nil for what is not rolled up.
    public let classes: Classes?
    /// The most samples in any ``SampleDensity/window``.
    public let densityMax: Int

    init(
        _ name: String, _ storage: Storage = .scalar, unit: String, decimals: Int = 0, loinc: String? = nil, range: ClosedRange<Int64>,
        codes: [String] = [], second: Second? = nil, span: Span = .none, sources: Set<Source>, uses: Uses,
        subject: Subject, rollUp: RollUp?, classes: Classes? = nil, isActivity: Bool = false, trackPoint: TrackPointElement? = nil,
        densityMax: Int = SampleDensity.scalarsMax
    ) {
        self.name = name
        self.storage = storage
        self.unit = unit
        self.decimals = decimals
        self.loinc = loinc
        self.range = range
        self.codes = codes
        self.second = second
        self.span = span
        self.sources = sources
        self.uses = uses
        self.subject = subject
        self.rollUp = rollUp
        self.classes = classes
        self.isActivity = isActivity
        self.trackPoint = trackPoint
        self.densityMax = densityMax
    }

    /// A value in ``unit`` with a decimal point, or the name of its code: `36.70`, `deep`.
    public func text(of value: Int64) -> String {
        guard codes.isEmpty else { return Int(exactly: value).flatMap { codes.indices.contains($0) ? codes[$0] : nil } ?? "\(value)" }
        return value.text(places: decimals)
    }
}

extension Int64 {
    /// With its last `places` digits behind a point, exactly.
    public func text(places: Int) -> String {
        guard places > 0 else { return "\(self)" }
        let digits = "\(magnitude)", padded = String(repeating: "0", count: Swift.max(0, places + 1 - digits.count)) + digits
        return (self < 0 ? "-" : "") + padded.dropLast(places) + "." + padded.suffix(places)
    }
}
