internal import CLinux
import Glibc

/// Netlink's framing (netlink(7)): bytes in, parts out. Numbers are in the machine's own byte order. Nothing outside of what arrived is
/// ever looked at, whatever the lengths within say.
enum Netlink {
    /// A message of generic netlink: a command's number and its attributes.
    struct Message: Equatable {
        var type: UInt16
        var flags: UInt16
        var sequence: UInt32
        var payload: ArraySlice<UInt8>
    }

    private static let headerBytes = 16, genericHeaderBytes = 4, attributeHeaderBytes = 4

    /// The whole messages of a datagram; what follows a broken length is left out.
    static func messages(in datagram: [UInt8]) -> [Message] {
        var rest = datagram[...], messages: [Message] = []
        while let length: UInt32 = number(at: 0, in: rest), length >= headerBytes, length <= rest.count,
            let type: UInt16 = number(at: 4, in: rest), let flags: UInt16 = number(at: 6, in: rest),
            let sequence: UInt32 = number(at: 8, in: rest)
        {
            let payload = rest.prefix(Int(length)).dropFirst(headerBytes)
            messages.append(Message(type: type, flags: flags, sequence: sequence, payload: payload))
            rest = rest.dropFirst(aligned(Int(length)))
        }
        return messages
    }

    /// The attributes of a generic netlink message's payload. The last one of a kind counts.
    static func genericAttributes(of payload: ArraySlice<UInt8>) -> [Int: ArraySlice<UInt8>] {
        attributes(in: payload.dropFirst(genericHeaderBytes))
    }

    /// The attributes that lie one behind the other in `bytes`.
    static func attributes(in bytes: ArraySlice<UInt8>) -> [Int: ArraySlice<UInt8>] {
        var rest = bytes, found: [Int: ArraySlice<UInt8>] = [:]
        while let length: UInt16 = number(at: 0, in: rest), length >= attributeHeaderBytes, length <= rest.count,
            let type: UInt16 = number(at: 2, in: rest)
        {
            // The two highest bits say "nested" and "network byte order".
            found[Int(type & 0x3FFF)] = rest.prefix(Int(length)).dropFirst(attributeHeaderBytes)
            rest = rest.dropFirst(aligned(Int(length)))
        }
        return found
    }

    /// The number at an offset; nil when the bytes end before it does.
    static func number<Number: FixedWidthInteger>(at offset: Int = 0, in bytes: ArraySlice<UInt8>) -> Number? {
        let size = Number.bitWidth / 8
        guard bytes.count >= offset + size else { return nil }
        return bytes.dropFirst(offset).prefix(size).withUnsafeBytes { $0.loadUnaligned(as: Number.self) }
    }

    /// A request with at most one attribute.
    static func request(
        type: UInt16, flags: Int32, command: UInt8, sequence: UInt32, attribute: (type: Int, bytes: [UInt8])? = nil
    ) -> [UInt8] {
        // 1 is the version of both families that are asked.
        var body: [UInt8] = [command, 1, 0, 0]
        if let attribute {
            let length = attributeHeaderBytes + attribute.bytes.count
            body += bytes(UInt16(length)) + bytes(UInt16(attribute.type)) + attribute.bytes
            body += [UInt8](repeating: 0, count: aligned(length) - length)
        }
        return bytes(UInt32(headerBytes + body.count)) + bytes(type) + bytes(UInt16(flags)) + bytes(sequence) + bytes(UInt32(0)) + body
    }

    static func bytes(_ number: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: number) { Array($0) } }

    private static func aligned(_ length: Int) -> Int { (length + 3) & ~3 }
}
