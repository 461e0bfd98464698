import Foundation
public import HubStore
public import Vitals
public import WebPush

/// The browsers to which a person has notices pushed (ACC-15).
public struct PushDevices: Sendable {
    private let store: PushStore
    private let addresses: EgressPolicy

    public init(store: PushStore, addresses: EgressPolicy) { (self.store, self.addresses) = (store, addresses) }

    /// Takes what a browser gave: `JSON.stringify` of its subscription.
    /// - Parameters:
    ///   - name: the browser, for its owner's list.
    ///   - session: by its hash; the browser goes with it.
    /// - Throws: ``WebPush/PushProblem`` for what is no subscription, or leads into the hub's own network.
    public func add(_ json: String, name: String, to account: StoredAccount, session: [UInt8]? = nil, now: Milliseconds) throws {
        let subscription = try PushSubscription(json: Array(json.utf8))
        func refused(_ why: String) -> PushProblem { .badSubscription(field: "endpoint", why: why) }
        guard let url = try? OutsideURL(subscription.endpoint) else { throw refused("is no address that the hub sends to") }
        // A name is looked at with each message; what it leads to can change.
        if let address = IPAddress(url.host), !addresses.isOutside(address) { throw refused("does not lead to the public Internet") }
        let address = PushAddress(
            endpoint: subscription.endpoint, publicKey: subscription.publicKey, secret: subscription.secret, name: String(name.prefix(100)))
        try store.addPushDevice(address, to: account, session: session, now: now)
    }
}

extension PushSender {
    /// As the service worker reads it; text that is too long is cut.
    static func payload(_ letter: Letter) throws -> [UInt8] {
        var letter = letter
        (letter.title, letter.text) = (String(letter.title.prefix(120)), String(letter.text.prefix(400)))
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(letter))
    }
}

extension ServerKey {
    /// The hub's key for push services. It comes of the master key: it lives as long as the hub, and stands in no database or backup.
    public init(of accounts: AccountStore) throws(PushProblem) {
        // Nearly every 256-bit number is a key on P-256.
        let keys = (0..<4).lazy.compactMap { try? ServerKey(bytes: accounts.derivedKey("web push \($0)")) }
        guard let key = keys.first else { throw .badKey }
        self = key
    }
}
