import HubServices
import HubStore
import Privacy
import Vitals

/// What My Followers shows (CONS-7): questions first, then who reads, then what is over.
struct FollowersModel {
    let consents: [PersonConsent]
    let blocked: [AccountStore.BlockedAsker]
    let policy: AccessPolicy

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
            case .over(let end): over.append(entry(item, texts, ["\(texts.ending(end.ending)), \(texts.instant(end.at))"]))
            }
        }
        return [
            "open": open, "running": running, "over": over, "hasOver": !over.isEmpty, "hasBlocked": !blocked.isEmpty,
            "blocked": blocked.enumerated().map { ["name": $0.element.name, "number": $0.offset] as [String: Any] },
            "kinds": Texts.kindsOffered.map { kind in
                ["value": String(kind.rawValue), "text": texts["kind.\(kind)"], "isChosen": policy.anybody.contains(kind)] as [String: Any]
            },
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
