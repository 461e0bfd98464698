import HTTPTypes
import HubStore
import Hummingbird
import Privacy
import Vitals

/// Who may see a live page, and what is on it.
struct LiveQuery: Sendable {
    let accounts: AccountStore
    let series: SeriesStore
    let now: @Sendable () -> Milliseconds

    /// The newest two hours at one sample a second.
    static let recentMax = 7200

    /// The grant of the session in the browser's cookie; nil when there is none for this person.
    func grant(_ request: Request, for person: PersonID) throws -> Grant? {
        guard let secret = request.cookies[LivePage.cookie]?.value, let session = try accounts.linkSession(secret),
            session.person == person
        else { return nil }
        return session.grant(at: now())
    }

    /// nil when the grant does not hold any more.
    func recent(_ grant: Grant) throws -> String? {
        guard let reading = try series.last(Self.recentMax, grant, now: now()) else { return nil }
        try accounts.recordRead(grant, now: now())
        return LiveModel(reading, utc: now()).json(received: .some(reading.received))
    }

    /// Whether the grant still holds.
    func holds(_ grant: Grant) throws -> Bool {
        try accounts.reading(grant, now: now()) { true } ?? false
    }
}
