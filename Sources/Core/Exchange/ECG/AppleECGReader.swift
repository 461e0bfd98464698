internal import Vitals

/// The CSV of one ECG, as Apple Health's export has it below `electrocardiograms`: a header of names and values, then one value a line.
/// The names are in the language of the phone, so that lines are known by what their values look like.
struct AppleECGReader {
    private var file = ECGFile(.apple)
    private var time: Milliseconds?, millihertz: Int?, unit: Double?
    private var lead: ECGLeadName?, said: String?, source: String?
    private var values: [Int32?] = []
    /// The line of each value.
    private var lines: [Int] = []
    /// Whether the line before was the time: the device's classification follows.
    private var isBehindTime = false

    private static let leadNames: Set<String> = ["lead", "derivazione", "ableitung"]
    private static let deviceNames: Set<String> = ["device", "dispositivo"]
    private static let classNames: Set<String> = ["classification", "classificazione"]

    static func read(_ bytes: [UInt8]) throws(ECGProblem) -> ECGFile {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw ECGProblem(.notUTF8) }
        var reader = AppleECGReader(), number = 0
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            number += 1
            try reader.take(line, number)
        }
        return try reader.finish()
    }

    private mutating func take(_ line: Substring, _ number: Int) throws(ECGProblem) {
        let plain = Self.unquoted(Self.trimmed(line))
        guard !plain.isEmpty else { return }
        if let value = ECGNumber.read(plain) {
            // A header may come in any order but stands before the values.
            guard let unit else { throw time == nil ? ECGProblem(.unknownFormat) : ECGProblem(.missing, at: .line(number), "Unit") }
            guard values.count <= ECGStrip.Limits.valuesMax else { throw ECGProblem(.tooManyValues, "\(values.count)") }
            values.append(ECGNumber.value(value * unit))
            lines.append(number)
        } else if values.isEmpty {
            header(line)
        } else {
            throw ECGProblem(.number, at: .line(number))
        }
    }

    private mutating func header(_ line: Substring) {
        let parts = line.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts.first.map { Self.unquoted(Self.trimmed($0)).lowercased() } ?? ""
        let value = parts.count == 2 ? Self.unquoted(Self.trimmed(parts[1])) : ""
        let wasBehindTime = isBehindTime
        isBehindTime = false
        if time == nil, let found = Self.time(value) {
            (time, isBehindTime) = (found, true)
        } else if said == nil, Self.classNames.contains(name) || wasBehindTime {
            said = value
        } else if Self.deviceNames.contains(name) || value.hasPrefix("Apple Watch") || value.hasPrefix("Watch") {
            source = value.hasPrefix("Watch") ? "Apple \(value)" : value
        } else if millihertz == nil, let rate = Self.rate(value) {
            millihertz = rate
        } else if let microvolts = ECGNumber.microvolts(unit: value) {
            unit = microvolts
        } else if Self.leadNames.contains(name) || millihertz != nil && ECGLeadName(value).number != nil {
            lead = ECGLeadName(value)
        } else if !value.isEmpty {
            file.leaveOut(.lines)
        }
    }

    private mutating func finish() throws(ECGProblem) -> ECGFile {
        guard time != nil || millihertz != nil else { throw ECGProblem(.unknownFormat) }
        guard let time else { throw ECGProblem(.missing, "Recorded Date") }
        guard let millihertz else { throw ECGProblem(.missing, "Sample Rate") }
        guard !values.isEmpty else { throw ECGProblem(.noValues) }
        do {
            let lead = ECGStrip.Lead(name: lead ?? ECGLeadName(""), values: values)
            file.strips = [try ECGStrip(time: time, millihertz: millihertz, leads: [lead], source: source, said: said)]
        } catch { throw ECGProblem(error) { _, value in .line(lines[value]) } }
        return file
    }

    // MARK: Values of the header

    private static func trimmed(_ text: Substring) -> Substring {
        let start = text.drop { $0 == " " || $0 == "\t" }
        guard let end = start.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
        return start[...end]
    }

    /// Without the quotation marks of CSV (RFC 4180).
    private static func unquoted(_ text: Substring) -> String {
        guard text.count > 1, text.first == "\"", text.last == "\"" else { return String(text) }
        return String(text.dropFirst().dropLast()).replacing("\"\"", with: "\"")
    }

    /// `2026-03-02 09:12:18 +0100`; one without its zone is none.
    private static func time(_ text: String) -> Milliseconds? {
        let words = text.split(separator: " ")
        if words.count == 3, words[2].first == "+" || words[2].first == "-" {
            return TimeText.milliseconds("\(words[0])T\(words[1])\(words[2])")
        }
        guard text.contains(":"), text.last == "Z" || text.suffix(6).contains(where: { "+-".contains($0) }) else { return nil }
        return TimeText.milliseconds(text)
    }

    /// `512 hertz`, `510.227 Hz`.
    private static func rate(_ text: String) -> Int? {
        let words = text.split(separator: " ")
        guard words.count == 2, ["hertz", "hz"].contains(words[1].lowercased()) else { return nil }
        return ECGNumber.read(words[0]).flatMap(ECGNumber.millihertz)
    }
}
