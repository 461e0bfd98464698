/// A made-up btsnoop capture of datalink 1002 (HCI H4): one connection, the discovery of 0x2A37, then notifications, one a second, with one
/// RR interval as straps send it. Between two of them comes, now and then, an event that has nothing to do with it.
struct SyntheticCapture {
    let notifications: Int
    private(set) var bytes: [UInt8] = Array("btsnoop\0".utf8)

    private static let connection: UInt16 = 0x0040
    private static let handle: UInt16 = 0x0010
    /// 2026-07-20T00:00:00Z on btsnoop's axis, in microseconds.
    private static let start: UInt64 = 0x00E0_3AB4_4A67_6000 + 837_820_800_000_000

    init(notifications: Int) {
        self.notifications = notifications
        bytes.reserveCapacity(notifications * 48)
        append(bigEndian: 1)
        append(bigEndian: 1002)
        // LE Connection Complete.
        record(0, isSent: false, [4, 0x3E, 19, 1, 0, 0x40, 0, 0, 1, 1, 2, 3, 4, 5, 0xC4, 24, 0, 0, 0, 42, 0, 0], isCommandOrEvent: true)
        // Read By Type of characteristic declarations, and its answer: 0x2A37 at the handle, 0x2A38 behind it.
        attribute(1, isSent: true, [0x08, 0x01, 0x00, 0xFF, 0xFF, 0x03, 0x28])
        attribute(2, isSent: false, [0x09, 7, 0x0F, 0, 0x10, 0x10, 0, 0x37, 0x2A, 0x12, 0, 0x02, 0x13, 0, 0x38, 0x2A])
        for number in 0..<notifications {
            let beat = 120 + (number / 7) % 50
            let interval = 1024 * 60 / beat
            attribute(
                3 + number, isSent: false,
                [0x1B, UInt8(Self.handle), 0, 0x16, UInt8(beat), UInt8(interval & 0xFF), UInt8(interval >> 8)])
            // Number of Completed Packets.
            if number.isMultiple(of: 16) { record(3 + number, isSent: false, [4, 0x13, 5, 1, 0x40, 0, 1, 0], isCommandOrEvent: true) }
        }
    }

    /// An ATT PDU in an L2CAP frame (channel 4) in an ACL packet.
    private mutating func attribute(_ second: Int, isSent: Bool, _ pdu: [UInt8]) {
        let frame = UInt8(pdu.count + 4)
        record(
            second, isSent: isSent, [2, UInt8(Self.connection), 0x20, frame, 0, UInt8(pdu.count), 0, 4, 0] + pdu, isCommandOrEvent: false)
    }

    private mutating func record(_ second: Int, isSent: Bool, _ packet: [UInt8], isCommandOrEvent: Bool) {
        append(bigEndian: UInt32(packet.count))
        append(bigEndian: UInt32(packet.count))
        append(bigEndian: (isSent ? 0 : 1) | (isCommandOrEvent ? 2 : 0))
        append(bigEndian: 0)
        let time = Self.start + UInt64(second) * 1_000_000
        append(bigEndian: UInt32(truncatingIfNeeded: time >> 32))
        append(bigEndian: UInt32(truncatingIfNeeded: time))
        bytes += packet
    }

    private mutating func append(bigEndian word: UInt32) {
        for shift in stride(from: UInt32(24), through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: word >> shift)) }
    }
}
