/// The Attribute Protocol (Bluetooth Core 5.3, Vol 3 Part F): the PDUs that reading a sensor needs, as values.
///
/// A client sends ``PDU/encoded`` of a request and decodes the answer with ``PDU/init(_:)``; a capture reader decodes both directions.
/// Everything is little endian. Handles are 1 to 65,535; 0 is never valid, but it is decoded as it came.
public enum ATT {
    /// The fixed L2CAP channel of ATT on a low-energy link (Vol 3 Part A, 2.1).
    public static let channel: UInt16 = 0x0004
    /// The MTU that both sides may use before it was exchanged, and at least afterwards (Vol 3 Part F, 3.2.8; Part G, 5.2.1).
    public static let mtuDefault: UInt16 = 23
    /// An attribute value is at most 512 bytes: a larger MTU than this brings nothing (Vol 3 Part F, 3.2.9).
    public static let mtuMax: UInt16 = 517

    /// The first byte of a PDU (Vol 3 Part F, 3.4).
    public struct Opcode: RawRepresentable, Hashable, Sendable {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }
        private init(_ rawValue: UInt8) { self.rawValue = rawValue }

        public static let errorResponse = Self(0x01)
        public static let exchangeMTURequest = Self(0x02)
        public static let exchangeMTUResponse = Self(0x03)
        public static let findInformationRequest = Self(0x04)
        public static let findInformationResponse = Self(0x05)
        public static let findByTypeValueRequest = Self(0x06)
        public static let findByTypeValueResponse = Self(0x07)
        public static let readByTypeRequest = Self(0x08)
        public static let readByTypeResponse = Self(0x09)
        public static let readRequest = Self(0x0A)
        public static let readResponse = Self(0x0B)
        public static let readByGroupTypeRequest = Self(0x10)
        public static let readByGroupTypeResponse = Self(0x11)
        public static let writeRequest = Self(0x12)
        public static let writeResponse = Self(0x13)
        public static let notification = Self(0x1B)
        public static let indication = Self(0x1D)
        public static let confirmation = Self(0x1E)
        public static let writeCommand = Self(0x52)
    }

    /// Why a request was refused (Vol 3 Part F, 3.4.1.1).
    public struct ErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        public let rawValue: UInt8
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        public static let invalidHandle = ErrorCode(rawValue: 0x01)
        public static let readNotPermitted = ErrorCode(rawValue: 0x02)
        public static let writeNotPermitted = ErrorCode(rawValue: 0x03)
        public static let insufficientAuthentication = ErrorCode(rawValue: 0x05)
        public static let requestNotSupported = ErrorCode(rawValue: 0x06)
        /// The ordinary end of a discovery: nothing more in the range.
        public static let attributeNotFound = ErrorCode(rawValue: 0x0A)
        public static let insufficientEncryption = ErrorCode(rawValue: 0x0F)

        public var description: String {
            switch self {
            case .invalidHandle: "invalid handle"
            case .readNotPermitted: "read not permitted"
            case .writeNotPermitted: "write not permitted"
            case .insufficientAuthentication: "insufficient authentication"
            case .requestNotSupported: "request not supported"
            case .attributeNotFound: "attribute not found"
            case .insufficientEncryption: "insufficient encryption"
            default: "ATT error 0x" + String(rawValue, radix: 16)
            }
        }
    }

    /// One attribute of a Read By Type or Read By Group Type Response. `end` is the last handle of the group, nil outside a group response.
    public struct Attribute: Hashable, Sendable {
        public var handle: UInt16
        public var end: UInt16?
        public var value: [UInt8]

        public init(handle: UInt16, end: UInt16? = nil, value: [UInt8]) {
            self.handle = handle
            self.end = end
            self.value = value
        }
    }

    /// One pair of a Find Information Response: which type the attribute at `handle` has.
    public struct Information: Hashable, Sendable {
        public var handle: UInt16
        public var type: UUID

        public init(handle: UInt16, type: UUID) {
            self.handle = handle
            self.type = type
        }
    }

    /// One PDU. What this project does not use is kept as ``other(opcode:)``.
    public enum PDU: Hashable, Sendable {
        case error(request: Opcode, handle: UInt16, code: ErrorCode)
        case exchangeMTURequest(mtu: UInt16)
        case exchangeMTUResponse(mtu: UInt16)
        case findInformationRequest(start: UInt16, end: UInt16)
        case findInformationResponse([Information])
        case findByTypeValueRequest(start: UInt16, end: UInt16, type: UInt16, value: [UInt8])
        /// The found groups: first and last handle. A server may answer an end before the start; whoever uses the range checks it.
        case findByTypeValueResponse([HandleRange])
        case readByTypeRequest(start: UInt16, end: UInt16, type: UUID)
        case readByTypeResponse([Attribute])
        case readByGroupTypeRequest(start: UInt16, end: UInt16, type: UUID)
        case readByGroupTypeResponse([Attribute])
        case readRequest(handle: UInt16)
        case readResponse(value: [UInt8])
        case writeRequest(handle: UInt16, value: [UInt8])
        case writeResponse
        case writeCommand(handle: UInt16, value: [UInt8])
        case notification(handle: UInt16, value: [UInt8])
        case indication(handle: UInt16, value: [UInt8])
        case confirmation
        case other(opcode: Opcode)
    }

    /// First and last handle of a group, as sent.
    public struct HandleRange: Hashable, Sendable {
        public var start: UInt16
        public var end: UInt16

        public init(start: UInt16, end: UInt16) {
            self.start = start
            self.end = end
        }
    }

    /// Why bytes are not a PDU.
    public struct Malformed: Error, Hashable, Sendable, CustomStringConvertible {
        public var opcode: Opcode?
        public var reason: String

        public var description: String {
            guard let opcode else { return "ATT PDU: \(reason)" }
            return "ATT PDU 0x\(String(opcode.rawValue, radix: 16)): \(reason)"
        }
    }
}
