import HubServices
import HubStore
import Privacy
import Vitals

/// What My Followers shows (CONS-7): questions first, then who reads, then what is over.
struct FollowersModel {
    let consents: [PersonConsent]
    let blocked: [ConsentStore.BlockedAsker]
    let policy: AccessPolicy
    let offers: [(offer: ReadingOffer, isWaiting: Bool)]
    let links: [PersonLink]
    let now: Milliseconds
    /// Where questions are answered: `/ID/accept` goes behind it.
    var answers = "/followers"

    func model(_ texts: Texts) -> FollowersPage {
        var open: [FollowersPage.Entry] = [], running: [FollowersPage.Entry] = [], over: [FollowersPage.Entry] = []
        for item in consents {
            switch item.consent.state {
            case .awaitingOperator: continue
            case .pending(let question):
                let until = texts.filled("followers.answerUntil", ["time": texts.instant(question.expires)])
                var entry = entry(item, texts, asker(item, texts) + [until])
                entry.part = part(item, texts)
                open.append(entry)
            case .accepted(let access):
                let until = access.until.map { texts.filled("followers.until", ["time": texts.instant($0)]) } ?? texts["term.untilRevoked"]
                let since = texts.filled("followers.since", ["time": texts.instant(access.since)])
                var entry = entry(item, texts, asker(item, texts) + [since, until, read(item, texts)])
                entry.receipt = receipt(item)
                running.append(entry)
            case .over(let end):
                let ended = "\(texts.ending(end.ending)), \(texts.instant(end.at))"
                var entry = entry(item, texts, [ended] + [deletion(item, end, texts)].compactMap(\.self))
                if end.access != nil { entry.receipt = receipt(item) }
                if let repeated = item.repeated(at: now) {
                    let until = texts.instant(repeated.since + Consent.repeatsFor)
                    entry.again = .init(id: item.consent.id.description, text: texts.filled("followers.again", ["time": until]))
                }
                over.append(entry)
            }
        }
        return FollowersPage(
            open: open, running: running, hasLinks: !links.isEmpty, links: links.map { link($0, texts) },
            offers: offers.map { offered($0.offer, isWaiting: $0.isWaiting, texts) },
            policy: policy.anybody.isEmpty ? texts["followers.policyNothing"] : texts.kinds(policy.anybody),
            hasExceptions: !policy.exceptions.isEmpty, hasBlocked: !blocked.isEmpty,
            blocked: blocked.map { .init(key: $0.key, name: $0.name) }, hasOver: !over.isEmpty, over: over)
    }

    /// Whether an organisation deleted what the person took back.
    private func deletion(_ item: PersonConsent, _ end: Consent.End, _ texts: Texts) -> String? {
        guard end.ending == .revoked, case .organisation = item.consent.request.scope.asker else { return nil }
        return item.deletionConfirmed.map { texts.filled("followers.deletedAt", ["time": texts.instant($0)]) }
            ?? texts["followers.deleteAsked"]
    }

    /// The address of the receipt; nil where a parent looks.
    private func receipt(_ item: PersonConsent) -> String? { answers == "/followers" ? "/followers/\(item.consent.id)/receipt" : nil }

    private func link(_ link: PersonLink, _ texts: Texts) -> FollowersPage.LiveLink {
        let key =
            switch link.state {
            case .asked: "followers.linkAsked"
            case .unopened: "followers.linkUnopened"
            case .open: "followers.linkOpen"
            }
        return .init(id: link.id, text: texts.filled(key, ["time": texts.instant(link.until)]), isAsked: link.state == .asked)
    }

    private func offered(_ offer: ReadingOffer, isWaiting: Bool, _ texts: Texts) -> FollowersPage.Offer {
        let state =
            isWaiting
            ? texts.filled("followers.offerWaits", ["time": texts.instant(offer.expires)])
            : texts[offer.state == .withdrawn ? "ending.withdrawn" : "followers.offerOver"]
        return .init(
            id: offer.id.description, email: offer.details.email, kinds: texts.kinds(offer.details.kinds),
            term: texts.term(offer.details.term), purpose: offer.details.purpose, state: state, isWaiting: isWaiting)
    }

    /// The days for which somebody can say yes in place of what was asked.
    static let days = [1, 7, 30, 90, 365]

    /// What a yes to a part can be about; nil where there is nothing to choose. A run's check-in has no parts.
    private func part(_ item: PersonConsent, _ texts: Texts) -> FollowersPage.Part? {
        let scope = item.consent.request.scope, kinds = Texts.kindsOffered.filter(scope.kinds.contains)
        if case .organiser = scope.asker { return nil }
        let days = Self.days.filter { Self.isShorter(Milliseconds($0) * 86_400_000, than: scope.term, now: now) }
        guard kinds.count > 1 || !days.isEmpty else { return nil }
        let id = item.consent.id.description, hasColumns = kinds.contains { $0.column != $0 }
        return .init(
            action: "\(answers)/\(id)/accept", field: "lasting-\(id)",
            hint: texts[hasColumns ? "followers.partColumns" : "followers.partText"],
            kinds: kinds.map { .init(name: "kind\($0.rawValue)", text: texts["kind.\($0.name)"]) }, hasTerms: !days.isEmpty,
            asked: texts.term(scope.term),
            terms: days.map { .init(value: String($0), text: texts.counted("term.days", $0)) })
    }

