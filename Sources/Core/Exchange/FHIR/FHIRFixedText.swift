internal import Vitals

/// Text that every Observation of one writer repeats.
struct FHIRFixedText: Sendable {
    /// The address of an Observation up to its id.
    let address: [UInt8]
    /// By the numbers of the kinds; nil for one without Observations.
    let kinds: [FHIRKindText?]
    /// The CodeableConcepts of a position's parts.
    let parts: [[UInt8]]
    private let patient: [UInt8]

    init(base: String, patient: FHIRID, detail: FHIRDetail) {
        var address: [UInt8] = []
        address.append(json: base + "/Observation/")
        self.address = Array(address.dropFirst().dropLast())
        let subject = Array(",\"subject\":{\"reference\":\"Patient/\(patient)\"}".utf8)
        kinds = (0..<FHIRKind.numbers).map { number in
            DataKind(rawValue: UInt8(number)).flatMap { FHIRKind($0) }
                .map { FHIRKindText($0, base: base, subject: subject, detail: detail) }
        }
        parts = FHIRPositionPart.all.map { FHIRCodes.own($0.code, $0.display, base) }
        self.patient = Array(patient.description.utf8)
    }

    /// An id as ``FHIRObservationID`` reads it.
    func appendID(_ prefix: [UInt8], _ time: Milliseconds, _ ordinal: Int, _ buffer: inout [UInt8]) {
        buffer += prefix
        buffer.append(UInt8(ascii: "-"))
        buffer.append(contentsOf: patient)
        buffer.append(UInt8(ascii: "-"))
        buffer.append(number: time)
        guard ordinal > 0 else { return }
        buffer.append(UInt8(ascii: "."))
        buffer.append(number: ordinal)
    }
}
