import Accounts
import Database
import Foundation
public import Privacy
import Seams
public import Vitals

/// A person's answer to a question, or act on a running consent.
public enum ConsentAnswer: Sendable, Hashable {
    case accept, deny, revoke
}

extension ConsentStore {
    /// How an asker names a person, from what was typed.
    /// - Parameter email: ``Accounts/EmailAddress/canonical``.
    public func whom(email: String) -> ConsentRequest.Addressee { .address(Array(accounts.index("email", email))) }

    /// - Parameter identifier: ``Accounts/TaxIdentifier/canonical``.
    public func whom(identifier: String) -> ConsentRequest.Addressee { .address(Array(accounts.index("identifier", identifier))) }

    // MARK: Asking

    /// Questions of one asker that wait for an answer, at most.
    public static let openQuestionsMax = 10_000

    /// Takes a request in. All of this depends on the asker alone: nobody is looked up here, so that the answer comes after the same work
    /// whether or not there is such a person (CONS-1). Whom it reaches is found out by the timer that this sets: ``reachConsent(_:now:)``.
    /// - Parameter label: what the asker typed.
    /// - Throws: a ``Privacy/ConsentProblem``; nothing is stored then.
    public func ask(
        _ request: ConsentRequest, id: ConsentID? = nil, label: String, parameters: ConsentParameters
    ) throws -> ConsentOutcome {
        try pool.write { db in
            let asker = request.scope.asker
            let earlier = try db.fetchAll(
                sql: "SELECT \(Self.consentColumns) FROM consent WHERE asker = ? AND whom = ? AND state < 3",
                arguments: [asker.key, request.whom.key]
            ).compactMap(listedConsent).map(\.consent)
            try AskingRules.check(request, earlier: earlier)
            let open = try db.fetchOne(
                Int.self, sql: "SELECT count(*) FROM (SELECT 1 FROM consent WHERE asker = ? AND state < 3 AND state < 2 LIMIT ?) AS open",
                arguments: [asker.key, Self.openQuestionsMax])
            guard open ?? 0 < Self.openQuestionsMax else { throw ConsentProblem.tooManyOpen }
            let (consent, effects) = try Consent.ask(
                request, id: id ?? randomness.id(), reach: .nobody(.unknown), approvals: try approvals(of: asker, at: request.created, db),
                parameters: parameters)
            var stored = StoredConsent(consent: consent, label: label)
            if case .pending = consent.state {
                stored.unreached = true
                try timers.setTimer(.consentReach, consent.id.bytes, due: request.created, db)
            }
            try save(stored, db)
            // Whether there is somebody to be invited is looked up with whom it reaches.
            return try run(effects.filter { $0 != .invite }, of: stored, now: request.created, db)
        }
    }

    /// Finds out whom a request reaches that has left for the asker, or that an approval of its kind lets leave now. The asker sees no
    /// difference from this.
    @discardableResult
    public func reachConsent(_ id: ConsentID, now: Milliseconds) throws -> ConsentOutcome? {
        try pool.write { db in
            try timers.setTimer(.consentReach, id.bytes, due: nil, db)
            guard var stored = try consent(id, db) else { return nil }
            let request = stored.consent.request
            var effects: [ConsentEffect] = []
            switch stored.consent.state {
            case .pending where stored.unreached && !stored.consent.isDue(at: now):
                (stored.consent, effects) = try Consent.ask(
                    request, id: id, reach: try reach(stored.consent, db), approvals: [OperatorApproval(request.scope)],
                    parameters: stored.consent.parameters)
            case .pending where stored.consent.reach == .nobody(.unknown) && !stored.consent.isDue(at: now):
                effects = stored.consent.handle(.appeared(try reach(stored.consent, db)), at: now)
            case .awaitingOperator where try approvals(of: request.scope.asker, at: now, db).contains(where: { $0.covers(request) }):
                effects = stored.consent.handle(.approved(try reach(stored.consent, db)), at: now)
            case .awaitingOperator, .pending, .accepted, .over: return nil
            }
            stored.unreached = false
            try save(stored, db)
            return try run(effects, of: stored, now: now, db)
        }
    }

    private func reach(_ consent: Consent, _ db: Connection) throws -> Reach {
        let request = consent.request, asker = request.scope.asker
        guard let person = try personAsked(request.whom, db), try keys.key(of: person) != nil else { return .nobody(.unknown) }
        let others = try db.fetchAll(
            sql: "SELECT \(Self.consentColumns) FROM consent WHERE person = ? AND asker = ? AND state < 3 AND consent <> ?",
            arguments: [Data(person.bytes), asker.key, Data(consent.id.bytes)]
        ).compactMap(listedConsent).map(\.consent)
        let asked = AskedPerson(
            id: person, policy: try policy(of: person, db), standing: try askers.standing(of: asker, with: person, db), consents: others)
        return AskingRules.reach(request, to: asked)
    }

