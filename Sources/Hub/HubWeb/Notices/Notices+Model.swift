import Accounts
import Foundation
import HubServices
import HubStore
import Privacy
import Vitals

/// What a person was told, how they want to be told, and on which browsers (CONS-2, ACC-15).
struct NoticesModel {
    /// Of the account's mails; nil where it is not known.
    let zone: String?
    let notices: [StoredNotice]
    /// What they ask, as it is by now.
    let asked: [ConsentID: Consent]
    /// UTC milliseconds.
    let now: Milliseconds
    let ways: [NoticeKind: NoticeWays]
    let devices: [StoredPushDevice]
    let roles: Set<Role>

    /// The ways in the order of the page.
    static let shown: [(name: String, way: NoticeWays)] = [("mail", .mail), ("push", .push), ("box", .box)]

    /// The kinds among whose ways an account chooses.
    static func kinds(_ roles: Set<Role>) -> [NoticeKind] {
        NoticeKind.allCases.filter { $0 != .deviceGone && $0.chosenWith == $0 && $0.roles.map { !$0.isDisjoint(with: roles) } ?? true }
    }

    /// The choices that a form holds: what is not ticked is not sent.
    static func ways(_ fields: [String: String], _ roles: Set<Role>) -> [NoticeKind: NoticeWays] {
        kinds(roles).reduce(into: [:]) { ways, kind in
            ways[kind] = shown.reduce(into: NoticeWays()) { chosen, item in
                if fields["\(kind.rawValue).\(item.name)"] != nil { chosen.insert(item.way) }
            }
        }
    }

    /// - Parameter key: the hub's public key, for browsers.
    func model(_ texts: Texts, key: String) -> NoticesPage {
        NoticesPage(
            hasNone: notices.isEmpty,
            notices: notices.map { notice in
                .init(
                    id: String(notice.row), text: text(notice, texts), isNew: notice.seen == nil,
                    time: texts.moment(notice.created, now: now))
            },
            hasNew: notices.contains { $0.seen == nil }, key: key, hasNoDevice: devices.isEmpty,
            devices: devices.map { device in
                .init(
                    id: String(device.row), name: device.address.name,
                    since: texts.filled("notices.since", ["time": texts.instant(device.created)]),
                    problem: device.problem.map { texts.filled("notices.problem", ["problem": $0]) } ?? "")
            },
            zone: texts.filled("notices.zone", ["zone": zone ?? TimeZone.current.identifier]),
            kinds: Self.kinds(roles).map { kind in
                .init(label: texts["noticeKind.\(kind.rawValue)"], ways: shown(kind, texts))
            })
    }

    /// A question that waits no more says what became of it.
    private func text(_ notice: StoredNotice, _ texts: Texts) -> String {
        guard let id = notice.asks else { return texts.notice(notice) }
        let state: String
        switch asked[id]?.state {
        case .accepted where asked[id]?.isDue(at: now) == true: state = texts.ending(.ranOut)
        case .accepted: state = texts["notices.accepted"]
        case .over(let end): state = texts.ending(end.ending)
        case .pending where asked[id]?.isDue(at: now) == true: state = texts.ending(.unanswered)
        case .pending, .awaitingOperator: return texts.notice(notice)
        case nil: state = texts["notices.notOpen"]
        }
        return texts.notice(notice, as: notice.kind == .asked ? "notices.asked" : "notices.askedWard", state: state)
    }

    private func shown(_ kind: NoticeKind, _ texts: Texts) -> [NoticesPage.Way] {
        Self.shown.filter { kind.ways.contains($0.way) && ($0.way != .box || roles.contains(.person)) }.map { item in
            .init(
                name: "\(kind.rawValue).\(item.name)", isChosen: ways[kind]?.contains(item.way) ?? true,
                text: texts["noticeWay.\(item.name)"])
        }
    }
}

extension Texts {
    /// One line on the page of notices: texts `notice.KIND`, filled in with the notice's arguments.
    /// - Parameters:
    ///   - key: of another text for it.
    ///   - state: what stands in it for `state`.
    func notice(_ notice: StoredNotice, as key: String? = nil, state: String? = nil) -> String {
        guard let kind = notice.kind else { return mailed(notice) ?? self["notices.unknown"] }
        var values = notice.arguments
        values["kinds"] = kinds(Set(Self.kindsOffered.filter { (values["kinds"] ?? "").split(separator: ",").contains("\($0)") }))
        values["ending"] = values["ending"].map { self["ending.\($0)"] }
        // The outcome of a request, to who asked.
        if let state = values["state"] { values["state"] = find("noticeState.\(state)") ?? self["ending.\(state)"] }
        values["state"] = state ?? values["state"]
        runs(&values)
        PaidFeature.fill(&values, self)
        for name in ["expires", "until"] { values[name] = values[name].flatMap(Milliseconds.init).map(instant) }
        for name in ["begin", "end"] { values[name] = values[name].flatMap(Milliseconds.init).map(instant) ?? values[name] }
        return filled(key ?? "notice.\(kind.rawValue)", values)
    }

