import Credentials
import Crypto
public import HubStore
import Seams
public import Vitals

/// The webhooks of organisations (CONS-5).
public struct Webhooks: Sendable {
    private let store: WebhookStore
    private let addresses: EgressPolicy

    public init(store: WebhookStore, addresses: EgressPolicy) {
        (self.store, self.addresses) = (store, addresses)
    }

    /// Why a webhook is not made.
    public enum Problem: Error, Sendable, Hashable {
        case url(OutsideURL.Problem)
        /// The address lies in no network to which the hub sends.
        case inside
        /// The organisation has ``HubStore/AccountStore/webhooksMax`` webhooks, or is not confirmed.
        case tooMany
    }

    /// Makes a webhook. Its secret is shown now and never again.
    public func add(_ url: String, to organisation: OrganisationID, now: Milliseconds) throws -> StoredWebhook {
        let outside: OutsideURL
        do { outside = try OutsideURL(url) } catch { throw Problem.url(error) }
        // A name is looked at with each delivery; what it leads to can change.
        if let address = IPAddress(outside.host), !addresses.isOutside(address) { throw Problem.inside }
        let secret = SecretToken.random(using: store.machine.randomness).text
        guard let webhook = try store.addWebhook(outside.text, secret: secret, to: organisation, now: now) else {
            throw Problem.tooMany
        }
        return webhook
    }

    /// The signature that proves a delivery's origin and time to an organisation: `t=SECONDS,v1=HEX`, the HMAC-SHA256 of `SECONDS.BODY` under the
    /// webhook's secret (its text as UTF-8).
    public static func signature(of body: [UInt8], secret: String, seconds: Int64) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: Array("\(seconds).".utf8) + body, using: SymmetricKey(data: Array(secret.utf8)))
        return "t=\(seconds),v1=\(Hexadecimal.string(code))"
    }
}

/// The headers of a delivery.
public enum WebhookHeader {
    /// See ``Webhooks/signature(of:secret:seconds:)``. The time is that of the try.
    public static let signature = "TrackMe-Signature"
    /// Counts the deliveries of a webhook from 1: what comes again with the same number is the same.
    public static let delivery = "TrackMe-Delivery"
    public static let webhook = "TrackMe-Webhook"
}
