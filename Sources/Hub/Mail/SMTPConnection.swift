import CCurl
import Foundation
import Synchronization

/// One line to the mail server. It opens with the first message, stays open for the next, and opens again when it broke. Its calls wait: they
/// belong on a thread of their own.
final class SMTPConnection: Sendable {
    /// One message on its way.
    final class Letter: Sendable {
        let from: String, to: String
        let bytes: [UInt8]
        /// Milliseconds until the server must have all of it, and until it must have answered.
        let handOverLimit: Int64, limit: Int64
        /// It is none: the server is only greeted, asked for TLS and logged in to.
        let isLook: Bool
        private let cancelled = Atomic(false)

        init(from: String, to: String, bytes: [UInt8], handOverLimit: Int64, limit: Int64, isLook: Bool = false) {
            (self.from, self.to, self.bytes, self.handOverLimit, self.limit) = (from, to, bytes, handOverLimit, limit)
            self.isLook = isLook
        }

        func cancel() { cancelled.store(true, ordering: .relaxed) }
        var isCancelled: Bool { cancelled.load(ordering: .relaxed) }
    }

    /// libcurl's handle, with the connection that it keeps.
    private struct Handle: ~Copyable {
        let curl: UnsafeMutableRawPointer
        deinit { curl_easy_cleanup(curl) }
    }

    private static let isReady = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK

    private let server: SMTPServer
    private let handle = Mutex<Handle?>(nil)

    init(_ server: SMTPServer) { self.server = server }

    /// Says good-bye to the server.
    func close() { handle.withLock { $0 = nil } }

    /// - Returns: nil when the server took the message.
    func submit(_ letter: Letter) -> MailProblem? {
        handle.withLock { handle in
            if handle == nil, Self.isReady, let curl = curl_easy_init() { handle = Handle(curl: curl) }
            guard let curl = handle?.curl else { return .unreachable(server: server.name, why: "libcurl does not start") }
            let began = ContinuousClock.now
            var attempt = SMTPAttempt(letter, began: began)
            let wasKept = perform(&attempt, curl, isFresh: false)
            // A server may hang up at any time on a line that was kept: then it has nothing of this message.
            if wasKept, attempt.isLineBroken {
                attempt = SMTPAttempt(letter, began: began)
                _ = perform(&attempt, curl, isFresh: true)
            }
            return attempt.problem(server)
        }
    }

    /// - Returns: whether the line was open before.
    private func perform(_ attempt: inout SMTPAttempt, _ curl: UnsafeMutableRawPointer, isFresh: Bool) -> Bool {
        curl_easy_reset(curl)
        set(curl)
        trackme_curl_number(curl, CURLOPT_FRESH_CONNECT, isFresh ? 1 : 0)
        let recipients = attempt.letter.isLook ? nil : curl_slist_append(nil, attempt.letter.to)
        defer { curl_slist_free_all(recipients) }
        if attempt.letter.isLook {
            trackme_curl_text(curl, CURLOPT_CUSTOMREQUEST, "NOOP")
            trackme_curl_number(curl, CURLOPT_NOBODY, 1)
        } else {
            trackme_curl_text(curl, CURLOPT_MAIL_FROM, attempt.letter.from)
            trackme_curl_list(curl, CURLOPT_MAIL_RCPT, recipients)
            trackme_curl_number(curl, CURLOPT_UPLOAD, 1)
        }
        trackme_curl_number(curl, CURLOPT_CONNECTTIMEOUT_MS, Int(attempt.letter.handOverLimit))
        trackme_curl_number(curl, CURLOPT_TIMEOUT_MS, Int(max(1, attempt.rest)))
        trackme_curl_number(curl, CURLOPT_SERVER_RESPONSE_TIMEOUT, Int(attempt.letter.limit / 1000 + 1))
        var words = [CChar](repeating: 0, count: Int(CURL_ERROR_SIZE))
        attempt.code = words.withUnsafeMutableBufferPointer { words in
            withUnsafeMutablePointer(to: &attempt) { attempt in
                trackme_curl_pointer(curl, CURLOPT_ERRORBUFFER, words.baseAddress)
                trackme_curl_reader(curl, { SMTPAttempt.give($0, $1 * $2, $3) }, attempt)
                trackme_curl_listener(curl, { SMTPAttempt.hear($1, $2, $3, $4) }, attempt)
                trackme_curl_progress(curl, { context, _, _, _, _ in SMTPAttempt.mustStop(context) ? 1 : 0 }, attempt)
                return curl_easy_perform(curl)
            }
        }
        attempt.why = String(decoding: words.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // What stood on the stack is gone.
        trackme_curl_pointer(curl, CURLOPT_ERRORBUFFER, nil)
        return trackme_curl_connections(curl) == 0
    }

    private func set(_ curl: UnsafeMutableRawPointer) {
        trackme_curl_text(curl, CURLOPT_URL, server.url)
        trackme_curl_text(curl, CURLOPT_PROTOCOLS_STR, "smtp,smtps")
        // What stands in the environment of a service is no wish for its mails.
        trackme_curl_text(curl, CURLOPT_PROXY, "")
        // Signals belong to the whole process.
        trackme_curl_number(curl, CURLOPT_NOSIGNAL, 1)
        trackme_curl_number(curl, CURLOPT_NOPROGRESS, 0)
        trackme_curl_number(curl, CURLOPT_VERBOSE, 1)
        trackme_curl_number(curl, CURLOPT_MAXAGE_CONN, SMTPSubmission.idleSeconds)
        trackme_curl_number(curl, CURLOPT_TCP_NODELAY, 1)
        if server.security == .startTLS { trackme_curl_number(curl, CURLOPT_USE_SSL, Int(CURLUSESSL_ALL.rawValue)) }
        if let authority = server.authority { trackme_curl_text(curl, CURLOPT_CAINFO, authority) }
        guard let user = server.user, let password = server.password else { return }
        trackme_curl_text(curl, CURLOPT_USERNAME, user)
        trackme_curl_text(curl, CURLOPT_PASSWORD, password)
        trackme_curl_number(curl, CURLOPT_SASL_IR, 1)
    }
}
