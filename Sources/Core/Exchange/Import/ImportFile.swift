/// The format of a file, which decides on the reader: several may come at once, out of a folder or an archive.
///
/// | file | reader |
/// | --- | --- |
/// | ``appleHealth`` | ``AppleHealthReader`` |
/// | ``activity`` | ``ActivityFile`` |
/// | ``electrocardiogram`` | ``ECGFile`` |
/// | ``takeoutData`` | ``TakeoutDataReader``, for those that ``TakeoutFit`` chooses |
/// | ``takeoutDay`` | ``TakeoutDayReader``, likewise |
/// | ``takeoutSession`` | ``TakeoutSessionReader`` |
/// | ``fhir`` | ``FHIRBundleReader``, and ``ECGFile`` if that leaves electrocardiograms out |
/// | ``samplesCSV``, ``samplesJSON``, ``samplesLines`` | ``SampleCSVReader``, ``SampleJSONReader`` |
/// | ``archive`` | ``ZipReader``, then each of its members |
/// | the others | none |
public enum ImportFile: String, Sendable, Hashable, CaseIterable {
    case appleHealth
    /// GPX, TCX or FIT. Apple's routes and Google's `Activities` are such.
    case activity
    case electrocardiogram
    case takeoutData, takeoutDay, takeoutSession
    /// The sums of each day in one file: less than ``takeoutDay`` has.
    case takeoutDays
    case fhir
    case samplesCSV, samplesJSON, samplesLines
    case archive
    /// `export_cda.xml` of Apple's export: what `export.xml` has, in another form.
    case clinicalDocument
    case unknown

    /// The bytes that ``init(path:head:)`` looks at.
    public static let headMax = 4096

    /// - Parameters:
    ///   - path: within the folder or the archive. It is compared, and never used to open anything.
    ///   - head: the first bytes of the file.
    public init(path: String, head: [UInt8]) {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF],
            bytes = Array((head.starts(with: mark) ? head.dropFirst(3) : head[...]).prefix(Self.headMax))
        if bytes.starts(with: [0x50, 0x4B, 3, 4]) || bytes.starts(with: [0x50, 0x4B, 5, 6]) {
            self = .archive
        } else if bytes.count >= 12, bytes[8..<12].elementsEqual(".FIT".utf8) {
            self = .activity
        } else if Self.isEDF(bytes) {
            self = .electrocardiogram
        } else {
            let text = String(decoding: bytes, as: UTF8.self)
            switch bytes.first(where: { !" \t\r\n".utf8.contains($0) }) {
            case UInt8(ascii: "<"): self = Self.xml(text)
            case UInt8(ascii: "{"): self = Self.json(text)
            default: self = Self.csv(text, path)
            }
        }
    }

    /// The day of a file of ``takeoutDay``, which is its name: `2024-05-01.csv`; nil for another name.
    public static func day(ofPath path: String) -> String? {
        let name = path.split(separator: "/").last ?? "", day = String(name.prefix(10))
        guard name.dropFirst(10).lowercased() == ".csv", ImportText.time(day + "T00:00:00Z") != nil else { return nil }
        return day
    }

    /// EDF begins with its version, 0 and seven blanks.
    private static func isEDF(_ bytes: [UInt8]) -> Bool { bytes.starts(with: Array("0       ".utf8)) }

    private static func xml(_ text: String) -> ImportFile {
        if text.contains("<HealthData") || text.contains("<!DOCTYPE HealthData") { return .appleHealth }
        if text.contains("<ClinicalDocument") { return .clinicalDocument }
        return ["<gpx", ":gpx", "TrainingCenterDatabase", "<Activities"].contains(where: text.contains) ? .activity : .unknown
    }

    private static func json(_ text: String) -> ImportFile {
        if text.contains("\"trackme-samples\"") { return .samplesJSON }
        if text.contains("\"Data Source\"") || text.contains("\"Data Points\"") { return .takeoutData }
        if text.contains("\"fitnessActivity\"") { return .takeoutSession }
        if text.hasPrefix("{\"time\":") { return .samplesLines }
        guard text.contains("\"resourceType\"") else { return .unknown }
        return text.contains("\"Bundle\"") ? .fhir : text.contains("\"Observation\"") ? .electrocardiogram : .unknown
    }

    private static func csv(_ text: String, _ path: String) -> ImportFile {
        let first = text.prefix { !$0.isNewline }
        if first.hasPrefix("time_utc,kind,") || first.hasPrefix("subject,time_utc,kind,") { return .samplesCSV }
        if first.hasPrefix("Start time,End time,") { return .takeoutDay }
        if first.hasPrefix("Date,Move Minutes") { return .takeoutDays }
        let words = text.lowercased()
        let isRate = words.contains(" hz") || words.contains("hertz")
        return isRate && path.lowercased().hasSuffix(".csv") ? .electrocardiogram : .unknown
    }
}
