import Foundation
import HubServices
import HubStore
import Vitals

/// A webhook as its organisation's program sees it.
struct WebhookAnswer: Encodable {
    var id: String
    var url: String
    /// Only in the answer that made it.
    var secret: String?
    var created: String
    var waiting: Int
    var dead: Int
    var missed: Int
    var failures: Int
    var lastDelivered: String?
    var lastError: String?

    init(_ webhook: StoredWebhook, secret: String?) {
        (id, url, self.secret, created) = (webhook.id.description, webhook.url, secret, APITime.text(webhook.created))
        (waiting, dead, missed, failures) = (webhook.waiting, webhook.dead, webhook.missed, webhook.failures)
        (lastDelivered, lastError) = (webhook.delivered.map(APITime.text), webhook.error)
    }

    init(_ webhook: StoredWebhook) { self.init(webhook, secret: nil) }

    enum CodingKeys: String, CodingKey {
        case id, url, secret, created, waiting, dead, missed, failures
        case lastDelivered = "last_delivered"
        case lastError = "last_error"
    }
}

/// A delivery that was given up. What it said is read by cursor.
struct DeadDeliveryAnswer: Encodable {
    var number: Int64
    var created: String
    var givenUp: String
    var tries: Int
    var error: String

    init(_ delivery: AbandonedDelivery) {
        (number, tries, error) = (delivery.number, delivery.tries, delivery.error)
        (created, givenUp) = (APITime.text(delivery.created), APITime.text(delivery.givenUp))
    }

    enum CodingKeys: String, CodingKey {
        case number, created, tries, error
        case givenUp = "given_up"
    }
}

/// Times in the API: RFC 3339, UTC, with milliseconds.
enum APITime {
    /// From 1970 to the year 9999.
    private static let times = 0...253_402_300_799_999.0

    /// RFC 3339 or UTC milliseconds; nil for what is neither.
    static func read(_ text: String) -> Milliseconds? {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))
        let time = Milliseconds(text).map(Double.init) ?? (try? style.parse(text)).map { $0.timeIntervalSince1970 * 1000 }
        return time.flatMap { times.contains($0) ? Milliseconds($0) : nil }
    }

    static func text(_ time: Milliseconds) -> String { DocumentTime.text(time) }
}
