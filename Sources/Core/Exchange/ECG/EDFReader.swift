internal import Vitals

/// The European Data Format, also as EDF+ (edfplus.info/specs): a header in ASCII, then records of 16-bit samples.
struct EDFReader {
    let bytes: [UInt8]

    /// Signals of a file: more are no ECG of a person.
    private static let signalsMax = 256

    static func isEDF(_ bytes: [UInt8]) -> Bool { bytes.starts(with: "0       ".utf8) }

    private struct Signal {
        let label: String, transducer: String, dimension: String
        let physical: ClosedRange<Double>, isUpsideDown: Bool
        let digital: ClosedRange<Int>
        /// Samples of a record.
        let count: Int
        /// Its first byte in a record.
        let offset: Int

        var isAnnotations: Bool { label == "EDF Annotations" }

        var isECG: Bool {
            let first = label.split(separator: " ").first.map { $0.uppercased() } ?? ""
            return first == "ECG" || first == "EKG" || ECGLeadName(label).number != nil || first == "MLII"
        }
    }

    func read(_ utc: (Milliseconds) -> Milliseconds?) throws(ECGProblem) -> ECGFile {
        var file = ECGFile(.edf)
        file.isLocal = true
        let kind = text(192, 44)
        if kind.hasPrefix("EDF+D") { throw ECGProblem(.interrupted, at: .byte(192)) }
        let headerBytes = try number(184, 8, "number of bytes in header record"), records = try number(236, 8, "number of data records")
        if records == -1 { throw ECGProblem(.unfinished, at: .byte(236)) }
        let signals = try signals(), perRecord = signals.reduce(0) { $0 + 2 * $1.count }
        guard headerBytes == 256 * (signals.count + 1) else {
            throw ECGProblem(.header, at: .byte(184), "number of bytes in header record")
        }
        guard records > 0 else { throw ECGProblem(.header, at: .byte(236), "number of data records") }
        let (end, isTooMuch) = records.multipliedReportingOverflow(by: perRecord)
        guard !isTooMuch, end <= bytes.count - headerBytes else { throw ECGProblem(.cut, at: .byte(bytes.count)) }
        guard end == bytes.count - headerBytes else { throw ECGProblem(.behindEnd, at: .byte(headerBytes + end)) }
        guard let duration = ECGNumber.read(text(244, 8)), duration >= 0, duration <= 86_400 else {
            throw ECGProblem(.header, at: .byte(244), "duration of a data record")
        }
        let chosen = signals.enumerated().filter { $1.isECG && !$1.isAnnotations }
        guard let first = chosen.first?.element, duration > 0 else { throw ECGProblem(.noECG) }
        guard let millihertz = ECGNumber.millihertz(Double(first.count) / duration) else { throw ECGProblem(.rate) }
        if let other = chosen.first(where: { $1.count != first.count }) { throw ECGProblem(.ratesDiffer, at: .signal(other.offset + 1)) }
        var leads: [ECGStrip.Lead] = []
        for (index, signal) in chosen {
            leads.append(try lead(signal, index, records: records, perRecord: perRecord, from: headerBytes))
        }
        let notes = annotations(signals, records: records, perRecord: perRecord, from: headerBytes)
        file.leaveOut(.signals, signals.count { !$0.isECG && !$0.isAnnotations })
        file.leaveOut(.annotations, notes.count)
        guard let time = start().flatMap({ utc($0) }) else { throw ECGProblem(.time, at: .byte(168)) }
        do {
            file.strips = [
                try ECGStrip(
                    time: time + notes.onset, millihertz: millihertz, leads: leads,
                    source: kind.hasPrefix("EDF+") ? equipment() : first.transducer)
            ]
        } catch {
            throw ECGProblem(error) { lead, value in
                let (index, signal) = chosen[lead]
                _ = index
                return .byte(headerBytes + value / signal.count * perRecord + signal.offset + value % signal.count * 2)
            }
        }
        return file
    }

    // MARK: Header

    /// A field without the blanks at its end. The specification allows printable ASCII alone; another byte becomes `?`.
    private func text(_ offset: Int, _ length: Int) -> String {
        guard offset + length <= bytes.count else { return "" }
        let field = bytes[offset..<offset + length].map { (32...126).contains($0) ? $0 : UInt8(ascii: "?") }
        let end = field.lastIndex { $0 != 32 } ?? -1
        return String(decoding: field[...end].drop { $0 == 32 }, as: UTF8.self)
    }

    private func number(_ offset: Int, _ length: Int, _ name: String) throws(ECGProblem) -> Int {
        guard offset + length <= bytes.count else { throw ECGProblem(.cut, at: .byte(bytes.count)) }
        guard let number = Int(text(offset, length)) else { throw ECGProblem(.header, at: .byte(offset), name) }
        return number
    }