    /// What notices and mails about runs name by a word: what changed, and why somebody is off the list.
    func runs(_ values: inout [String: String]) {
        for name in ["from", "until"] where values["changes"] != nil { values[name] = values[name].flatMap(Milliseconds.init).map(instant) }
        let times = values
        values["changes"] = values["changes"].map { changes in
            changes.split(separator: ",").map { filled("runChange.\($0)", times) }.joined(separator: ", ")
        }
        if let zone = values["timeZone"], let starts = values["starts"].flatMap(Milliseconds.init) {
            values["starts"] = instant(starts, in: zone)
        }
        if let what = values["what"], let zone = values["zone"] {
            for name in ["since", "last"] { values[name] = values[name].flatMap(Milliseconds.init).map { instant($0, in: zone) } }
            values["what"] = filled("inactivity.\(what)", values)
        }
        values["way"] = values["way"].map(way)
        values["ways"] = values["ways"].map(ways)
        values["reason"] = values["reason"].map { find("runOff.\($0)") ?? $0 }
    }

    /// A mail to somebody without a mailbox: its subject, and its text without the greeting.
    private func mailed(_ notice: StoredNotice) -> String? {
        let subject = "mail.\(notice.name).subject", text = "mail.\(notice.name).text"
        guard find(subject) != nil, find(text) != nil else { return nil }
        let values = notice.arguments.merging(["site": ""]) { own, _ in own }
        let paragraphs = filled(text, values).components(separatedBy: "\n\n").dropFirst()
        return ([filled(subject, values) + "."] + paragraphs).joined(separator: " ")
    }
}

extension StoredNotice {
    /// The question that it tells of; nil for every other kind.
    var asks: ConsentID? { kind == .asked || kind == .askedWard ? arguments["consent"].flatMap { ConsentID($0) } : nil }
}

extension NoticeKind {
    /// The page where its reader does something about it.
    /// - Parameter arguments: of the notice; what is about a run names its code.
    func path(_ roles: Set<Role>, _ arguments: [String: String] = [:]) -> String {
        switch self {
        case .asked, .over, .blocked, .reminded, .careTaken, .linkAsked: "/followers"
        case .careBoxCode: "/boxes"
        case .addressAsked: "/address"
        case .answered: roles.contains(.organisation) ? "/requests" : "/notices"
        case .askedWard, .overWard, .blockedWard, .remindedWard, .careAnswered, .parentAdded, .addressWard: "/care"
        case .offerOver: "/following"
        case .check: "/operator/requests"
        case .serviceCheck: "/operator/services"
        case .nameCheck: "/operator/organisations"
        case .groupCheck: "/operator/groups"
        case .supportAsked: SupportPages.operatorPath
        case .supportAnswered: SupportPages.path
        case .groupAnswered: arguments["request"].map { "/groups/\($0)" } ?? "/groups"
        case .wayFailed, .wayWorks, .peopleUnreached, .everybodyReached: "/operator/ways"
        case .quota: "/data"
        case .sosRaised, .sosTaken, .sosWarning, .sosPause, .sosInactive, .sosActive, .sosTest: arguments["path"] ?? "/care"
        case .irregularRhythm: "/protection"
        case .sosQuestion, .sosPrepared, .sosUnheard: "/protection"
        case .sosAsked: arguments["path"] ?? (roles.contains(.responder) ? "/duty/alarms" : "/care")
        case .sosNoPosition, .drillOverdue, .sosSettingsDiffer, .sosSettingsDecided:
            arguments["path"] ?? (roles.contains(.person) ? "/protection" : "/care")
        case .sosOver, .sosUnprotected:
            arguments["path"] ?? (roles.contains(.responder) ? "/duty/alarms" : roles.contains(.person) ? "/protection" : "/care")
        case .sosOffer: "/duty/alarms"
        case .runChanged, .runCancelled, .runStarted, .runFinished, .runMessage, .runTakenOff, .runBack, .runNearby:
            arguments["code"].map { "/runs/\($0)" } ?? "/runs/mine"
        case .deviceGone: "/notices"
        case .paymentPaid, .paymentFailed, .paymentRefunded: arguments["payment"].map { "/payments/\($0)" } ?? "/payments"
        case .paidEnding, .paidEnded: "/payments"
        case .paidEndingWard: "/care"
        case .paymentDoubtful: "/notices"
        case .maintenancePlanned, .maintenanceCancelled: roles.contains(.person) ? "/protection" : "/notices"
        }
    }
}

/// What a notification shows. It stands on locked screens, so it names nobody and tells nothing that somebody asked for: that is on the page.
enum PushTexts {
    static func letter(_ push: StoredPush) -> PushSender.Letter? {
        let texts = Texts.of(push.account.language)
        guard let title = texts.find("mail.\(push.notice.name).subject") else { return nil }
        return PushSender.Letter(
            title: title, text: texts["notices.pushText"], url: "/notices/\(push.notice.row)", tag: "n\(push.notice.row)", lang: texts.lang,
            isUrgent: push.notice.kind.map { [.sosOffer, .sosRaised, .sosQuestion, .sosAsked].contains($0) } == true ? true : nil)
    }
}

struct NoticesPage: FramedPage {
    static let template = "notices"

    struct Notice: TemplateModel {
        let id: String, text: String
        let isNew: Bool
        let time: String
    }

    struct Device: TemplateModel {
        let id: String, name: String, since: String, problem: String
    }

    /// How one kind of notices is told.
    struct Kind: TemplateModel {
        let label: String
        let ways: [Way]
    }

    struct Way: TemplateModel {
        let name: String
        let isChosen: Bool
        let text: String
    }

    let hasNone: Bool
    let notices: [Notice]
    let hasNew: Bool
    let key: String
    let hasNoDevice: Bool
    let devices: [Device]
    /// Of times in mails.
    let zone: String
    let kinds: [Kind]
}
