public import Accounts
import Database
import Foundation
public import Vitals

/// The subject of a notice. The raw values name the texts of mails and pages.
public enum NoticeKind: String, Sendable, Hashable, CaseIterable {
    /// Somebody asks for the person's data.
    case asked = "consent.asked"
    /// A question or a consent is over.
    case over = "consent.over"
    /// Somebody who was denied too often cannot ask any more.
    case blocked = "consent.blocked"
    /// A consent without an end goes on.
    case reminded = "consent.reminded"
    /// To who asked: there is an answer, or an end.
    case answered = "consent.answered"
    /// To who was let read, unasked: that is over.
    case offerOver = "offer.over"
    /// The same about a child of whom the reader decides.
    case askedWard = "consent.askedWard"
    case overWard = "consent.overWard"
    case blockedWard = "consent.blockedWard"
    case remindedWard = "consent.remindedWard"
    /// To a relative: there is an answer, or an end.
    case careAnswered = "care.answered"
    /// To the person: an invited relative accepted, and sees something from now on.
    case careTaken = "care.taken"
    /// To the other parents of a child: one more decides for it.
    case parentAdded = "care.parentAdded"
    /// To the person: a relative is connecting a box for them.
    case careBoxCode = "care.boxCode"
    /// To the person: whoever runs the hub made a link to their live page, which waits for their yes.
    case linkAsked = "link.asked"
    /// To the account: an operator replaces its e-mail address, unless its owner stops that.
    case addressAsked = "address.asked"
    /// The same to parents and caregivers.
    case addressWard = "address.ward"
    /// To operators: a request waits to be checked.
    case check = "consent.check"
    /// To operators: a service waits to be checked.
    case serviceCheck = "service.check"
    /// To operators: an organisation wants another name.
    case nameCheck = "organisation.nameCheck"
    /// To operators: a request about a group waits to be checked.
    case groupCheck = "group.check"
    /// To operators: somebody asks for help.
    case supportAsked = "support.asked"
    /// To who asked for help: there is an answer.
    case supportAnswered = "support.answered"
    /// To an organisation: news of a request about a group.
    case groupAnswered = "group.answered"
    /// The oldest data is overwritten for want of space.
    case quota = "quota.reached"
    /// To a caregiver or parent: somebody is in distress.
    case sosRaised = "sos.raised"
    /// Somebody sees to it.
    case sosTaken = "sos.taken"
    /// It is over, or was a false alarm.
    case sosOver = "sos.over"
    /// To who has a case: is somebody with the person?
    case sosAsked = "sos.asked"
    /// To the person: a relative has prepared contacts, or that AutomatedSOS is turned on.
    case sosPrepared = "sos.prepared"
    /// To a caregiver: a value is unusual for minutes; nobody was called.
    case sosWarning = "sos.warning"
    /// To a caregiver: the heart paused, and the person did not answer; contacts are told as well, and no ambulance.
    case sosPause = "sos.pause"
    /// To a caregiver, or to contacts where there is none: no sign of life, and no answer.
    case sosInactive = "sos.inactive"
    /// To the same: there is one again.
    case sosActive = "sos.active"
    /// To a caregiver: a test of the way of ``sosRaised``, which goes by the same ways.
    case sosTest = "sos.test"
    /// To the person: "are you OK?"
    case sosQuestion = "sos.question"
    /// To the person and caregivers: nobody watches.
    case sosUnprotected = "sos.unprotected"
    /// To the person and caregivers: the box has lost the position. Alarms still go out.
    case sosNoPosition = "sos.noPosition"
    /// To the person: a device reported a fall or a seizure, and nobody was asked or called.
    case sosUnheard = "sos.unheard"
    /// To the person, who asked to be told: the heartbeat was irregular at rest. It is about nobody in distress.
    case irregularRhythm = "rhythm.irregular"
    /// To a crew: an emergency is offered.
    case sosOffer = "sos.offer"
    /// To who is enrolled: the organiser changed something.
    case runChanged = "run.changed"
    /// It does not take place.
    case runCancelled = "run.cancelled"
    case runStarted = "run.started"
    case runFinished = "run.finished"
    /// The organiser writes to who is enrolled.
    case runMessage = "run.message"
    /// To a runner: off the list, for want of a check-in or of a position.
    case runTakenOff = "run.takenOff"
    /// To a runner: back on it, since positions came.
    case runBack = "run.back"
    /// To who asked for it: a public run near their place.
    case runNearby = "run.nearby"
    /// To everybody with an account: the hub will be down, or will not.
    case maintenancePlanned = "maintenance.planned"
    case maintenanceCancelled = "maintenance.cancelled"
    /// To the person and caregivers: the planned test of the alarm's way has not reached everybody for longer than it should.
    case drillOverdue = "sos.drillOverdue"
    /// To the person and caregivers: the hub was restored from a backup, and a box has other settings of AutomatedSOS.
    case sosSettingsDiffer = "sos.settingsDiffer"
    /// The same: somebody decided which of them hold.
    case sosSettingsDecided = "sos.settingsDecided"
    /// To operators: a way out of the hub has failed, or works again.
    case wayFailed = "sos.wayFailed"
    case wayWorks = "sos.wayWorks"
    /// To operators: there are people whom no way out of the hub reaches, or none any more.
    case peopleUnreached = "sos.peopleUnreached"
    case everybodyReached = "sos.everybodyReached"
    /// A browser took no messages any more and was removed.
    case deviceGone = "push.gone"
    /// To who paid: it has arrived, was not taken, or came back.
    case paymentPaid = "payment.paid"
    case paymentFailed = "payment.failed"
    case paymentRefunded = "payment.refunded"
    /// To operators: a payment is not what was asked for, or the money was taken back.
    case paymentDoubtful = "payment.doubtful"
    /// To the person, and to parents and caregivers: what was paid for ends in days.
    case paidEnding = "paid.ending"
    case paidEndingWard = "paid.endingWard"
    /// To the person: it has ended, and stays on for the days of grace.
    case paidEnded = "paid.ended"