    private func signals() throws(ECGProblem) -> [Signal] {
        let count = try number(252, 4, "number of signals")
        guard (1...Self.signalsMax).contains(count) else { throw ECGProblem(.header, at: .byte(252), "number of signals") }
        guard bytes.count >= 256 * (count + 1) else { throw ECGProblem(.cut, at: .byte(bytes.count)) }
        var signals: [Signal] = [], offset = 0
        for index in 0..<count {
            /// Where a field of this signal lies: the fields of all signals stand one behind the other.
            func at(_ before: Int, _ length: Int) -> Int { 256 + count * before + index * length }
            let low = ECGNumber.read(text(at(104, 8), 8)), high = ECGNumber.read(text(at(112, 8), 8))
            guard let low, let high, low != high else { throw ECGProblem(.header, at: .byte(at(104, 8)), "physical minimum and maximum") }
            let least = try number(at(120, 8), 8, "digital minimum"), most = try number(at(128, 8), 8, "digital maximum")
            guard least < most, least >= -32_768, most <= 32_767 else {
                throw ECGProblem(.header, at: .byte(at(120, 8)), "digital minimum and maximum")
            }
            let samples = try number(at(216, 8), 8, "number of samples in each data record")
            guard samples > 0 else { throw ECGProblem(.header, at: .byte(at(216, 8)), "number of samples in each data record") }
            signals.append(
                Signal(
                    label: text(at(0, 16), 16), transducer: text(at(16, 80), 80), dimension: text(at(96, 8), 8),
                    physical: min(low, high)...max(low, high), isUpsideDown: low > high, digital: least...most, count: samples,
                    offset: offset))
            offset += 2 * samples
        }
        return signals
    }

    /// Start of the recording on the clock of whoever recorded it.
    private func start() -> Milliseconds? {
        let parts = (text(168, 8) + "." + text(176, 8)).split(separator: ".", omittingEmptySubsequences: false).map { part -> Int64? in
            part.utf8.count == 2 ? Int64(part).flatMap { $0 >= 0 ? $0 : nil } : nil
        }
        let numbers = parts.compactMap(\.self)
        guard parts.count == 6, numbers.count == 6, numbers[3] < 24, numbers[4] < 60, numbers[5] < 60,
            let day = CivilDay(year: numbers[2] + (numbers[2] >= 85 ? 1900 : 2000), month: numbers[1], day: numbers[0])
        else { return nil }
        return day.days * 86_400_000 + ((numbers[3] * 60 + numbers[4]) * 60 + numbers[5]) * 1000
    }

    /// EDF+ 2.1.3.4: `Startdate dd-MMM-yyyy CODE TECHNICIAN EQUIPMENT`. The code and the technician are not kept.
    private func equipment() -> String? {
        let words = text(88, 80).split(separator: " ")
        guard words.count > 4, words[0] == "Startdate", words[4] != "X" else { return nil }
        return String(words[4]).replacing("_", with: " ")
    }

    // MARK: Records

    private func lead(
        _ signal: Signal, _ index: Int, records: Int, perRecord: Int, from start: Int
    ) throws(ECGProblem) -> ECGStrip.Lead {
        guard let unit = ECGNumber.microvolts(unit: signal.dimension) else { throw ECGProblem(.unit, at: .signal(index + 1)) }
        let width = signal.physical.upperBound - signal.physical.lowerBound
        let step = width / Double(signal.digital.upperBound - signal.digital.lowerBound) * (signal.isUpsideDown ? -1 : 1)
        let zero = signal.isUpsideDown ? signal.physical.upperBound : signal.physical.lowerBound
        var values: [Int32?] = []
        values.reserveCapacity(records * signal.count)
        for record in 0..<records {
            var at = start + record * perRecord + signal.offset
            for _ in 0..<signal.count {
                let digital = Int(Int16(bitPattern: UInt16(bytes[at]) | UInt16(bytes[at + 1]) << 8))
                values.append(ECGNumber.value((zero + Double(digital - signal.digital.lowerBound) * step) * unit))
                at += 2
            }
        }
        return ECGStrip.Lead(name: ECGLeadName(signal.label), values: values)
    }

    /// The number of annotations, and the time at which the first record begins behind the header's second (EDF+ 2.2.4), milliseconds.
    private func annotations(
        _ signals: [Signal], records: Int, perRecord: Int, from start: Int
    ) -> (count: Int, onset: Milliseconds) {
        var count = 0, onset: Milliseconds?
        for signal in signals where signal.isAnnotations {
            for record in 0..<records {
                let at = start + record * perRecord + signal.offset
                for list in bytes[at..<at + 2 * signal.count].split(separator: 0) {
                    let texts = list.split(separator: 0x14, omittingEmptySubsequences: false)
                    if onset == nil, let first = texts.first, let seconds = ECGNumber.read(String(decoding: first, as: UTF8.self)) {
                        onset = (0..<86_400).contains(seconds) ? Milliseconds((seconds * 1000).rounded()) : 0
                    }
                    count += texts.dropFirst().count { !$0.isEmpty }
                }
            }
        }
        return (count, onset ?? 0)
    }
}
