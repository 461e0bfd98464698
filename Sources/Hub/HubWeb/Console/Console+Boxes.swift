import Accounts
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import SyncProtocol
import Vitals

/// Boxes for operators: state, battery, version, and since when each is silent. Nothing of what they measure (OPS-1).
struct ConsoleBoxPages: Sendable {
    let store: ConsoleStore
    let accounts: AccountStore
    let boxes: BoxConditions
    let templates: Templates
    let now: @Sendable () -> Milliseconds

    private static let path = "/operator/boxes"

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/operator/boxes") { request, context in try list(Frame(request, context), request) }
    }

    private func list(_ frame: Frame, _ request: Request) throws -> Response {
        _ = try frame.session(as: .operator)
        let texts = frame.texts, query = ConsoleQuery(request), isSilent = request.uri.queryParameters["silent"] == "1"
        let (found, next) = try isSilent ? silent(query) : named(query)
        let items = try found.map { try item($0, texts) }
        let page = ConsoleBoxesPage(
            q: query.text, isEmpty: items.isEmpty, items: items,
            choices: [
                Choice(href: Self.path, text: texts["console.boxesAll"], isHere: !isSilent),
                Choice(href: Self.path + "?silent=1", text: texts["console.boxesSilent"], isHere: isSilent),
            ], more: next.map { query.next(Self.path, after: $0, isSilent ? "&silent=1" : "") })
        return templates.page(page, frame, title: texts["console.boxes"], help: "console")
    }

    /// Those that report no more, the longest silent first. `after` counts them.
    private func silent(_ query: ConsoleQuery) throws -> ([AgentStore.ListedAgent], Int64?) {
        let all = boxes.silent(now: now()), from = Int(clamping: max(0, query.after))
        let shown = all.dropFirst(from).prefix(ConsoleStore.pageMax), next = from + shown.count
        return (try shown.compactMap { try accounts.agents.listed($0.box) }, next < all.count ? Int64(next) : nil)
    }

    private func named(_ query: ConsoleQuery) throws -> ([AgentStore.ListedAgent], Int64?) {
        if let id = AgentID(query.text) { return (try accounts.agents.listed(id).map { [$0] } ?? [], nil) }
        let page = try store.boxes(with: query.words, after: query.after)
        return (page.items, page.next)
    }

    private func item(_ box: AgentStore.ListedAgent, _ texts: Texts) throws -> ConsoleBox {
        let people = try box.agent.people.keys.sorted().map { person in
            Link(
                href: "/operator/people/\(person)",
                text: try accounts.account(AccountID(person))?.name ?? texts["console.nameless"])
        }
        return ConsoleBox(box, boxes.last(of: box.agent.id), people, texts, now())
    }
}

/// What a page asks for by its address.
struct ConsoleQuery {
    /// Characters of a search, at most.
    private static let textMax = 100

    /// As it was typed.
    let text: String
    /// The rows behind this one.
    let after: Int64

    init(_ request: Request) {
        let typed = request.uri.queryParameters["q"].map { $0.replacingOccurrences(of: "+", with: " ") } ?? ""
        text = String(typed.prefix(Self.textMax)).trimmingCharacters(in: .whitespaces)
        after = request.uri.queryParameters["after"].flatMap { Int64($0) } ?? 0
    }

    var words: [String] { text.split(separator: " ").map(String.init) }

    /// The address of the next page.
    func next(_ path: String, after row: Int64, _ also: String = "") -> String { "\(path)?after=\(row)\(asked)\(also)" }

    /// The search as a part of an address.
    private var asked: String {
        text.isEmpty ? "" : "&q=" + (text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")
    }
}

/// A box as operators see it.
struct ConsoleBox: TemplateModel {
    let name: String, level: String, state: String
    let facts: [Fact]
    let people: [Link]

    /// - Parameter heard: nil where it has said nothing since the hub's start.
    init(_ box: AgentStore.ListedAgent, _ heard: BoxConditions.Heard?, _ people: [Link], _ texts: Texts, _ now: Milliseconds) {
        name = box.name.isEmpty ? box.agent.id.description : box.name
        self.people = people
        let age = heard.map { max(0, now - $0.time) }, isSilent = age.map { $0 > BoxConditions.silentAfter } ?? true
        level = box.agent.revoked ? "" : isSilent ? "warn" : "good"
        state =
            texts[
                box.agent.revoked
                    ? "console.boxRevoked" : heard == nil ? "console.boxUnknown" : isSilent ? "console.boxSilent" : "console.boxHeard"]
        var facts = [Fact(label: texts["console.boxSince"], value: texts.instant(box.created))]
        if let heard { facts.append(Fact(label: texts["console.boxLast"], value: texts.moment(heard.time, now: now))) }
        if let percent = heard?.report.batteryPercent {
            facts.append(Fact(label: texts["boxes.battery"], value: "\(texts.number(percent))\u{A0}%"))
        }
        if let version = heard?.report.version { facts.append(Fact(label: texts["boxes.version"], value: version)) }
        if box.copiesSeen > 0 { facts.append(Fact(label: texts["console.boxCopies"], value: texts.number(box.copiesSeen))) }
        self.facts = facts
    }
}

struct ConsoleBoxesPage: FramedPage {
    static let template = "consoleBoxes"

    let q: String
    let isEmpty: Bool
    let items: [ConsoleBox]
    let choices: [Choice]
    /// The address of the next page.
    var more: String?
}
