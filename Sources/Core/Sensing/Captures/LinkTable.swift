/// The connections of a capture, found by adapter and handle (HCI) or by access address (link layer).
struct LinkTable: Sendable {
    /// A capture has a handful; a damaged one may invent many. Beyond this the one that was unused longest makes room.
    static let linksMax = 64

    struct Link: Sendable {
        var key: UInt64
        /// Address of the other side with its type in bit 48, where the begin of the connection was seen.
        var address: UInt64?
        /// Which sensor this is, as far as the capture tells.
        var sensor: UInt64 { address ?? 1 << 63 | key }
        /// By what it last sent in each direction: 0 sent or central, 1 received or peripheral, also for packets of unknown direction.
        var partial = [L2CAPPartial(), L2CAPPartial()]
        var servers = [ATTServer(), ATTServer()]
        var lastUse: UInt64 = 0
        var isEncrypted = false
        /// A heart rate was told: its end is to be told too.
        var isAnnounced = false
        /// The adapter was reset. Should data go on without a new connection, what is known of the handles still holds.
        var isSuspended = false
        /// The report says where this connection's handle comes from.
        var isHandleExplained = false
        /// Of the link layer: the last packet of each direction, to know it when it is sent again.
        var lastContent: [(hash: UInt64, time: Int64)] = [(0, .min), (0, .min)]
    }

    private(set) var keys: [UInt64] = []
    /// Links that had to make room.
    private(set) var evictions = 0
    var links: [Link] = []
    private var last = 0
    private var uses: UInt64 = 0

    static func key(adapter: UInt16, handle: UInt16) -> UInt64 { UInt64(adapter) << 16 | UInt64(handle & 0x0FFF) }
    static func key(accessAddress: UInt32) -> UInt64 { 1 << 48 | UInt64(accessAddress) }

    mutating func index(of key: UInt64) -> Int? {
        uses += 1
        if last < keys.count, keys[last] == key {
            links[last].lastUse = uses
            return last
        }
        guard let found = keys.firstIndex(of: key) else { return nil }
        last = found
        links[found].lastUse = uses
        return found
    }

    /// The index of the new link; the caller has made sure that there is none of that key.
    mutating func insert(_ key: UInt64) -> Int {
        var link = Link(key: key)
        link.lastUse = uses
        if links.count < Self.linksMax {
            keys.append(key)
            links.append(link)
            return links.count - 1
        }
        let oldest = links.indices.min { links[$0].lastUse < links[$1].lastUse } ?? 0
        evictions += 1
        keys[oldest] = key
        links[oldest] = link
        return oldest
    }

    mutating func remove(at index: Int) {
        keys.remove(at: index)
        links.remove(at: index)
    }
}

/// An L2CAP packet of which a part has come.
struct L2CAPPartial: Sendable {
    var bytes: [UInt8] = []
    /// With the header of 4 bytes; nil: nothing begun, or the header itself is cut.
    var isOpen = false
}