    /// The ways among which its reader chooses; all of them until then.
    public var ways: NoticeWays {
        switch self {
        case .asked: [.mail, .push, .box]
        // Its mail goes to the old mailbox whatever its owner chose.
        case .addressAsked: [.push, .box]
        case .askedWard, .over, .overWard, .blocked, .blockedWard, .reminded, .remindedWard, .answered, .careAnswered, .careTaken,
            .parentAdded, .careBoxCode, .linkAsked, .addressWard, .offerOver, .check, .serviceCheck, .nameCheck, .groupCheck,
            .groupAnswered, .quota, .supportAsked, .supportAnswered:
            [.mail, .push]
        case .sosRaised, .sosTaken, .sosOver, .sosWarning, .sosPause, .sosUnprotected, .sosNoPosition, .sosTest, .sosAsked, .sosPrepared,
            .sosSettingsDiffer, .sosSettingsDecided, .sosInactive, .sosActive,
            .sosUnheard:
            [.mail, .push]
        case .maintenancePlanned, .maintenanceCancelled, .wayFailed, .wayWorks, .peopleUnreached, .everybodyReached, .drillOverdue,
            .irregularRhythm:
            [.mail, .push]
        case .sosQuestion, .sosOffer: [.push]
        case .runChanged, .runCancelled, .runStarted, .runFinished, .runMessage, .runTakenOff, .runBack, .runNearby: [.mail, .push]
        case .deviceGone: [.mail]
        case .paymentPaid, .paymentFailed, .paymentRefunded, .paymentDoubtful, .paidEnding, .paidEndingWard, .paidEnded: [.mail, .push]
        }
    }

