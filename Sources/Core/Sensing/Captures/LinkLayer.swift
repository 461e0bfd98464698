/// A sniffer's metadata of a link-layer packet.
struct LinkLayerNotes {
    var direction = PacketDecoder.Direction.unknown
    var isDecrypted = false
    var isEncrypted = false
    var hasBadCRC = false
}

/// The LE link layer (Core 5.3, Vol 6 Part B, 2). Checksums are trusted as far as the sniffer checked them.
extension PacketDecoder {
    private static let advertisingAddress: UInt32 = 0x8E89_BED6

    /// Link type 256: ten bytes of radio notes, flags in the last two.
    mutating func linkLayerWithHeader(_ packet: RawSpan, _ place: Place, _ emit: (CaptureEvent) -> Void) {
        guard packet.byteCount >= 10 else { return follower.report.skip(.malformedPacket) }
        let flags = packet.littleEndian16(at: 8)
        var notes = LinkLayerNotes(isDecrypted: flags & 1 << 3 != 0, hasBadCRC: flags & 1 << 10 != 0 && flags & 1 << 11 == 0)
        // 2: central to peripheral, 3: peripheral to central.
        if flags >> 7 & 7 == 2 { notes.direction = .sent }
        if flags >> 7 & 7 == 3 { notes.direction = .received }
        linkLayer(packet.extracting(10..<packet.byteCount), notes, place, emit)
    }

    /// Link type 272: one byte of board, six of header (version in the fourth), ten of radio notes that begin with their length.
    mutating func nordic(_ packet: RawSpan, _ place: Place, _ emit: (CaptureEvent) -> Void) {
        guard packet.byteCount >= 17, packet.byte(at: 7) == 10 else { return follower.report.skip(.malformedPacket) }
        // A packet of another kind than "received on the air" (2 advertising, 6 data) carries none.
        guard packet.byte(at: 6) == 2 || packet.byte(at: 6) == 6 else { return follower.report.skip(.otherLinkLayer) }
        let flags = packet.byte(at: 8)
        let isEncrypted = flags & 1 << 2 != 0, hasMIC = flags & 1 << 3 != 0
        let notes = LinkLayerNotes(
            direction: flags & 1 << 1 != 0 ? .sent : .received, isDecrypted: isEncrypted && hasMIC,
            isEncrypted: isEncrypted && !hasMIC, hasBadCRC: flags & 1 == 0)
        linkLayer(packet.extracting(17..<packet.byteCount), notes, place, emit)
    }

    /// Access address, header, payload, checksum.
    mutating func linkLayer(_ packet: RawSpan, _ notes: LinkLayerNotes, _ place: Place, _ emit: (CaptureEvent) -> Void) {
        guard !notes.hasBadCRC else { return follower.report.skip(.badCRC) }
        guard packet.byteCount >= 6 else { return follower.report.skip(.malformedPacket) }
        let accessAddress = packet.littleEndian32(at: 0), head = packet.byte(at: 4)
        if accessAddress == Self.advertisingAddress { return advertising(packet, kind: head & 0x0F, place, emit) }
        // Bit 5 announces one more byte of header (constant tone extension).
        let begin = head & 1 << 5 == 0 ? 6 : 7, length = Int(packet.byte(at: 5))
        guard packet.byteCount >= begin + length else { return follower.report.skip(.malformedPacket) }
        let payload = packet.extracting(begin..<(begin + length))
        guard length > 0 else { return empty(LinkTable.key(accessAddress: accessAddress), head: head, notes, place) }
        let index = link(LinkTable.key(accessAddress: accessAddress))
        if isRepeated(payload, head: head, link: index, notes, place) { return follower.report.skip(.retransmitted) }
        if notes.isEncrypted { encrypt(link: index, place) }
        switch head & 3 {
        case 3 where links.links[index].isEncrypted && !notes.isDecrypted: follower.report.skip(.encrypted)
        case 3: control(payload, link: index, place, emit)
        case 0: follower.report.skip(.malformedPacket)
        default:
            if links.links[index].isEncrypted, !notes.isDecrypted { return follower.report.skip(.encrypted) }
            reassemble(payload, starts: head & 3 == 2, link: index, notes.direction, place, emit)
        }
    }

    /// An empty packet carries nothing, but its sequence number counts for knowing repetitions.
    private mutating func empty(_ key: UInt64, head: UInt8, _ notes: LinkLayerNotes, _ place: Place) {
        follower.report.skip(.otherLinkLayer)
        guard notes.direction != .unknown, let index = links.index(of: key) else { return }
        links.links[index].lastContent[notes.direction == .sent ? 0 : 1] = (Self.content([], head: head), place.time)
    }

    /// A packet with the sequence number and the content of the one before it in its direction was sent again (Vol 6 Part B, 4.5.9). With
    /// other content it is a new one: the sniffer missed those between. Where it does not tell directions, only a packet within 100 ms is
    /// taken for a repetition.
    private mutating func isRepeated(
        _ payload: RawSpan, head: UInt8, link index: Int, _ notes: LinkLayerNotes, _ place: Place
    ) -> Bool {
        let side = notes.direction == .received ? 1 : 0, hash = Self.content(payload.bytes, head: head)
        let last = links.links[index].lastContent[side]
        links.links[index].lastContent[side] = (hash, place.time)
        guard last.hash == hash, notes.direction == .unknown else { return last.hash == hash }
        let (age, overflow) = place.time.subtractingReportingOverflow(last.time)
        return !overflow && (0...100).contains(age)
    }

    /// FNV-1a of the kind of packet, its sequence number and its payload.
    private static func content(_ payload: [UInt8], head: UInt8) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in [head & 0x0B] + payload { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return hash
    }

    /// LL_TERMINATE_IND 2, LL_ENC_RSP 4, LL_START_ENC_REQ 5, LL_START_ENC_RSP 6 (Vol 6 Part B, 2.4.2).
    private mutating func control(_ payload: RawSpan, link index: Int, _ place: Place, _ emit: (CaptureEvent) -> Void) {
        follower.report.skip(.otherLinkLayer)
        switch payload.byte(at: 0) {
        case 2:
            let reason = payload.byteCount >= 2 ? Self.reason(payload.byte(at: 1)) : "without a reason"
            close(links.links[index].key, because: reason, place, emit)
        case 5, 6: encrypt(link: index, place)
        // LL_START_ENC_REQ follows LL_ENC_RSP in plain; a sniffer that misses it must not read noise as data.
        case 4: encrypt(link: index, place)
        default: break
        }
    }

    private mutating func encrypt(link index: Int, _ place: Place) {
        guard !links.links[index].isEncrypted else { return }
        links.links[index].isEncrypted = true
        follower.report.encryptedConnections += 1
        follower.report.warn(
            "a link is encrypted from byte \(place.endOffset) on: its packets cannot be read. "
                + "Record at the host (btmon, btsnoop) or decrypt the capture first")
    }

    /// CONNECT_IND (kind 5, Vol 6 Part B, 2.3.3.1): initiator, advertiser, access address; the advertiser is the sensor.
    private mutating func advertising(_ packet: RawSpan, kind: UInt8, _ place: Place, _ emit: (CaptureEvent) -> Void) {
        follower.report.skip(.otherLinkLayer)
        guard kind == 5, packet.byteCount >= 6 + 16 else { return }
        let address = Self.address(packet, at: 12) | UInt64(packet.byte(at: 4) >> 7) << 48
        open(LinkTable.key(accessAddress: packet.littleEndian32(at: 18)), address: address, place, emit)
    }
}
