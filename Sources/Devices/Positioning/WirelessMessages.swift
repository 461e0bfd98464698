internal import CLinux

/// One access point that the Wi-Fi adapter heard.
public struct VisibleNetwork: Sendable, Hashable {
    /// The access point's address (BSSID), 48 bits.
    public var address: UInt64
    /// Signal strength in 0.01 dBm (so -7000 is -70 dBm); nil when the driver has no such unit.
    public var signal: Int32?
    /// Milliseconds since it was last heard.
    public var age: Int64
    /// Whether this box uses it.
    public var isConnected: Bool

    public init(address: UInt64, signal: Int32? = nil, age: Int64, isConnected: Bool = false) {
        self.address = address
        self.signal = signal
        self.age = age
        self.isConnected = isConnected
    }
}

/// The questions to nl80211 (linux/nl80211.h) for the networks heard so far, and what its answers mean.
enum WirelessMessages {
    /// Asks for the number of the family "nl80211".
    static func familyRequest(sequence: UInt32) -> [UInt8] {
        Netlink.request(
            type: UInt16(GENL_ID_CTRL), flags: NLM_F_REQUEST, command: UInt8(CTRL_CMD_GETFAMILY), sequence: sequence,
            attribute: (Int(CTRL_ATTR_FAMILY_NAME), Array("nl80211\0".utf8)))
    }

    /// The number of the family.
    static func family(in message: Netlink.Message) -> UInt16? {
        Netlink.genericAttributes(of: message.payload)[Int(CTRL_ATTR_FAMILY_ID)].flatMap { Netlink.number(in: $0) }
    }

    /// Asks for all wireless interfaces.
    static func interfacesRequest(family: UInt16, sequence: UInt32) -> [UInt8] {
        Netlink.request(type: family, flags: dump, command: UInt8(NL80211_CMD_GET_INTERFACE.rawValue), sequence: sequence)
    }

    /// The index of an interface that hears networks; nil for access points and the like.
    static func station(in message: Netlink.Message) -> UInt32? {
        let attributes = Netlink.genericAttributes(of: message.payload)
        guard let type: UInt32 = attributes[Int(NL80211_ATTR_IFTYPE.rawValue)].flatMap({ Netlink.number(in: $0) }),
            type == NL80211_IFTYPE_STATION.rawValue
        else { return nil }
        return attributes[Int(NL80211_ATTR_IFINDEX.rawValue)].flatMap { Netlink.number(in: $0) }
    }

    /// Asks for what an interface has heard; no scan is started.
    static func networksRequest(family: UInt16, interface: UInt32, sequence: UInt32) -> [UInt8] {
        Netlink.request(
            type: family, flags: dump, command: UInt8(NL80211_CMD_GET_SCAN.rawValue), sequence: sequence,
            attribute: (Int(NL80211_ATTR_IFINDEX.rawValue), Netlink.bytes(interface)))
    }

    /// The access point of one message; nil when it names none.
    static func network(in message: Netlink.Message) -> VisibleNetwork? {
        guard let nested = Netlink.genericAttributes(of: message.payload)[Int(NL80211_ATTR_BSS.rawValue)] else { return nil }
        let fields = Netlink.attributes(in: nested)
        guard let address = fields[Int(NL80211_BSS_BSSID.rawValue)], address.count == 6,
            let age: UInt32 = fields[Int(NL80211_BSS_SEEN_MS_AGO.rawValue)].flatMap({ Netlink.number(in: $0) })
        else { return nil }
        let status: UInt32? = fields[Int(NL80211_BSS_STATUS.rawValue)].flatMap { Netlink.number(in: $0) }
        return VisibleNetwork(
            address: address.reduce(0) { $0 << 8 | UInt64($1) },
            signal: fields[Int(NL80211_BSS_SIGNAL_MBM.rawValue)].flatMap { Netlink.number(in: $0) }, age: Int64(age),
            isConnected: status == NL80211_BSS_STATUS_ASSOCIATED.rawValue)
    }

    private static let dump = NLM_F_REQUEST | NLM_F_ROOT | NLM_F_MATCH
}