    /// The recipient; nil for everybody.
    public var roles: Set<Role>? {
        switch self {
        case .asked, .over, .blocked, .reminded, .careTaken, .careBoxCode, .linkAsked, .quota, .irregularRhythm: [.person]
        case .askedWard, .overWard, .blockedWard, .remindedWard, .careAnswered, .parentAdded, .addressWard: [.caregiver]
        case .answered, .offerOver, .deviceGone, .addressAsked, .supportAnswered: nil
        case .runChanged, .runCancelled, .runStarted, .runFinished, .runMessage: [.person, .organiser, .caregiver]
        case .runTakenOff, .runBack, .runNearby: [.person, .caregiver]
        case .sosRaised, .sosTaken, .sosWarning, .sosPause, .sosInactive, .sosActive, .sosTest: [.caregiver]
        case .sosNoPosition, .drillOverdue, .sosSettingsDiffer, .sosSettingsDecided: [.person, .caregiver]
        case .sosAsked: [.caregiver, .responder]
        case .sosPrepared, .sosUnheard: [.person]
        case .sosOver, .sosUnprotected, .maintenancePlanned, .maintenanceCancelled: nil
        case .sosQuestion: [.person]
        case .sosOffer: [.responder]
        case .check, .serviceCheck, .nameCheck, .groupCheck, .wayFailed, .wayWorks, .peopleUnreached, .everybodyReached,
            .supportAsked:
            [.operator]
        case .groupAnswered: [.organisation]
        case .paymentPaid, .paymentFailed, .paymentRefunded, .paidEnding, .paidEnded: [.person]
        case .paymentDoubtful: [.operator]
        case .paidEndingWard: [.caregiver]
        }
    }

    /// The kind whose ways its reader chose for this one, too.
    public var chosenWith: NoticeKind {
        switch self {
        case .sosTest, .sosAsked: .sosRaised
        case .sosSettingsDecided: .sosSettingsDiffer
        case .sosActive: .sosInactive
        case .paymentFailed, .paymentRefunded: .paymentPaid
        case .paidEnded: .paidEnding
        default: self
        }
    }

    /// The notice to a parent.
    var ofWard: NoticeKind {
        switch self {
        case .asked: .askedWard
        case .over: .overWard
        case .blocked: .blockedWard
        case .reminded: .remindedWard
        default: self
        }
    }
}

extension NoticeStore {
    /// Notices of one account, at most; the oldest go.
    public static let noticesMax = 200
    /// How long a notice is kept: 90 days.
    public static let noticesLifetime: Milliseconds = 90 * 86_400_000

    /// Tells an account, by the ways that it chose.
    public func addNotice(_ kind: NoticeKind, _ arguments: [String: String] = [:], to account: StoredAccount, now: Milliseconds) throws {
        try addNotice(kind, arguments, to: [account], now: now)
    }

    /// Tells several, with one commit.
    public func addNotice(_ kind: NoticeKind, _ arguments: [String: String] = [:], to accounts: [StoredAccount], now: Milliseconds) throws {
        try pool.write { db in for account in accounts { try addNotice(kind, arguments, to: account, now: now, db) } }
    }

    /// The same as a part of a transaction: what happened and its notice are stored together or not at all.
    func addNotice(
        _ kind: NoticeKind, _ arguments: [String: String], to account: StoredAccount, now: Milliseconds, _ db: Connection
    ) throws {
        guard let row = try insertNotice(kind.rawValue, arguments, to: account, now: now, db) else { return }
        let ways = try noticeWays(kind, of: account.row, db)
        if ways.contains(.mail), account.hasMail { try addMail(kind.rawValue, arguments, to: account, now: now, db) }
        if ways.contains(.push) { try pushes.addPushes(notice: row, of: kind.rawValue, account: account.row, now: now, db) }
    }

    /// What others get as a mail, to somebody without a mailbox: on the page, and on the browsers.
    func addTold(_ mail: String, _ arguments: [String: String], to account: StoredAccount, now: Milliseconds, _ db: Connection) throws {
        guard let row = try insertNotice(mail, arguments, to: account, now: now, db) else { return }
        try pushes.addPushes(notice: row, of: mail, account: account.row, now: now, db)
    }

