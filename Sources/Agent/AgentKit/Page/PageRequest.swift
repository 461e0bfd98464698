internal import Languages
internal import NIOCore
internal import NIOHTTP1

/// What somebody's browser asks of the page, after what other web pages could ask in their name has been refused.
///
/// Every page that a browser on this box shows can send requests to 127.0.0.1. Three things keep them out: the name they used must be
/// this machine's own (DNS rebinding uses another), nothing but the page itself is given to other origins, and what acts must come from
/// this page, as JSON, which a browser sends to other origins only after asking.
enum PageRequest: Equatable {
    case page(Language)
    case asset(String)
    case status
    case events
    case act
    case refused(HTTPResponseStatus, String)

    /// Requests that the page may make; the rest belongs to the command line.
    static let actions: Set<ControlRequest.Action> = [
        .ok, .help, .falseAlarm, .reactivate, .drill, .pause, .resume, .sync, .kinds, .checkIn,
    ]

    init(_ head: HTTPRequestHead, port: Int, language: Language) {
        let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts[0], query = parts.count > 1 ? parts[1] : ""
        let ours = ["127.0.0.1", "localhost"].flatMap { port == 80 ? [$0, "\($0):80"] : ["\($0):\(port)"] }
        if let (status, text) = Self.refusal(head, hosts: ours, isPage: path == "/") {
            self = .refused(status, text)
            return
        }
        switch (head.method, path) {
        case (.GET, "/"): self = .page(Self.language(query, head.headers, language))
        case (.GET, "/status"): self = .status
        case (.GET, "/events"): self = .events
        case (.GET, _) where PageContent.assets[String(path.dropFirst())] != nil: self = .asset(String(path.dropFirst()))
        case (.POST, "/act"): self = Self.isJSON(head.headers) ? .act : .refused(.unsupportedMediaType, "Only application/json is read.")
        case (_, "/act"): self = .refused(.methodNotAllowed, "Only POST acts.")
        case (.GET, _): self = .refused(.notFound, "There is nothing at this address.")
        default: self = .refused(.methodNotAllowed, "Only GET and POST are answered.")
        }
    }

    /// Why a request that a browser sends must not be answered; nil when it may.
    /// - Parameters:
    ///   - ours: what the browser may have called this machine, with the port; the first is advised.
    ///   - isPage: it asks for the page itself.
    static func refusal(_ head: HTTPRequestHead, hosts ours: [String], isPage: Bool) -> (HTTPResponseStatus, String)? {
        let hosts = head.headers["host"]
        guard hosts.count == 1, ours.contains(hosts[0].lowercased()) else {
            return (.misdirectedRequest, "This page is opened as http://\(ours.first ?? "") only.")
        }
        let site = head.headers.first(name: "sec-fetch-site"), origin = head.headers.first(name: "origin")
        let isForeign = origin.map { $0.lowercased() != "http://\(hosts[0].lowercased())" } ?? false
        let refused = (HTTPResponseStatus.forbidden, "Another web page must not ask this.")
        if head.method == .GET {
            // A link from elsewhere may lead here; what it opens can be neither read nor framed by that page.
            return isPage || (!isForeign && [nil, "same-origin", "none"].contains(site)) ? nil : refused
        }
        return !isForeign && (origin != nil || site != nil) && [nil, "same-origin"].contains(site) ? nil : refused
    }

    static func isJSON(_ headers: HTTPHeaders) -> Bool {
        let type = headers.first(name: "content-type")?.lowercased().split(separator: ";").first
        return type?.filter { $0 != " " } == "application/json"
    }

    /// `?lang=`, else the one that the browser likes best, else the box's (ACC-12).
    static func language(_ query: Substring, _ headers: HTTPHeaders, _ fallback: Language) -> Language {
        for field in query.split(separator: "&") where field.hasPrefix("lang=") {
            if let chosen = Language(rawValue: String(field.dropFirst(5))) { return chosen }
        }
        var best: (language: Language, weight: Double)?
        for item in headers[canonicalForm: "accept-language"] {
            let parts = item.split(separator: ";").map { $0.filter { $0 != " " } }
            let tag = parts.first?.split(separator: "-").first?.lowercased() ?? ""
            guard let language = Language(rawValue: tag) else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            if weight > best?.weight ?? 0 { best = (language, weight) }
        }
        return best?.language ?? fallback
    }
}
