import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Privacy
import Vitals

/// Who may see a live page, and what is on it.
struct LiveQuery: Sendable {
    let accounts: AccountStore
    let series: SeriesReader
    let service: AccountService
    let consents: ConsentService
    let now: @Sendable () -> Milliseconds

    /// The newest two hours at one sample a second.
    static let recentMax = 7200

    /// What the browser's cookies give: a redeemed link, or the session of the person, a minor's parent or a caregiver with consent. nil when
    /// there is nothing for this person.
    func grant(_ request: Request, for person: PersonID) throws -> Grant? {
        if let secret = request.cookies[LivePage.cookie]?.value, let session = try accounts.links.linkSession(secret),
            session.person == person, let grant = session.grant(at: now())
        {
            return grant
        }
        return try siteGrant(request, for: person)
    }

    private func siteGrant(_ request: Request, for person: PersonID) throws -> Grant? {
        try reader(request).flatMap { try consents.siteGrant(of: person, to: $0) }
    }

    /// Who is logged in, now; nil for nobody.
    func reader(_ request: Request) throws -> AccountID? {
        guard let secret = request.cookies[Sessions.cookie]?.value, let session = try service.session(secret), session.strength == .full
        else { return nil }
        return session.account.id
    }

    /// nil when the grant does not hold any more.
    func recent(_ grant: Grant, _ form: LiveForm = LiveForm()) throws -> String? {
        guard var reading = try series.last(Self.recentMax, grant, now: now()),
            let scalars = try series.newestScalars(grant, now: now())
        else { return nil }
        // That something came tells of kinds that are not granted, too.
        if !grant.kinds.contains(.event) { reading.received = nil }
        try accounts.ledger.recordRead(grant, now: now())
        return LiveModel(reading, scalars: scalars, utc: now()).json(received: .some(reading.received), form)
    }

    /// Whether the grant still holds.
    func holds(_ grant: Grant) throws -> Bool {
        try accounts.reading(grant, now: now()) { true } ?? false
    }
}