    /// nil for somebody who was deleted.
    private func insertNotice(
        _ name: String, _ arguments: [String: String], to account: StoredAccount, now: Milliseconds, _ db: Connection
    ) throws -> Int64? {
        guard try keys.key(of: account.id.person) != nil else { return nil }
        let sealed = try seal(arguments, of: account.id.person, .notice, (0, 0))
        let row = try db.insert(
            sql: "INSERT INTO notice(account, kind, arguments, created) VALUES(?, ?, ?, ?) RETURNING id",
            arguments: [account.row, name, sealed, now])
        try db.execute(
            sql: """
                DELETE FROM notice WHERE account = ?1 AND id <= (SELECT id FROM notice WHERE account = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)
                """,
            arguments: [account.row, Self.noticesMax])
        return row
    }

    /// The newest first.
    public func notices(of account: StoredAccount, count: Int = noticesMax) throws -> [StoredNotice] {
        try pool.read { db in
            try db.fetchAll(
                sql: "SELECT * FROM notice WHERE account = ? ORDER BY id DESC LIMIT ?", arguments: [account.row, count]
            ).compactMap { try listedNotice($0, of: account) }
        }
    }

    /// One notice of an account; nil when it has none of this number.
    public func notice(_ row: Int64, of account: StoredAccount) throws -> StoredNotice? {
        try pool.read { db in
            try db.fetchOne(sql: "SELECT * FROM notice WHERE id = ? AND account = ?", arguments: [row, account.row])
                .flatMap { try storedNotice($0, of: account) }
        }
    }

    /// For lists: nil also for one that does not open, which is told.
    func listedNotice(_ row: Row, of account: StoredAccount) throws -> StoredNotice? {
        try unlessDamaged(.notice, row["id"] as Int64) { try storedNotice(row, of: account) }
    }

    func storedNotice(_ row: Row, of account: StoredAccount) throws -> StoredNotice? {
        guard let arguments = try open([String: String].self, row["arguments"], of: account.id.person, .notice, (0, 0)) else { return nil }
        return StoredNotice(
            row: row["id"], kind: NoticeKind(rawValue: row["kind"]), name: row["kind"], arguments: arguments, created: row["created"],
            seen: row["seen"])
    }

    /// The number that were not opened yet: asked for each page.
    public func newNotices(of account: Int64) throws -> Int {
        try pool.read { db in
            let statement = try db.cachedStatement(sql: "SELECT count(*) FROM notice WHERE account = ? AND seen IS NULL")
            return try statement.fetchOne(Int.self, arguments: [account]) ?? 0
        }
    }

    /// Its reader has looked where all notices of this kind lead.
    public func noticesSeen(_ kind: NoticeKind, of account: StoredAccount, now: Milliseconds) throws {
        try pool.write { db in
            try db.execute(
                sql: "UPDATE notice SET seen = ? WHERE account = ? AND seen IS NULL AND kind = ?",
                arguments: [now, account.row, kind.rawValue])
        }
    }

    /// Whether a notice with this argument waits to be seen.
    func isToldUnseen(_ kind: NoticeKind, _ name: String, _ value: String, to account: StoredAccount, _ db: Connection) throws -> Bool {
        try db.fetchAll(
            sql: "SELECT * FROM notice WHERE account = ? AND seen IS NULL AND kind = ?", arguments: [account.row, kind.rawValue]
        ).contains { try listedNotice($0, of: account)?.arguments[name] == value }
    }

    /// Its reader has opened one of them, or with nil all.
    public func noticesSeen(_ row: Int64? = nil, of account: StoredAccount, now: Milliseconds) throws {
        try pool.write { db in
            try db.execute(
                sql: "UPDATE notice SET seen = ?1 WHERE account = ?2 AND seen IS NULL AND (CAST(?3 AS BIGINT) IS NULL OR id = ?3)",
                arguments: [now, account.row, row])
        }
    }

    /// Forgets what is older than ``noticesLifetime``, some at a time.
    public func forgetNotices(now: Milliseconds) throws {
        try pool.write { db in
            try db.execute(
                sql: "DELETE FROM notice WHERE id IN (SELECT id FROM notice WHERE created < ? ORDER BY created LIMIT 1000)",
                arguments: [now - Self.noticesLifetime])
        }
    }

    // MARK: Choices

