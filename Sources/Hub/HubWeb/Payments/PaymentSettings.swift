import Accounts
import Configuration
import Foundation
import HubServices
import Seams
import Vitals

/// What is for sale, and the account at PayPal (docs/payments.md). As installed nothing is.
public struct PaymentSettings: Sendable {
    /// `hub.payments.enabled` / `HUB_PAYMENTS_ENABLED`: whether anything is for sale.
    public var isEnabled = false
    /// `hub.payments.offers`: each as `CODE=FEATURE DAYS PRICE CURRENCY`, such as `space-year=space 365 19.90 EUR`.
    public var offers: [String] = []
    /// `hub.payments.client`: the client ID of PayPal's developer dashboard.
    public var client: String?
    /// `hub.payments.secretFile`: a file that holds the client's secret and nothing else; without, the credential `hub.payments.secret` that
    /// systemd hands on (`LoadCredential=`).
    public var secretFile: String?
    /// `hub.payments.webhook`: the identifier that PayPal gave to the webhook of this hub.
    public var webhook: String?
    /// `hub.payments.api`: PayPal's REST API; `https://api-m.sandbox.paypal.com` to try it.
    public var api = "https://api-m.paypal.com"
    /// `hub.payments.grace`: days for which a paid feature stays on after its end.
    public var grace = 14
    /// `hub.payments.space`: bytes of measurements that somebody keeps who has paid for space.
    public var space = Quota.paidBytesMaxDefault
    /// Where systemd puts credentials.
    var credentials: String?

    static let graceRange = 0...365
    /// Offers, at most.
    static let offersMax = 20

    init() {}

    init(_ config: ConfigReader, _ environment: [String: String]) {
        func text(_ key: String) -> String? { config.string(forKey: ConfigKey(key)).flatMap { $0.isEmpty ? nil : $0 } }
        isEnabled = config.bool(forKey: "enabled") ?? false
        offers = config.stringArray(forKey: "offers") ?? []
        (client, secretFile, webhook) = (text("client"), text("secretFile"), text("webhook"))
        api = text("api") ?? api
        grace = config.int(forKey: "grace") ?? grace
        space = config.int(forKey: "space") ?? space
        credentials = environment["CREDENTIALS_DIRECTORY"]
    }

    /// Milliseconds of grace.
    var graceTime: Milliseconds { Milliseconds(grace) * Entitlement.day }

    /// What is for sale, and the account at PayPal; nil while nothing is.
    /// - Throws: ``HubConfigurationError`` for the first mistake.
    func sale(_ quota: Int, on machine: Machine = .system) throws -> (offers: [PaidOffer], payPal: PayPal.Settings)? {
        guard Self.graceRange.contains(grace) else {
            throw HubConfigurationError("hub.payments.grace is \(grace): use 0 to \(Self.graceRange.upperBound) days.")
        }
        guard isEnabled else { return nil }
        guard space > quota else {
            throw HubConfigurationError("hub.payments.space is \(space) bytes: it must be more than hub.quota, which is \(quota).")
        }
        guard let client, let webhook else {
            throw HubConfigurationError(
                "hub.payments.enabled is true, but hub.payments.client or hub.payments.webhook is missing: both are in PayPal's developer dashboard."
            )
        }
        return (try readOffers(), PayPal.Settings(api: try address(), client: client, secret: try secret(machine), webhook: webhook))
    }

    private func readOffers() throws -> [PaidOffer] {
        guard (1...Self.offersMax).contains(offers.count) else {
            throw HubConfigurationError("hub.payments.offers has \(offers.count) entries: give 1 to \(Self.offersMax).")
        }
        let read = try offers.map { text in
            guard let offer = PaidOffer(text) else {
                let days = PaidOffer.daysRange
                throw HubConfigurationError(
                    "hub.payments.offers holds \(text): write CODE=FEATURE DAYS PRICE CURRENCY, like space-year=space 365 19.90 EUR. The feature is \(PaidFeature.allCases.map(\.rawValue).joined(separator: " or ")), days are \(days.lowerBound) to \(days.upperBound)."
                )
            }
            return offer
        }
        guard Set(read.map(\.code)).count == read.count else {
            throw HubConfigurationError("hub.payments.offers names a code twice: give each offer one of its own.")
        }
        return read
    }

    private func address() throws -> String {
        let isLocal = ["http://127.0.0.1:", "http://[::1]:"].contains { api.hasPrefix($0) }
        guard let url = URL(string: api), url.host != nil, url.scheme == "https" || isLocal, !api.hasSuffix("/") else {
            throw HubConfigurationError(
                "hub.payments.api is \(api): write https://api-m.paypal.com, or https://api-m.sandbox.paypal.com to try it.")
        }
        return api
    }

    private func secret(_ machine: Machine) throws -> String {
        let credential = credentials.map { "\($0)/hub.payments.secret" }.flatMap { machine.files.exists($0) ? $0 : nil }
        guard let file = secretFile ?? credential else {
            throw HubConfigurationError(
                "hub.payments.enabled is true, but there is no secret: name its file in hub.payments.secretFile, or hand it on as the credential hub.payments.secret."
            )
        }
        guard let bytes = try? machine.files.read(file), case let text = String(decoding: bytes, as: UTF8.self),
            case let secret = text.trimmingCharacters(in: .whitespacesAndNewlines), !secret.isEmpty
        else {
            throw HubConfigurationError(
                "hub.payments.secretFile is \(file), which cannot be read or is empty: write the secret into it, and make it readable for the hub's user alone."
            )
        }
        return secret
    }
}
