import Exchange
import HubStore
import Vitals

/// The payload of a subscription for webhooks, as JSON: the samples as in the lines of the API, packed up to a size.
///
///     {"type":"samples","consent":"…","after":"…","cursor":"…","samples":[{"kind":"heart_rate",…},…]}
///     {"type":"start-over","consent":"…","after":"…","cursor":"…","from":1795230000000}
///     {"type":"ended","consent":"…"}
///
/// Beside it they get what became of a request (`accepted`, `denied`, `unanswered`, `refused-by-operator`), and whether nothing of what was granted
/// exists when the person says yes:
///
///     {"type":"answered","consent":"…","state":"accepted"}
///     {"type":"no-data","consent":"…"}
///
/// `cursor` is the place behind the last whole segment; `after` that of the delivery before, null in the first. Whoever has another place
/// than `after` lacks a delivery that was given up, and reads the stream from its own place.
struct WebhookPayloads {
    /// Well below ``HubStore/AccountStore/deliveryBytesMax``: what stands around the samples, and one sample more, fit beside it.
    static let bytesMax = 196_608

    private(set) var payloads: [[UInt8]] = []
    /// The place that the last payload names.
    private(set) var told: String?
    private let consent: ConsentID
    private var done: String?
    private var samples: [UInt8] = []
    private var writer = JSONLinesWriter()

    /// - Parameter told: the place that the delivery before names.
    init(_ consent: ConsentID, told: String?) { (self.consent, self.told, done) = (consent, told, told) }

    mutating func append(_ arrival: Arrival, cursor: String) {
        var lines: [UInt8] = []
        writer.append(arrival.samples, from: arrival.provenance, to: &lines)
        for line in lines.split(separator: UInt8(ascii: "\n")) {
            if samples.count + line.count >= Self.bytesMax { flush() }
            if !samples.isEmpty { samples.append(UInt8(ascii: ",")) }
            samples += line
        }
        done = cursor
    }

    mutating func startOver(from: Milliseconds, cursor: String) {
        payloads.append(Array((head("start-over", cursor: cursor) + ",\"from\":\(from)}").utf8))
        (told, done) = (cursor, cursor)
    }

    /// Closes the payload that is open, if there is one.
    mutating func flush() {
        guard !samples.isEmpty else { return }
        payloads.append(Array((head("samples", cursor: done) + ",\"samples\":[").utf8) + samples + Array("]}".utf8))
        (told, samples) = (done, [])
    }

    /// Cursors are points and characters of base64url: nothing that JSON would have to escape.
    private func head(_ type: String, cursor: String?) -> String {
        func text(_ cursor: String?) -> String { cursor.map { "\"\($0)\"" } ?? "null" }
        return "{\"type\":\"\(type)\",\"consent\":\"\(consent)\",\"after\":\(text(told)),\"cursor\":\(text(cursor))"
    }
}