    /// Which ways each kind goes to an account.
    public func noticeWays(of account: StoredAccount) throws -> [NoticeKind: NoticeWays] {
        try pool.read { db in
            try NoticeKind.allCases.reduce(into: [:]) { $0[$1] = try noticeWays($1, of: account.row, db) }
        }
    }

    func noticeWays(_ kind: NoticeKind, of account: Int64, _ db: Connection) throws -> NoticeWays {
        let chosen = try db.fetchOne(
            Int64.self, sql: "SELECT ways FROM notice_choice WHERE account = ? AND kind = ?",
            arguments: [account, kind.chosenWith.rawValue])
        return chosen.map { NoticeWays(rawValue: $0).intersection(kind.ways) } ?? kind.ways
    }

    /// Whether a notice of this kind goes farther than its page: by mail, or to a browser.
    public func goesOut(_ kind: NoticeKind, to account: StoredAccount) throws -> Bool { try !outWays(kind, to: account).isEmpty }

    /// The ways on which a notice of this kind leaves: by mail where there is a mailbox, to browsers where there are some.
    public func outWays(_ kind: NoticeKind, to account: StoredAccount) throws -> NoticeWays {
        try pool.read { db in
            var ways = try noticeWays(kind, of: account.row, db).intersection([.mail, .push])
            if !account.hasMail { ways.remove(.mail) }
            let hasBrowser = "SELECT EXISTS(SELECT 1 FROM push_device WHERE account = ?)"
            if ways.contains(.push), try db.fetchOne(Bool.self, sql: hasBrowser, arguments: [account.row]) != true { ways.remove(.push) }
            return ways
        }
    }

    /// Tells everybody who runs the hub.
    public func tellOperators(_ kind: NoticeKind, _ arguments: [String: String], now: Milliseconds) throws {
        try pool.write { db in
            for account in try accounts.operators(db) { try addNotice(kind, arguments, to: account, now: now, db) }
        }
    }

    public func setNoticeWays(_ ways: [NoticeKind: NoticeWays], of account: StoredAccount) throws {
        try pool.write { db in
            for (kind, ways) in ways {
                try db.execute(
                    sql: """
                        INSERT INTO notice_choice(account, kind, ways) VALUES(?, ?, ?)
                        ON CONFLICT(account, kind) DO UPDATE SET ways = excluded.ways
                        """,
                    arguments: [account.row, kind.rawValue, ways.intersection(kind.ways).rawValue])
            }
        }
    }

    /// Questions that wait for an answer of these people, as far as they want to be told on their boxes. That an address is being replaced is
    /// one.
    public func questionsForBox(of people: some Sequence<PersonID>) throws -> Int {
        try pool.read { db in
            let statement = try db.cachedStatement(
                sql: """
                    SELECT (SELECT count(*) FROM consent WHERE person = ?1 AND state = 1 AND NOT EXISTS(
                            SELECT 1 FROM notice_choice JOIN account ON account.id = notice_choice.account
                            WHERE account.account = ?1 AND kind = ?2 AND ways & ?3 = 0))
                        + (SELECT count(*) FROM account JOIN address_change ON address_change.account = account.id
                            WHERE account.account = ?1 AND NOT EXISTS(
                                SELECT 1 FROM notice_choice WHERE notice_choice.account = account.id AND kind = ?4 AND ways & ?3 = 0))
                    """)
            let (kind, way, address) = (NoticeKind.asked.rawValue, NoticeWays.box.rawValue, NoticeKind.addressAsked.rawValue)
            return try people.reduce(0) { try $0 + (statement.fetchOne(Int.self, arguments: [Data($1.bytes), kind, way, address]) ?? 0) }
        }
    }

    /// The language of an account's pages, mails and notices, on each device (ACC-10, ACC-12).
    public func setLanguage(_ language: String, of account: StoredAccount, now: Milliseconds) throws {
        try pool.write { db in
            try db.execute(sql: "UPDATE account SET language = ? WHERE id = ?", arguments: [language, account.row])
            try accounts.timers.owe(profileOf: account, now: now, db)
        }
        accounts.tellProfileChanged(account.id.person)
    }
}
