import CCurl
import Foundation

/// One conversation with the server about one message: what was given, and what the server said to it.
struct SMTPAttempt {
    /// The last command that was sent; the greeting is awaited before the first.
    private enum Step: Equatable {
        case greeting, hello, tls, login, sender, recipient, message
    }

    let letter: SMTPConnection.Letter
    private let began: ContinuousClock.Instant, opened = ContinuousClock.now
    private var given = 0
    /// The dot behind the message is on its way: from here on the server may have the message.
    private var isAllGiven = false
    private var step = Step.greeting
    /// The last line that the server said to the last command; empty while it has said nothing.
    private var reply: [UInt8] = []
    private var mustEnd = false
    /// libcurl says good-bye: what is answered to that is no word about the message.
    private var isOver = false
    var code = CURLE_OK
    /// The error of libcurl.
    var why = ""

    private static let replyMaximum = 1000

    /// - Parameter began: when the message had its turn: an earlier try counts.
    init(_ letter: SMTPConnection.Letter, began: ContinuousClock.Instant) { (self.letter, self.began) = (letter, began) }

    /// How long the server has yet, in milliseconds.
    var rest: Int64 { letter.limit - Self.milliseconds(since: began) }

    private static func milliseconds(since start: ContinuousClock.Instant) -> Int64 {
        let span = start.duration(to: .now).components
        return span.seconds * 1000 + span.attoseconds / 1_000_000_000_000_000
    }

    // MARK: What libcurl calls

    static func give(_ room: UnsafeMutablePointer<CChar>?, _ count: Int, _ context: UnsafeMutableRawPointer?) -> Int {
        guard let room, let attempt = context?.assumingMemoryBound(to: SMTPAttempt.self) else { return 0 }
        let bytes = attempt.pointee.letter.bytes, start = attempt.pointee.given, size = min(count, bytes.count - start)
        if size == 0 {
            (attempt.pointee.isAllGiven, attempt.pointee.reply) = (true, [])
            return 0
        }
        bytes.withUnsafeBytes { source in
            UnsafeMutableRawPointer(room).copyMemory(from: source.baseAddress?.advanced(by: start) ?? .init(room), byteCount: size)
        }
        attempt.pointee.given += size
        return size
    }

    static func hear(_ kind: curl_infotype, _ text: UnsafeMutablePointer<CChar>?, _ count: Int, _ context: UnsafeMutableRawPointer?)
        -> Int32
    {
        guard let text, let attempt = context?.assumingMemoryBound(to: SMTPAttempt.self) else { return 0 }
        let bytes = UnsafeRawBufferPointer(start: text, count: count)
        switch kind {
        case CURLINFO_HEADER_OUT: attempt.pointee.said(bytes)
        // Of several lines the last one counts.
        case CURLINFO_HEADER_IN where !attempt.pointee.isOver: attempt.pointee.reply = Array(bytes.prefix(replyMaximum))
        default: break
        }
        return 0
    }

    static func mustStop(_ context: UnsafeMutableRawPointer?) -> Bool {
        guard let attempt = context?.assumingMemoryBound(to: SMTPAttempt.self), !attempt.pointee.isAllGiven else { return false }
        let letter = attempt.pointee.letter, isLate = milliseconds(since: attempt.pointee.opened) >= letter.handOverLimit
        attempt.pointee.mustEnd = isLate || letter.isCancelled
        return attempt.pointee.mustEnd
    }

    /// Only the command's name: what stands behind may be a secret.
    private mutating func said(_ bytes: UnsafeRawBufferPointer) {
        let steps: [String: Step] = [
            "EHLO": .hello, "HELO": .hello, "STARTTLS": .tls, "AUTH": .login, "MAIL": .sender, "RCPT": .recipient, "DATA": .message,
        ]
        let word = String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
        if word == "QUIT" { isOver = true }
        guard !isOver else { return }
        // What has no name goes on with the command before it.
        if let step = steps[word] { self.step = step }
        reply = []
    }

    // MARK: What it came to

    private var status: Int? { Int(String(decoding: reply.prefix(3), as: UTF8.self)).flatMap { (200..<600).contains($0) ? $0 : nil } }

    /// The line was closed, or is being closed (421), before the server could have the message.
    var isLineBroken: Bool { code != CURLE_OK && !isAllGiven && !mustEnd && [nil, 421].contains(status) && step != .login }

    /// nil when the server took the message.
    func problem(_ server: SMTPServer) -> MailProblem? {
        guard code != CURLE_OK else { return nil }
        let name = server.name, said = MailProblem.withoutAddresses(reply.dropFirst(4)), why = MailProblem.withoutAddresses(why.utf8)
        if let status, status >= 400 {
            switch step {
            case .login: return .barred(server: name, code: status, said: said)
            case .tls: return .insecure(server: name, why: "\(status) \(said)")
            // What the server says to every message is no word about this one.
            case .greeting, .hello, .sender:
                return status < 500 ? .deferred(server: name, code: status, said: said) : .barred(server: name, code: status, said: said)
            case .recipient, .message:
                return status < 500 ? .deferred(server: name, code: status, said: said) : .rejected(server: name, code: status, said: said)
            }
        }
        if isAllGiven { return .unanswered(server: name, why: why) }
        switch code {
        case CURLE_ABORTED_BY_CALLBACK where letter.isCancelled: return .stopped
        case CURLE_ABORTED_BY_CALLBACK:
            return .unreachable(server: name, why: "it did not take the message in \(letter.handOverLimit / 1000) s")
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_USE_SSL_FAILED, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM:
            return .insecure(server: name, why: why)
        case CURLE_LOGIN_DENIED: return .barred(server: name, code: status ?? 0, said: why)
        default: return .unreachable(server: name, why: why)
        }
    }
}
