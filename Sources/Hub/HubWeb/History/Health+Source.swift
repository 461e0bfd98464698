import Accounts
import Foundation
import HubServices
import HubStore
import Hummingbird
import Privacy
import Vitals

/// Whose health a page shows, to whom, and by what: one's own, a minor child's, or that of somebody whose consent lets the reader see it.
struct HealthSource: Sendable {
    /// The reader.
    let reader: AccountID
    let grant: Grant
    /// The kinds that can be chosen, in the order of the table.
    let kinds: [DataKind]
    /// The last instant that may be read, UTC milliseconds; nil without an end.
    var until: Milliseconds?
    /// By which age and sex are known; nil where a consent lets the reader see: they are no part of it.
    var account: StoredAccount?
    /// The address of the page.
    let base: String
    /// nil for one's own.
    var name: String?
    let help: String
    var ways = HealthModel.Ways()

    /// Whether a consent lets the reader see.
    var isShared: Bool { account == nil }

    /// Of kinds that were granted, those that have a plot.
    static func plotted(_ kinds: Set<DataKind>) -> [DataKind] { DataKind.plotted.filter(kinds.contains) }
}

extension HealthPages {
    static let ofFollowed = "/following/:id/health", ofConsent = "/organisation/people/:consent/health"

    /// Where somebody finds the page of whom they look after; nil where they may see no kind that has a plot.
    static func link(to person: PersonID, _ grants: [Grant], _ texts: Texts) -> Link? {
        link("/care/person/\(person)", grants.reduce(into: []) { $0.formUnion($1.kinds) }, texts)
    }

    /// - Parameter base: of the pages about somebody, where `/health` is one.
    static func link(_ base: String, _ kinds: Set<DataKind>, _ texts: Texts) -> Link? {
        HealthSource.plotted(kinds).isEmpty ? nil : Link(href: "\(base)/health", text: texts["health.link"])
    }

    /// One's own, or a minor child's.
    func decided(_ frame: Frame, _ context: HubContext) throws -> HealthSource {
        let subject = try DataSubject(frame, context, accounts: accounts, now: now())
        guard let grant = try accounts.consents.authority(over: subject.person).grant(to: subject.session.account.id, at: now()) else {
            throw PageRefusal.notAllowed
        }
        var source = HealthSource(
            reader: subject.session.account.id, grant: grant, kinds: DataKind.plotted, base: Self.path(subject),
            help: subject.isOwn ? "health" : subject.help)
        (source.account, source.name) = (subject.account, subject.isOwn ? nil : subject.account.name)
        source.ways = .init(
            protection: subject.isOwn ? "/protection" : "/care/person/\(subject.person)/protection",
            workouts: WorkoutRecordPages.path(subject), imports: "\(subject.base)/import")
        return source
    }

    /// Somebody who is looked after: by a minor's parent, or by a consent to a relative.
    /// - Parameter kind: which is asked for; of several consents, one that names it is read by.
    /// - Throws: `PageRefusal.notAllowed`, the same for whom the account does not look after, kinds that it may not see, and nobody.
    func cared(_ frame: Frame, _ context: HubContext, kind: DataKind?) throws -> HealthSource {
        let account = try frame.session().account
        guard let person = PersonID(try context.parameters.require("id")), person != account.id.person else { throw PageRefusal.notAllowed }
        guard try accounts.consents.authority(over: person).grant(to: account.id, at: now()) == nil else {
            return try decided(frame, context)
        }
        let grants = try consents.careGrants(of: account.id).map(\.grant).filter { $0.person == person }
        let kinds = HealthSource.plotted(grants.reduce(into: []) { $0.formUnion($1.kinds) })
        func count(_ grant: Grant) -> Int { HealthSource.plotted(grant.kinds).count }
        let naming = grants.filter { grant in kind.map(grant.kinds.contains) ?? (count(grant) > 0) }
        guard let grant = naming.max(by: { count($0) < count($1) }), let name = try accounts.person(person)?.name else {
            throw PageRefusal.notAllowed
        }
        let base = "/care/person/\(person)"
        return shared(
            HealthSource(reader: account.id, grant: grant, kinds: kinds, base: "\(base)/health", name: name, help: "care"), back: base)
    }

    /// Somebody who named the reader (CONS-16).
    func followed(_ frame: Frame, _ context: HubContext) throws -> HealthSource {
        let account = try frame.session().account
        guard Navigation.mayFollow(account), let id = ConsentID(try context.parameters.require("id")),
            let followed = try consents.followed(id, by: account)
        else { throw PageRefusal.notAllowed }
        let base = "/following/\(id)"
        var source = HealthSource(
            reader: account.id, grant: followed.grant, kinds: HealthSource.plotted(followed.grant.kinds), base: "\(base)/health",
            name: followed.name, help: "following")
        if followed.consent.scope.term == .once, case .accepted(let since, _) = followed.consent.shown { source.until = since }
        return shared(source, back: base)
    }

    /// Somebody who consented to an organisation (CONS-15): by what it may download, so that it sees no more and no less.
    func consented(_ frame: Frame, _ context: HubContext) throws -> HealthSource {
        let account = try frame.session(as: .organisation).account, reader = Reader.organisation(OrganisationID(account.id))
        guard let id = ConsentID(try context.parameters.require("consent")), let asked = try consents.downloadable(id, of: reader),
            !HealthSource.plotted(asked.scope.kinds).isEmpty, let (grant, span) = try consents.download(id, as: reader)
        else { throw PageRefusal.notAllowed }
        let base = "/organisation/people/\(id)", isRunning = try consents.running(id, of: reader) != nil
        var source = HealthSource(
            reader: account.id, grant: grant, kinds: HealthSource.plotted(grant.kinds), base: "\(base)/health",
            name: frame.texts.person(asked), help: "people")
        if asked.scope.term == .once { source.until = span.upperBound }
        return shared(source, back: isRunning ? base : "/requests")
    }

    private func shared(_ source: HealthSource, back: String) -> HealthSource {
        var source = source
        (source.ways.back, source.ways.downloads) = (back, "\(source.base)/download")
        return source
    }
}
