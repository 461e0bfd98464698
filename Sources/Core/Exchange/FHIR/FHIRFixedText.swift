internal import Vitals

/// What every Observation of one writer repeats.
struct FHIRFixedText: Sendable {
    /// The address of an Observation up to its id.
    let address: [UInt8]
    /// `,"subject":{…}`
    let subject: [UInt8]
    /// The CodeableConcept of a position, and those of its parts.
    let position: [UInt8]
    let parts: [[UInt8]]
    private let patient: [UInt8]

    init(base: String, patient: FHIRID) {
        var address: [UInt8] = []
        address.append(json: base + "/Observation/")
        self.address = Array(address.dropFirst().dropLast())
        subject = Array(",\"subject\":{\"reference\":\"Patient/\(patient)\"}".utf8)
        position = FHIRCodes.own("position", "Position", base)
        parts = FHIRPositionPart.all.map { FHIRCodes.own($0.code, $0.display, base) }
        self.patient = Array(patient.description.utf8)
    }

    /// An id as ``FHIRObservationID`` reads it.
    func appendID(_ prefix: StaticString, _ time: Milliseconds, _ ordinal: Int, _ buffer: inout [UInt8]) {
        buffer.append(prefix)
        buffer.append(UInt8(ascii: "-"))
        buffer.append(contentsOf: patient)
        buffer.append(UInt8(ascii: "-"))
        buffer.append(number: time)
        guard ordinal > 0 else { return }
        buffer.append(UInt8(ascii: "."))
        buffer.append(number: ordinal)
    }
}