    /// People who can be asked at all: a person with an account that works (ACC-5, ACC-13).
    private func personAsked(_ whom: ConsentRequest.Addressee, _ db: Connection) throws -> PersonID? {
        let found =
            switch whom {
            case .person(let person): ("account = ?", [Data(person.bytes)])
            case .address(let hash): ("(email_index = ? OR identifier_index = ?)", [Data(hash), Data(hash)])
            }
        let account = try db.fetchOne(
            Data.self,
            sql: "SELECT account FROM account WHERE \(found.0) AND confirmed IS NOT NULL AND roles & \(Set([.person]).bits) <> 0",
            arguments: Arguments(found.1))
        return account.flatMap { PersonID(bytes: $0) }
    }

    // MARK: The operator

    /// Those that hold: none of who is suspended.
    private func approvals(of asker: Reader, at now: Milliseconds, _ db: Connection) throws -> [OperatorApproval] {
        guard try !accounts.organisations.isSuspended(asker, db) else { return [] }
        return try db.fetchAll(
            sql: "SELECT consent, envelope FROM approval WHERE asker = ? AND made > ?",
            arguments: [asker.key, now - OrganisationStore.approvalLifetime]
        ).compactMap { row in
            guard let id = ConsentID(bytes: row[0] as Data) else { return nil }
            // Without it an operator looks once more.
            return try unlessDamaged(.approval, id) {
                try open(OperatorApproval.self, row[1] as Data, of: asker.account.person, .approval, (id.high, id.low))
            }
        }
    }

    /// An operator lets a request leave, and with it every request of the same kind, now and later (CONS-11). The caller has checked that
    /// it is an operator.
    /// - Parameter seen: the ``StoredAccount/checkMark`` of the asker that the operator looked at; nil for whatever it is now.
    /// - Throws: ``AskerChanged``.
    public func approveConsent(_ id: ConsentID, seen: String? = nil, now: Milliseconds) throws -> ConsentOutcome? {
        try change(id, now: now) { stored, db in
            let request = stored.consent.request, asker = request.scope.asker
            if let seen, try accounts.account(asker.account, db)?.checkMark != seen { throw AskerChanged() }
            guard case .awaitingOperator = stored.consent.state, !stored.consent.isDue(at: now) else {
                return stored.consent.handle(.approved(.nobody(.unknown)), at: now)
            }
            let approval = try seal(OperatorApproval(request.scope), of: asker.account.person, .approval, (id.high, id.low))
            try db.execute(
                sql: "INSERT INTO approval(asker, consent, envelope, made) VALUES(?, ?, ?, ?)",
                arguments: [asker.key, Data(id.bytes), approval, now])
            // The others of this kind leave one by one, each in a transaction of its own.
            try db.execute(
                sql: """
                    INSERT INTO timer(kind, subject, due, trace)
                    SELECT ?, consent, ?, ? FROM consent WHERE asker = ? AND state = 0 AND consent <> ?
                    ON CONFLICT(kind, subject) DO UPDATE SET due = excluded.due, lease = 0, trace = excluded.trace
                    """,
                arguments: [TimerKind.consentReach.rawValue, now, StoredTrace.current.column, asker.key, Data(id.bytes)])
            return stored.consent.handle(.approved(try reach(stored.consent, db)), at: now)
        }
    }

    public func refuseConsent(_ id: ConsentID, now: Milliseconds) throws -> ConsentOutcome? {
        try change(id, now: now) { stored, _ in stored.consent.handle(.refused, at: now) }
    }

    // MARK: The person

    /// The answer of somebody who decides for the person. `notYours` for everybody else, and for a consent that does not exist.
    /// - Parameter part: what of the question an acceptance is about; nil for all of it.
    public func answerConsent(
        _ id: ConsentID, _ answer: ConsentAnswer, part: ConsentPart? = nil, by account: AccountID, now: Milliseconds
    ) throws -> ConsentOutcome {
        try answerConsent(id, answer, part: part, by: account, at: nil, now: now) { _ in }
    }

    /// - Parameters:
    ///   - box: at which they answered; nil for the hub's pages.
    ///   - beside: what is written down with an answer that changed something.
    func answerConsent(
        _ id: ConsentID, _ answer: ConsentAnswer, part: ConsentPart? = nil, by account: AccountID, at box: AgentID?, now: Milliseconds,
        beside: (Connection) throws -> Void
    ) throws -> ConsentOutcome {
        let outcome = try change(id, at: box, now: now) { stored, db in
            guard let person = stored.consent.person else { throw ConsentProblem.notYours }
            let decider = try authority(over: person, db).decider(account, at: now)
            if answer == .accept, let part { try stored.consent.narrow(to: part, at: now) }
            let effects =
                switch answer {
                case .accept: stored.consent.handle(.accepted(by: decider), at: now)
                case .deny: stored.consent.handle(.denied(by: decider), at: now)
                case .revoke: stored.consent.handle(.revoked(by: decider), at: now)
                }
            // An end by time has nobody's name on it.
            if effects.contains(where: { if case .record(let entry) = $0 { entry.by == account } else { false } }) { try beside(db) }
            return effects
        }
        guard let outcome else { throw ConsentProblem.notYours }
        return outcome
    }

