import Glibc
import HTTPTypes
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import Seams
import Synchronization
import Vitals

/// Answers the requests of connections, one after the other on each.
struct RequestAnswers<Responder: HTTPResponder<HubContext>>: Sendable {
    let responder: Responder
    let logger: Logger
    let machine: Machine
    private let date = DateHeader()

    init(_ responder: Responder, logger: Logger, machine: Machine) {
        (self.responder, self.logger, self.machine) = (responder, logger, machine)
    }

    /// A part of the request could not be read while its answer was written: there is no further answer.
    struct Unreadable: Error {}

    func answer(_ request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel) async throws {
        var logger = logger
        logger[metadataKey: "hb.request.id"] = .stringConvertible(RequestID())
        var response: Response
        do {
            response = try await responder.respond(to: request, context: HubContext(source: .init(channel: channel, logger: logger)))
        } catch let error as HTTPParserError {
            throw error
        } catch {
            logger.debug("no answer was made", metadata: ["error": "\(type(of: error))"])
            response = Response(status: .internalServerError)
        }
        response.headers[.date] = date.text(at: machine.utc)
        do { try await writer.write(response: response.head, body: response.body) } catch is HTTPParserError { throw Unreadable() }
    }
}

/// The time of day as the field Date has it (RFC 9110, 5.6.7), made once a second.
final class DateHeader: Sendable {
    private let made = Mutex((second: Int64.min, text: ""))

    private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// - Parameter now: UTC milliseconds.
    func text(at now: Milliseconds) -> String {
        let second = now / 1000
        return made.withLock { made in
            if made.second != second { made = (second, Self.text(of: second)) }
            return made.text
        }
    }

    /// - Parameter second: since 1970, UTC.
    static func text(of second: Int64) -> String {
        var time = time_t(second), parts = tm()
        gmtime_r(&time, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let day = days[Int(parts.tm_wday) % 7], month = months[Int(parts.tm_mon) % 12]
        let clock = "\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))"
        return "\(day), \(two(parts.tm_mday)) \(month) \(parts.tm_year + 1900) \(clock) GMT"
    }
}
