/// Connections and L2CAP (Core 5.3, Vol 3 Part A, 3.1): fragments become packets, channel 4 is ATT.
extension PacketDecoder {
    /// The link of that key, made if it is new: the capture began in the middle of it.
    mutating func link(_ key: UInt64) -> Int {
        if let index = links.index(of: key) { return index }
        follower.report.connections += 1
        let index = links.insert(key)
        if links.evictions > 0 {
            follower.report.warn("more than \(LinkTable.linksMax) connections at a time: those unused longest were forgotten")
        }
        return index
    }

    /// A connection begins: whatever had its key before is over.
    mutating func open(_ key: UInt64, address: UInt64?, _ place: Place, _ emit: (CaptureEvent) -> Void) {
        close(key, because: "another connection took its place", place, emit)
        let index = link(key)
        links.links[index].address = address
        guard let address, let known = follower.known(address) else { return }
        links.links[index].servers[1].remembered = known
    }

    mutating func close(_ key: UInt64, because reason: String, _ place: Place, _ emit: (CaptureEvent) -> Void) {
        guard let index = links.index(of: key) else { return }
        abandon(at: index)
        if links.links[index].isAnnounced { follower.lost(because: reason, place, emit) }
        links.remove(at: index)
    }

    /// The adapter was reset or closed. The links stay in the table until a connection is made anew: emulated controllers are known to keep
    /// theirs, and no real one sends data of a link that is gone.
    mutating func suspendAll(of adapter: UInt16, because reason: String, _ place: Place, _ emit: (CaptureEvent) -> Void) {
        for index in links.links.indices where links.keys[index] >> 16 == UInt64(adapter) {
            abandon(at: index)
            if links.links[index].isAnnounced { follower.lost(because: reason, place, emit) }
            links.links[index].partial = [L2CAPPartial(), L2CAPPartial()]
            links.links[index].isAnnounced = false
            links.links[index].isSuspended = true
        }
    }

    private mutating func abandon(at index: Int) {
        for side in 0..<2 where links.links[index].partial[side].isOpen { follower.report.skip(.fragmentMissing) }
    }

    mutating func reassemble(
        _ fragment: RawSpan, starts: Bool, link index: Int, _ direction: Direction, _ place: Place, _ emit: (CaptureEvent) -> Void
    ) {
        let side = direction == .sent ? 0 : 1
        if starts {
            if links.links[index].partial[side].isOpen {
                follower.report.skip(.fragmentMissing)
                links.links[index].partial[side] = L2CAPPartial()
            }
            // The common case: the whole packet is in one fragment, and is read where it lies.
            if fragment.byteCount >= 4, Int(fragment.littleEndian16(at: 0)) == fragment.byteCount - 4 {
                return packet(fragment, link: index, direction, place, emit)
            }
            links.links[index].partial[side].isOpen = true
        } else if !links.links[index].partial[side].isOpen {
            return follower.report.skip(.orphanFragment)
        }
        links.links[index].partial[side].bytes.append(contentsOf: fragment.bytes)
        complete(link: index, side: side, direction, place, emit)
    }

    private mutating func complete(
        link index: Int, side: Int, _ direction: Direction, _ place: Place, _ emit: (CaptureEvent) -> Void
    ) {
        let count = links.links[index].partial[side].bytes.count
        guard count >= 4 else { return }
        let bytes = links.links[index].partial[side].bytes
        let length = 4 + (Int(bytes[0]) | Int(bytes[1]) << 8)
        guard count >= length else { return }
        links.links[index].partial[side] = L2CAPPartial()
        guard count == length else { return follower.report.skip(.malformedPacket) }
        packet(bytes.span.bytes, link: index, direction, place, emit)
    }

    private mutating func packet(
        _ bytes: RawSpan, link index: Int, _ direction: Direction, _ place: Place, _ emit: (CaptureEvent) -> Void
    ) {
        guard bytes.littleEndian16(at: 2) == ATT.channel else { return follower.report.skip(.otherChannel) }
        follower.handle(bytes.extracting(4..<bytes.byteCount), on: &links.links[index], direction, place, emit)
    }
}
