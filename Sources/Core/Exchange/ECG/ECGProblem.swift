internal import Vitals

/// Why a file, or a strip in it, is not taken: what is wrong, and where. Texts that say what to do stand in the file of each language, under
/// the names of the codes. It holds nothing of what the file says of anybody.
public struct ECGProblem: Error, Sendable, Hashable {
    /// Where it is wrong.
    public enum Place: Sendable, Hashable {
        case file
        /// Counted from 1.
        case line(Int)
        /// Counted from 0.
        case byte(Int)
        /// A path in JSON, such as `component[1].valueSampledData.data`.
        case element(String)
        /// A signal of an EDF file, counted from 1.
        case signal(Int)
        /// A strip and its lead, counted from 1.
        case lead(Int)
    }

    /// The kind of problem. `detail` says more where it is named here.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        case empty
        /// Detail: bytes that are taken.
        case tooLarge
        case unknownFormat, notUTF8
        /// EDF: bytes are missing at the end, or there are too many.
        case cut, behindEnd
        /// EDF: what cannot be read of the header. Detail: the field, as the specification names it.
        case header
        /// EDF+D, and a recording that was not ended.
        case interrupted, unfinished
        /// JSON and FHIR.
        case notJSON, notObservation, noSampledData, dimensions
        /// Detail: the name of what is missing.
        case missing
        case unit, number, time
        case noECG, ratesDiffer
        /// Detail: strips that are taken of a file.
        case tooManyStrips
        /// Of the strip: see ``Vitals/ECGStrip/Fault``. Detail: what is there, in hertz, seconds, leads or values.
        case tooManyLeads, rate, tooShort, tooLong, tooManyValues, lengthsDiffer, outOfRange, noValues
    }

    public let code: Code
    public let place: Place
    public let detail: String?

    init(_ code: Code, at place: Place = .file, _ detail: String? = nil) { (self.code, self.place, self.detail) = (code, place, detail) }

    /// - Parameter value: the place of a value of a lead; the lead itself without.
    init(_ fault: ECGStrip.Fault, value: (_ lead: Int, _ value: Int) -> Place = { lead, _ in .lead(lead + 1) }) {
        switch fault {
        case .noLeads: self.init(.noECG)
        case .tooManyLeads(let count): self.init(.tooManyLeads, "\(count)")
        case .rate(let millihertz): self.init(.rate, Int64(millihertz).text(places: 3))
        case .tooShort(let time): self.init(.tooShort, time.text(places: 3))
        case .tooLong(let time): self.init(.tooLong, time.text(places: 3))
        case .tooManyValues(let count): self.init(.tooManyValues, "\(count)")
        case .lengthsDiffer(let lead): self.init(.lengthsDiffer, at: .lead(lead + 1))
        case .outOfRange(let lead, let index): self.init(.outOfRange, at: value(lead, index))
        case .empty(let lead): self.init(.noValues, at: .lead(lead + 1))
        case .time: self.init(Code.time)
        }
    }
}