    /// A consent that the person gives unasked (CONS-8, CONS-16).
    /// - Throws: ``Privacy/ConsentProblem/alreadyRuns(_:)`` when the reader has the same or more already.
    public func giveConsent(
        _ scope: ConsentScope, id: ConsentID? = nil, of person: PersonID, by account: AccountID, parameters: ConsentParameters,
        now: Milliseconds
    ) throws -> ConsentOutcome {
        try pool.write { db in
            let decider = try authority(over: person, db).decider(account, at: now)
            let running = try db.fetchAll(
                sql: "SELECT \(Self.consentColumns) FROM consent WHERE person = ? AND asker = ? AND state = 2",
                arguments: [Data(person.bytes), scope.asker.key]
            ).compactMap(listedConsent).map(\.consent)
            // A service is added once, whatever words say what it is for.
            let isSame = { (other: ConsentScope) in scope.service == nil ? scope.isWithin(other) : scope.service == other.service }
            if let same = running.first(where: { !$0.isOver(at: now) && isSame($0.request.scope) }) {
                throw ConsentProblem.alreadyRuns(same.id)
            }
            let (consent, effects) = try Consent.give(scope, id: id ?? randomness.id(), by: decider, parameters: parameters, at: now)
            let stored = StoredConsent(consent: consent, label: "")
            try save(stored, db)
            return try run(effects, of: stored, now: now, db)
        }
    }

    // MARK: The asker and the time

    /// The asker takes the question back, or reads no more.
    public func endConsent(_ id: ConsentID, by reader: Reader, now: Milliseconds) throws -> ConsentOutcome? {
        try change(id, now: now) { stored, _ in stored.consent.handle(.ended(by: reader), at: now) }
    }

    /// Parts of a "once" that are told apart, at most.
    static let deliveredPartsMax = 1000

    /// Notes that a part of a "once" was delivered.
    /// - Parameter span: UTC milliseconds.
    /// - Returns: all parts that were, in order; those that touch are one.
    public func noteDelivered(_ span: ClosedRange<Milliseconds>, of id: ConsentID) throws -> [ClosedRange<Milliseconds>] {
        try pool.write { db in
            guard var stored = try consent(id, db) else { return [] }
            var joined: [ClosedRange<Milliseconds>] = []
            for part in (stored.delivered + [span]).sorted(by: { $0.lowerBound < $1.lowerBound }) {
                if let last = joined.last, part.lowerBound - 1 <= last.upperBound {
                    joined[joined.count - 1] = last.lowerBound...max(last.upperBound, part.upperBound)
                } else {
                    joined.append(part)
                }
            }
            guard joined != stored.delivered, joined.count <= Self.deliveredPartsMax else { return stored.delivered }
            stored.delivered = joined
            try save(stored, db)
            return joined
        }
    }

    /// A delivery is complete and was received: that ends a "once".
    public func deliveredConsent(_ id: ConsentID, now: Milliseconds) throws -> ConsentOutcome? {
        try change(id, now: now) { stored, _ in stored.consent.handle(.delivered, at: now) }
    }

    /// A consent's time may have come: from its timer, or from a reader who saw it. A timer that came too early is set again.
    public func passTime(_ id: ConsentID, now: Milliseconds) throws -> ConsentOutcome? {
        try change(id, now: now) { stored, db in
            let effects = stored.consent.handle(.timePassed, at: now)
            if effects.isEmpty { try timers.setTimer(.consentDeadline, id.bytes, due: stored.consent.deadline, db) }
            return effects
        }
    }

    /// Loads, moves, stores, and runs what follows, in one transaction.
    private func change(
        _ id: ConsentID, at box: AgentID? = nil, now: Milliseconds, _ move: (inout StoredConsent, Connection) throws -> [ConsentEffect]
    ) throws -> ConsentOutcome? {
        try pool.write { db in
            guard var stored = try consent(id, db) else {
                // Nobody can read it any more, and no timer is to come back for it.
                try timers.setTimer(.consentDeadline, id.bytes, due: nil, db)
                return nil
            }
            let before = stored.consent
            let effects = try move(&stored, db)
            if stored.consent != before { try save(stored, db) }
            return try run(effects, of: stored, at: box, now: now, db)
        }
    }
}
