import Sensing
import Testing

@Suite struct ATTTests {
    static let long = ATT.UUID(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF)

    static let pdus: [ATT.PDU] = [
        .error(request: .readByTypeRequest, handle: 0x0015, code: .attributeNotFound), .exchangeMTURequest(mtu: 517),
        .exchangeMTUResponse(mtu: 23), .findInformationRequest(start: 0x11, end: 0x12),
        .findInformationResponse([.init(handle: 0x11, type: .clientCharacteristicConfiguration), .init(handle: 0x12, type: .init(0x2901))]),
        .findInformationResponse([.init(handle: 0x11, type: long)]),
        .findByTypeValueRequest(start: 1, end: 0xFFFF, type: 0x2800, value: [0x0D, 0x18]),
        .findByTypeValueResponse([.init(start: 14, end: 21)]), .readByTypeRequest(start: 14, end: 21, type: .characteristic),
        .readByTypeRequest(start: 1, end: 2, type: long),
        .readByTypeResponse([.init(handle: 15, value: [0x10, 16, 0, 0x37, 0x2A]), .init(handle: 18, value: [0x02, 19, 0, 0x38, 0x2A])]),
        .readByGroupTypeRequest(start: 1, end: 0xFFFF, type: .primaryService),
        .readByGroupTypeResponse([.init(handle: 14, end: 21, value: [0x0D, 0x18])]), .readRequest(handle: 24),
        .readResponse(value: [87]), .writeRequest(handle: 17, value: [1, 0]), .writeResponse, .writeCommand(handle: 21, value: [1]),
        .notification(handle: 16, value: [0, 72]), .indication(handle: 9, value: [1, 0, 0xFF, 0xFF]), .confirmation,
    ]

    @Test("EDGE-2: every PDU survives encoding and decoding", arguments: pdus)
    func roundTrip(pdu: ATT.PDU) throws {
        #expect(try ATT.PDU(pdu.encoded) == pdu)
    }

    @Test("EDGE-2: requests have the bytes of the standard")
    func bytes() {
        #expect(
            ATT.PDU.findByTypeValueRequest(start: 1, end: 0xFFFF, type: 0x2800, value: [0x0D, 0x18]).encoded
                == [0x06, 1, 0, 0xFF, 0xFF, 0x00, 0x28, 0x0D, 0x18])
        #expect(ATT.PDU.writeRequest(handle: 0x11, value: [1, 0]).encoded == [0x12, 0x11, 0, 1, 0])
        #expect(ATT.PDU.exchangeMTURequest(mtu: 517).encoded == [0x02, 0x05, 0x02])
    }

    @Test("EDGE-2: no cut and no flipped bit of a PDU crashes", arguments: pdus)
    func robust(pdu: ATT.PDU) {
        let whole = pdu.encoded
        for length in 0...whole.count { _ = try? ATT.PDU(whole.prefix(length)) }
        for bit in 0..<(whole.count * 8) {
            var flipped = whole
            flipped[bit / 8] ^= 1 << (bit % 8)
            if let decoded = try? ATT.PDU(flipped) { _ = decoded.encoded }
        }
    }

    @Test("EDGE-2: declarations are read with 16- and 128-bit UUIDs")
    func declarations() throws {
        let short = try #require(ATT.Characteristic(declaration: .init(handle: 15, value: [0x10, 16, 0, 0x37, 0x2A])))
        #expect(short.type == .heartRateMeasurement)
        #expect(short.valueHandle == 16)
        #expect(short.properties == .notify)
        let full = ATT.UUID.heartRateMeasurement.fullLittleEndianBytes
        let base = try #require(ATT.Characteristic(declaration: .init(handle: 15, value: [0x10, 16, 0] + full)))
        #expect(base.type == .heartRateMeasurement)
        #expect(ATT.Characteristic(declaration: .init(handle: 15, value: [0x10, 16, 0, 1])) == nil)
        #expect(ATT.Service(group: .init(handle: 14, end: 21, value: [0x0D, 0x18]))?.type == .heartRateService)
        #expect(ATT.Service(group: .init(handle: 14, end: 3, value: [0x0D, 0x18])) == nil)
    }

    @Test("EDGE-2: UUIDs are written as usual")
    func texts() {
        #expect(ATT.UUID.heartRateMeasurement.description == "0x2A37")
        #expect(Self.long.description == "00112233-4455-6677-8899-AABBCCDDEEFF")
        #expect(ATT.UUID(littleEndian: [1, 2, 3]) == nil)
    }
}
