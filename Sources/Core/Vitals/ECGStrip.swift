/// An electrocardiogram of seconds to minutes, as a device recorded it: an attachment that a person uploads, no series (DATA-1).
public struct ECGStrip: Sendable, Hashable {
    /// The curve of one electrode, or of a pair.
    public struct Lead: Sendable, Hashable {
        public let name: ECGLeadName
        /// Microvolts, rounded to whole ones; nil where the device has no value.
        public let values: [Int32?]

        public init(name: ECGLeadName, values: [Int32?]) { (self.name, self.values) = (name, values) }
    }

    /// Limits of a strip, and of the file that holds it.
    public enum Limits {
        /// Bytes of a file.
        public static let fileBytesMax = 4_000_000
        /// Strips of a file.
        public static let stripsMax = 20
        /// Values a second of each lead, times 1000: 50 to 2000 Hz.
        public static let millihertz = 50_000...2_000_000
        /// Milliseconds from the first value to behind the last one: 1 s to 5 minutes.
        public static let duration: ClosedRange<Milliseconds> = 1000...300_000
        /// Twelve standard leads, and three more.
        public static let leadsMax = 15
        /// Values of all leads together.
        public static let valuesMax = 300_000
        /// A value's distance from zero: 100 mV, more than any amplifier of a wearable gives.
        public static let microvoltsMax: Int32 = 100_000
        /// Characters of ``source`` and ``said``.
        public static let textMax = 100
    }

    /// When the first value was taken, UTC.
    public let time: Milliseconds
    /// Values a second of each lead, times 1000.
    public let millihertz: Int
    /// All of the same length.
    public let leads: [Lead]
    /// The device, in the words of the file; nil where it names none.
    public let source: String?
    /// The device's own classification, in its words. It is no diagnosis, and nothing acts on it.
    public let said: String?

    /// A reason why values are no strip.
    public enum Fault: Error, Sendable, Hashable {
        case noLeads
        case tooManyLeads(Int)
        /// In thousandths of a hertz.
        case rate(Int)
        /// Milliseconds.
        case tooShort(Milliseconds)
        /// Milliseconds.
        case tooLong(Milliseconds)
        case tooManyValues(Int)
        /// The lead with this index is not as long as the first one.
        case lengthsDiffer(lead: Int)
        /// A value of the lead with this index, counted from 0.
        case outOfRange(lead: Int, value: Int)
        /// The lead with this index has no value at all.
        case empty(lead: Int)
        case time
    }

    /// Texts are cut to ``Limits/textMax`` characters, and lose control characters.
    /// - Throws: the first ``Fault``.
    public init(
        time: Milliseconds, millihertz: Int, leads: [Lead], source: String? = nil, said: String? = nil
    ) throws(Fault) {
        (self.time, self.millihertz, self.leads) = (time, millihertz, leads)
        (self.source, self.said) = (Self.clean(source), Self.clean(said))
        try check()
    }

    private func check() throws(Fault) {
        guard time >= SampleLimits.earliest else { throw .time }
        guard let first = leads.first else { throw .noLeads }
        guard leads.count <= Limits.leadsMax else { throw .tooManyLeads(leads.count) }
        guard Limits.millihertz.contains(millihertz) else { throw .rate(millihertz) }
        guard let index = leads.firstIndex(where: { $0.values.count != first.values.count }) else { return try checkValues(first) }
        throw .lengthsDiffer(lead: index)
    }

    private func checkValues(_ first: Lead) throws(Fault) {
        // Long before a product could overflow.
        guard first.values.count <= Limits.valuesMax else { throw .tooManyValues(first.values.count) }
        guard duration >= Limits.duration.lowerBound else { throw .tooShort(duration) }
        guard duration <= Limits.duration.upperBound else { throw .tooLong(duration) }
        let count = first.values.count * leads.count
        guard count <= Limits.valuesMax else { throw .tooManyValues(count) }
        let range = -Limits.microvoltsMax...Limits.microvoltsMax
        for (index, lead) in leads.enumerated() {
            if let wrong = lead.values.firstIndex(where: { $0.map { !range.contains($0) } ?? false }) {
                throw .outOfRange(lead: index, value: wrong)
            }
            guard lead.values.contains(where: { $0 != nil }) else { throw .empty(lead: index) }
        }
    }

    private static func clean(_ text: String?) -> String? {
        guard let text else { return nil }
        let plain = String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.properties.generalCategory != .control }))
        let words = plain.split(separator: " ").joined(separator: " ").prefix(Limits.textMax)
        return words.isEmpty ? nil : String(words)
    }

    /// Values of each lead.
    public var count: Int { leads.first?.values.count ?? 0 }

    /// Milliseconds from the first value to behind the last one, rounded.
    public var duration: Milliseconds { Self.duration(count: count, millihertz: millihertz) }

    /// The same of so many values.
    public static func duration(count: Int, millihertz: Int) -> Milliseconds {
        millihertz > 0 ? (Milliseconds(count) * 2_000_000 + Milliseconds(millihertz)) / (2 * Milliseconds(millihertz)) : 0
    }
}

/// The name of a lead: a standard one as cardiologists write it, or a device's own.
public struct ECGLeadName: Sendable, Hashable, CustomStringConvertible {
    /// At most ``charactersMax`` characters; empty where the file names none.
    public let description: String

    /// Characters of a name.
    public static let charactersMax = 16

    /// Takes `Lead II`, `ECG V1`, `avr`, `MLII`: a standard name is found whatever its case, every other one stays as it is.
    public init(_ text: String) {
        var words = text.split { !$0.isLetter && !$0.isNumber }[...]
        while let first = words.first, words.count > 1, Self.prefixes.contains(first.lowercased()) { words.removeFirst() }
        let name = words.joined(separator: " ")
        if let standard = Self.byLowercase[name.lowercased()] {
            description = standard
        } else {
            description = Self.prefixes.contains(name.lowercased()) ? "" : String(name.prefix(Self.charactersMax))
        }
    }

    private static let prefixes: Set<String> = ["lead", "ecg", "ekg", "derivazione", "ableitung"]

    /// The number of a standard lead in ISO/IEEE 11073-10101 (MDC_ECG_LEAD_I = 1 …); nil for every other.
    public var number: Int? { Self.numbers[description] }

    /// The standard lead with such a ``number``.
    public init?(number: Int) {
        guard let name = Self.numbers.first(where: { $0.value == number })?.key else { return nil }
        description = name
    }

    private static let numbers = [
        "I": 1, "II": 2, "V1": 3, "V2": 4, "V3": 5, "V4": 6, "V5": 7, "V6": 8, "III": 61, "aVR": 62, "aVL": 63, "aVF": 64,
    ]
    private static let byLowercase = Dictionary(uniqueKeysWithValues: numbers.keys.map { ($0.lowercased(), $0) })
}
