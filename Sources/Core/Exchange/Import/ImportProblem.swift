/// A missing part of an imported file, and its place. Texts that say what to do stand in the file of each language, under the names
/// of the codes. It holds nothing of what the file says of anybody.
public struct ImportProblem: Error, Sendable, Hashable {
    /// Where it was found first.
    public enum Place: Sendable, Hashable {
        case file
        /// Counted from 1.
        case line(Int)
        /// An item of a JSON list, counted from 0: `entry[12]`.
        case item(list: String, Int)
    }

    /// The kind of problem. `detail` says more where it is named here.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        // The file is not what it should be.
        case empty, unknownFormat
        /// The end is missing.
        case cut
        /// XML that is not well-formed; reading goes on behind it.
        case markup
        /// JSON that is none; reading goes on behind it.
        case notJSON
        /// A tag, a line or an item that is too long, and left out. Detail: the bytes that are taken.
        case tooLong
        /// CSV: a line with more or fewer fields than the header.
        case fields

        // Single samples are missing.
        /// Detail: the name of what is missing.
        case missing
        /// No time, one without its zone, before 2000, or more than a day ahead. Detail: the kind, where it is known.
        case time
        /// A unit that does not fit. Detail: the kind.
        case unit
        /// No number, or no code that is known. Detail: the kind.
        case value
        /// Outside of what the table of kinds takes: the value, its second value, or its span. Detail: the kind.
        case outOfRange
        /// It is about somebody else than the file's first sample.
        case otherPerson
    }

    public let code: Code
    public let place: Place
    public let detail: String?
    /// How often it was found.
    public internal(set) var count = 1

    init(_ code: Code, at place: Place = .file, _ detail: String? = nil) { (self.code, self.place, self.detail) = (code, place, detail) }
}

/// The findings in a file.
public struct ImportReport: Sendable, Hashable {
    /// Contents of the file that are not kept, for a reason that is no fault.
    public enum LeftOut: String, Sendable, Hashable, CaseIterable {
        /// Apple's `Me`: date of birth, sex, blood group, skin type.
        case personalDetails
        /// Apple's rings of a day: sums and goals.
        case daySummaries
        /// Values of a pressure or a meal that stand in the file for a second time.
        case repeated
        /// Apple: hours in which the person did not stand.
        case idleHours
        /// Google: time without exercise (still, in a vehicle, unknown), and out of bed.
        case idleSegments
        /// Totals of a workout, whose parts are samples of their own.
        case workoutTotals
        /// Single beats beside a heart rate variability.
        case beats
        /// Google: energy that counts resting and movement as one. There is no kind for it.
        case totalEnergy
        /// Means, largest and smallest values of a span.
        case averages
        /// Sessions of sleep whose phases are read from another file.
        case sleepSessions
        /// FHIR: resources that were entered in error or cancelled.
        case withdrawn
        /// FHIR: values that were not measured (`dataAbsentReason`).
        case absent
        /// FHIR: electrocardiograms, which ``ECGFile`` reads.
        case electrocardiograms
    }

    /// Bytes that were read.
    public internal(set) var bytes = 0
    /// Samples that were given away, by kind. Heart rates count as one with what is in them.
    public internal(set) var samples: [String: Int] = [:]
    /// When the file was made, UTC, if it says so.
    public internal(set) var created: Int64?
    /// Missing parts, in the order in which they were found first. The same one stands here once. When the list is full, further ones are in
    /// ``problemCounts`` alone.
    public internal(set) var problems: [ImportProblem] = []
    /// How often, by code: also what the list has no room for.
    public internal(set) var problemCounts: [ImportProblem.Code: Int] = [:]
    /// Types that no kind is for, by their names in the file: `HKQuantityTypeIdentifierVO2Max`, `LOINC 4548-4`.
    public internal(set) var unknown: [String: Int] = [:]
    /// Further ones, beyond ``HealthImport/Limits/unknownNamesMax`` names.
    public internal(set) var unknownOthers = 0
    /// Counts, without those that are 0.
    public internal(set) var leftOut: [LeftOut: Int] = [:]

    init() {}

    mutating func note(_ code: ImportProblem.Code, at place: ImportProblem.Place, _ detail: String? = nil) {
        problemCounts[code, default: 0] += 1
        if let index = problems.firstIndex(where: { $0.code == code && $0.detail == detail }) {
            problems[index].count += 1
        } else if problems.count < HealthImport.Limits.problemsMax {
            problems.append(ImportProblem(code, at: place, detail))
        }
    }

    mutating func noteUnknown(_ name: String) {
        let name = String(name.prefix(HealthImport.Limits.nameMax))
        if unknown[name] != nil || unknown.count < HealthImport.Limits.unknownNamesMax {
            unknown[name, default: 0] += 1
        } else {
            unknownOthers += 1
        }
    }

    mutating func leaveOut(_ what: LeftOut, _ count: Int = 1) {
        if count > 0 { leftOut[what, default: 0] += count }
    }
}
