internal import NIOCore

/// One message on its way: the requests that it takes, one after the other.
struct SIPDelivery: Sendable {
    let message: SIPMessage
    let patience: Moment
    let loop: any EventLoop

    func run(to first: SIPTarget) async -> SIPOutcome {
        var target = first, uri = message.requestURI, identity = SIPIdentity(random: Self.random)
        for _ in 0..<SIPSender.stepsMax {
            let request = SIPRequest(message: message, target: target, uri: uri, identity: identity)
            let attempt = await SIPAttempt(request: request, patience: patience, loop: loop).run()
            switch attempt.ending {
            case .lost(let reason, _): return .noAnswer(what: "\(target.authority): \(reason)", advice: SIPProblem.advice(reason))
            case .silence(let sent, let provisional): return silence(target, sent, provisional)
            case .answered(let response, let answer):
                guard case .response(let status, let reason) = response.start else { return silence(target, 1, nil) }
                identity.next(random: Self.random)
                switch status {
                case 200...299: return .delivered(receipt(response, status, reason, answer, attempt, identity, target))
                case 300...399:
                    guard let next = SIPRedirect.place(response.header("contact"), from: target) else { break }
                    (target, uri) = next
                    continue
                default: break
                }
                return .refused(SIPRefusal(response, status: status, reason: reason))
            }
        }
        return .noAnswer(
            what: "\(first.authority): it sends the message from place to place", advice: "ask the control room for one address")
    }

    static func random() -> UInt64 { UInt64.random(in: .min ... .max) }

    private func silence(_ target: SIPTarget, _ sent: Int, _ provisional: Int?) -> SIPOutcome {
        let heard = provisional.map { ", which said \($0) and no more" } ?? ""
        return .noAnswer(
            what: "\(target.authority): no answer to \(sent == 1 ? "the message" : "\(sent) sendings")\(heard)",
            advice: "check address, port and transport, and whether a firewall stands between; it is tried again")
    }

    private func receipt(
        _ response: SIPIncoming, _ status: Int, _ reason: String, _ answer: SIPIncoming?, _ attempt: SIPAttempt.Result,
        _ identity: SIPIdentity, _ target: SIPTarget
    ) -> SIPReceipt {
        let spoken = answer ?? response
        return SIPReceipt(
            status: status, reason: reason, peer: attempt.peer ?? target.authority, transport: attempt.transport,
            server: response.header("server").map { String($0.headerSafe.prefix(100)) }, callID: identity.callID, answer: spoken.body,
            answerType: spoken.body.isEmpty ? nil : spoken.header("content-type").map { String($0.headerSafe.prefix(100)) })
    }
}

/// Where a redirection leads (RFC 3261, 8.1.3.4).
enum SIPRedirect {
    /// `Name <sip:host:port;transport=tcp>` or without brackets; nil for what cannot be followed. From TLS it never leads to anything
    /// else: an alarm must not be drawn into the open.
    static func place(_ contact: String?, from target: SIPTarget) -> (SIPTarget, uri: String)? {
        guard let contact, let uri = address(contact) else { return nil }
        let isSecure = uri.hasPrefix("sips:")
        guard isSecure || uri.hasPrefix("sip:") else { return nil }
        let parts = uri.drop { $0 != ":" }.dropFirst().split(separator: ";")
        guard let place = parts.first?.split(separator: "@").last.map({ $0.prefix { $0 != "?" } }), let (host, port) = hostAndPort(place)
        else {
            return nil
        }
        let wanted = parts.dropFirst().first { $0.lowercased().hasPrefix("transport=") }?.dropFirst(10).lowercased()
        var next: SIPTarget
        switch (target.transport, wanted) {
        case (.tls(let trust), nil), (.tls(let trust), "tls"): next = SIPTarget(host: host, port: port, transport: .tls(trust))
        case (.tls(let trust), "tcp") where isSecure: next = SIPTarget(host: host, port: port, transport: .tls(trust))
        case (.tls, _): return nil
        case (_, "tls"): return nil
        case (_, _) where isSecure: return nil
        case (_, "tcp"): next = SIPTarget(host: host, port: port, transport: .tcp)
        default: next = SIPTarget(host: host, port: port, transport: .udp)
        }
        next.credentials = target.credentials
        return (next, String(uri).headerSafe)
    }

    private static func address(_ contact: String) -> Substring? {
        guard let open = contact.firstIndex(of: "<") else { return contact.split(separator: ",").first?.drop { $0 == " " } }
        return contact[contact.index(after: open)...].prefix { $0 != ">" }
    }

    private static func hostAndPort(_ text: Substring) -> (String, Int?)? {
        let host: Substring, rest: Substring
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            (host, rest) = (text[..<end].dropFirst(), text[text.index(after: end)...])
        } else {
            host = text.prefix { $0 != ":" }
            rest = text[host.endIndex...]
        }
        guard !host.isEmpty else { return nil }
        if rest.isEmpty { return (String(host), nil) }
        guard rest.hasPrefix(":"), let port = Int(rest.dropFirst()), (1...65_535).contains(port) else { return nil }
        return (String(host), port)
    }
}
