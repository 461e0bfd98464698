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

    func model(_ texts: Texts) -> FollowersPage {
        var open: [FollowersPage.Entry] = [], running: [FollowersPage.Entry] = [], over: [FollowersPage.Entry] = []
        for item in consents {
            switch item.consent.state {
            case .awaitingOperator: continue
            case .pending(let question):
                open.append(entry(item, texts, [texts.filled("followers.answerUntil", ["time": texts.instant(question.expires)])]))
            case .accepted(let access):
                let until = access.until.map { texts.filled("followers.until", ["time": texts.instant($0)]) } ?? texts["term.untilRevoked"]
                running.append(
                    entry(item, texts, [texts.filled("followers.since", ["time": texts.instant(access.since)]), until, read(item, texts)]))
            case .over(let end):
                var entry = entry(item, texts, ["\(texts.ending(end.ending)), \(texts.instant(end.at))"])
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

    private func read(_ item: PersonConsent, _ texts: Texts) -> String {
        item.lastRead.map { texts.filled("followers.lastRead", ["time": texts.moment($0, now: now)]) } ?? texts["followers.neverRead"]
    }

    private func entry(_ item: PersonConsent, _ texts: Texts, _ lines: [String]) -> FollowersPage.Entry {
        let scope = item.consent.request.scope
        return .init(
            id: item.consent.id.description, name: item.name, kinds: texts.kinds(scope.kinds), term: texts.term(scope.term),
            purpose: texts.purpose(scope), lines: lines)
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
    /// Where it is searched; nil where it is about one follower alone.
    let search: String?
    /// What was searched for; empty for nothing.
    let q: String
    /// The address of the next page.
    var older: String?
}
