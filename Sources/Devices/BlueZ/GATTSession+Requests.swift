import Sensing

extension GATTSession.Step {
    /// A request, and its name where a sensor refuses it.
    var request: (opcode: ATT.Opcode, pdu: ATT.PDU)? {
        switch self {
        case .exchangeMTU: (.exchangeMTURequest, .exchangeMTURequest(mtu: GATTSession.mtu))
        case .findService(let target):
            (.findByTypeValueRequest, .findByTypeValueRequest(start: 1, end: 0xFFFF, type: 0x2800, value: target.service.littleEndianBytes))
        case .findCharacteristics(_, let service, let from):
            (.readByTypeRequest, .readByTypeRequest(start: from, end: service.upperBound, type: .characteristic))
        case .findConfiguration(_, _, let range):
            (.findInformationRequest, .findInformationRequest(start: range.lowerBound, end: range.upperBound))
        case .subscribe(_, let configuration, let indicates):
            (.writeRequest, .writeRequest(handle: configuration, value: [indicates ? 2 : 1, 0]))
        case .readLocation(let handle), .readBattery(let handle), .readBatteryStatus(let handle), .readTemperaturePlace(let handle):
            (.readRequest, .readRequest(handle: handle))
        case .idle, .over: nil
        }
    }

    /// The opcode that answers the request: the odd one behind it.
    var answer: ATT.Opcode? { request.map { ATT.Opcode(rawValue: $0.opcode.rawValue + 1) } }

    /// For a message: "refused …".
    var name: String {
        switch self {
        case .exchangeMTU: "the exchange of packet sizes"
        case .findService: "the search for its services"
        case .findCharacteristics: "the search for its characteristics"
        case .findConfiguration: "the search for its descriptors"
        case .subscribe: "the subscription to its readings"
        case .readLocation: "its place on the body"
        case .readBattery: "its battery level"
        case .readBatteryStatus: "its battery's state"
        case .readTemperaturePlace: "where it measures"
        case .idle, .over: "nothing"
        }
    }
}

extension ATT.Characteristic {
    /// The value stands behind its declaration, within its service (Vol 3 Part G, 3.3.2).
    func hasValue(in service: ClosedRange<UInt16>) -> Bool { valueHandle > handle && service.contains(valueHandle) }
}

extension ATT.ErrorCode {
    /// Insufficient authentication, authorization, key size or encryption.
    var asksForPairing: Bool { [0x05, 0x08, 0x0C, 0x0F].contains(rawValue) }
}

/// The answer of a server without any attribute (Vol 3 Part F, 3.4): a sensor may look for the services of its partner, and some wait
/// for the answer before they send.
enum EmptyServer {
    /// nil when `pdu` is no request.
    static func answer(to pdu: ATT.PDU, mtu: UInt16) -> ATT.PDU? {
        switch pdu {
        case .exchangeMTURequest: .exchangeMTUResponse(mtu: mtu)
        case .findInformationRequest(let start, _): .error(request: .findInformationRequest, handle: start, code: .attributeNotFound)
        case .findByTypeValueRequest(let start, _, _, _):
            .error(request: .findByTypeValueRequest, handle: start, code: .attributeNotFound)
        case .readByTypeRequest(let start, _, _): .error(request: .readByTypeRequest, handle: start, code: .attributeNotFound)
        case .readByGroupTypeRequest(let start, _, _):
            .error(request: .readByGroupTypeRequest, handle: start, code: .attributeNotFound)
        case .readRequest(let handle): .error(request: .readRequest, handle: handle, code: .invalidHandle)
        case .writeRequest(let handle, _): .error(request: .writeRequest, handle: handle, code: .invalidHandle)
        case .other(let opcode) where isRequest(opcode): .error(request: opcode, handle: 0, code: .requestNotSupported)
        default: nil
        }
    }

    /// Invalid PDU (0x04) for a request that cannot be read.
    static func answer(toMalformed opcode: ATT.Opcode) -> ATT.PDU? {
        isRequest(opcode) ? .error(request: opcode, handle: 0, code: ATT.ErrorCode(rawValue: 0x04)) : nil
    }

    /// Requests are even, commands have bit 6 (Vol 3 Part F, 3.3.1); 0x1E is the confirmation.
    private static func isRequest(_ opcode: ATT.Opcode) -> Bool {
        opcode.rawValue.isMultiple(of: 2) && opcode.rawValue & 0x40 == 0 && opcode != .confirmation && opcode.rawValue != 0
    }
}
