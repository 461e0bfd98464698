import HubServices
import HubStore
import Privacy
import Vitals

/// What My Followers shows (CONS-7): questions first, then who reads, then what is over.
struct FollowersModel {
    let consents: [PersonConsent]
    let blocked: [AccountStore.BlockedAsker]
    let policy: AccessPolicy
    let offers: [(offer: ReadingOffer, isWaiting: Bool)]
    let now: Milliseconds

    func model(_ texts: Texts) -> [String: Any] {
        var open: [[String: Any]] = [], running: [[String: Any]] = [], over: [[String: Any]] = []
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
                    entry["again"] = ["id": item.consent.id.description, "text": texts.filled("followers.again", ["time": until])]
                }
                over.append(entry)
            }
        }
        return [
            "open": open, "running": running, "over": over, "hasOver": !over.isEmpty, "hasBlocked": !blocked.isEmpty,
            "blocked": blocked.map { ["name": $0.name, "key": $0.key] },
            "policy": policy.anybody.isEmpty ? texts["followers.policyNothing"] : texts.kinds(policy.anybody),
            "hasExceptions": !policy.exceptions.isEmpty,
            "offers": offers.map { offered($0.offer, isWaiting: $0.isWaiting, texts) },
        ]
    }

    private func offered(_ offer: ReadingOffer, isWaiting: Bool, _ texts: Texts) -> [String: Any] {
        let state =
            isWaiting
            ? texts.filled("followers.offerWaits", ["time": texts.instant(offer.expires)])
            : texts[offer.state == .withdrawn ? "ending.withdrawn" : "followers.offerOver"]
        return [
            "id": offer.id.description, "email": offer.details.email, "kinds": texts.kinds(offer.details.kinds),
            "term": texts.term(offer.details.term), "purpose": offer.details.purpose, "state": state, "isWaiting": isWaiting,
        ]
    }

    private func read(_ item: PersonConsent, _ texts: Texts) -> String {
        item.lastRead.map { texts.filled("followers.lastRead", ["time": texts.instant($0)]) } ?? texts["followers.neverRead"]
    }

    private func entry(_ item: PersonConsent, _ texts: Texts, _ lines: [String]) -> [String: Any] {
        let scope = item.consent.request.scope
        return [
            "id": item.consent.id.description, "name": item.name, "kinds": texts.kinds(scope.kinds), "purpose": scope.purpose,
            "term": texts.term(scope.term), "lines": lines,
        ]
    }
}