    private static func isShorter(_ lasting: Milliseconds, than term: ConsentTerm, now: Milliseconds) -> Bool {
        switch term {
        case .once: false
        case .lasting(let asked): lasting < asked
        case .until(let end): lasting < end - now
        case .untilRevoked: true
        }
    }

    private func read(_ item: PersonConsent, _ texts: Texts) -> String {
        item.lastRead.map { texts.filled("followers.lastRead", ["time": texts.moment($0, now: now)]) } ?? texts["followers.neverRead"]
    }

    private func entry(_ item: PersonConsent, _ texts: Texts, _ lines: [String]) -> FollowersPage.Entry {
        let scope = item.consent.request.scope
        return .init(
            id: item.consent.id.description, name: item.name, kinds: texts.kinds(scope.kinds), term: texts.term(scope.term),
            purpose: item.purposes[texts.lang] ?? texts.purpose(scope), lines: lines)
    }

    /// What the hub knows of an organisation. A service was looked at as one.
    private func asker(_ item: PersonConsent, _ texts: Texts) -> [String] {
        guard let facts = item.asker else { return [] }
        let vat = facts.vat.isEmpty ? nil : texts.filled("followers.vat", ["number": facts.vat])
        let who = [texts.find("organisationKind.\(facts.kind)"), vat].compactMap(\.self)
        var lines = who.isEmpty ? [] : [who.joined(separator: " · ")]
        if item.consent.request.scope.service == nil {
            lines.append(
                facts.checked.map { texts.filled("followers.checked", ["time": texts.instant($0)]) } ?? texts["followers.unchecked"])
        }
        return facts.isSuspended ? lines + [texts["followers.suspended"]] : lines
    }
}

struct FollowersPage: FramedPage {
    static let template = "followers"

    /// A consent, whatever became of it.
    struct Entry: TemplateModel {
        struct Again: TemplateModel {
            let id: String, text: String
        }

        let id: String, name: String, kinds: String, term: String, purpose: String
        let lines: [String]
        /// What was given once, and can still be read again.
        var again: Again?
        /// A yes to less than was asked.
        var part: Part?
        /// The address of what was said yes to, as a file.
        var receipt: String?
    }

    struct Part: TemplateModel {
        struct Kind: TemplateModel {
            let name: String, text: String
        }

        struct Term: TemplateModel {
            let value: String, text: String
        }

        let action: String, field: String, hint: String
        let kinds: [Kind]
        let hasTerms: Bool
        /// The term that was asked for.
        let asked: String
        let terms: [Term]
    }

    struct Offer: TemplateModel {
        let id: String, email: String, kinds: String, term: String, purpose: String, state: String
        let isWaiting: Bool
    }

    /// Who may read without a consent of the register.
    struct Other: TemplateModel {
        let name: String, kinds: String, purpose: String
        let lines: [String]
        /// Where it is ended.
        let href: String, action: String
    }

    /// A one-time link to the live page, which whoever runs the hub made.
    struct LiveLink: TemplateModel {
        let id: String, text: String
        let isAsked: Bool
    }

    struct Blocked: TemplateModel {
        let key: String, name: String
    }

    var problem: String?
    var hasSearch = false
    /// What was searched for; empty for nothing.
    var q = ""
    /// The address of the next page.
    var older: String?
    let open: [Entry]
    let running: [Entry]
    var others: [Other] = []
    /// Somebody may read.
    var hasReaders = false
    let hasLinks: Bool
    let links: [LiveLink]
    let offers: [Offer]
    let policy: String
    let hasExceptions: Bool
    let hasBlocked: Bool
    let blocked: [Blocked]
    let hasOver: Bool
    let over: [Entry]
}

struct LedgerEntriesPage: FramedPage {
    static let template = "ledger"

    struct Entry: TemplateModel {
        let time: String, what: String, kinds: String
    }

    let entries: [Entry]
    let isEmpty: Bool
    /// Where it is searched; nil where no search is offered.
    let search: String?
    /// What was searched for; empty for nothing.
    let q: String
    /// The address of the next page.
    var older: String?
}

extension SentForm {
    /// What of a question a yes is about; nil for all of it.
    var consentPart: ConsentPart? {
        guard !self["part"].isEmpty else { return nil }
        let days = Int(self["lasting"]).flatMap { FollowersModel.days.contains($0) ? $0 : nil }
        return ConsentPart(kinds: kinds, lasting: days.map { Milliseconds($0) * 86_400_000 })
    }
}
