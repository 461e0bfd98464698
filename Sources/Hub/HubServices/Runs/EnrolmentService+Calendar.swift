import Credentials
public import HubStore
import Runs
public import Vitals

/// Calendar file and feed (RUN-12).
extension EnrolmentService {
    /// Whoever has the link of a feed reads where somebody will be: it can be made anew, which ends the one before, and ended.
    /// - Returns: the secret, which is shown once.
    public func makeFeed(of person: PersonID, by account: StoredAccount) throws -> String {
        try accounts.checkDecides(account, person, now: now)
        let token = SecretToken.random(using: accounts.randomness)
        try feeds.setFeed(token.hash, of: person, now: now)
        return token.text
    }

    public func endFeed(of person: PersonID, by account: StoredAccount) throws {
        try accounts.checkDecides(account, person, now: now)
        try feeds.setFeed(nil, of: person, now: now)
    }

    /// `text/calendar`: the runs that the person of a feed takes part in, also those that were called off; nil for a feed that does not work (any more).
    public func calendar(feed: String) throws -> [UInt8]? {
        guard let token = SecretToken(feed), let person = try feeds.person(ofFeed: token.hash) else { return nil }
        var text = CalendarText(name: "TrackMe")
        for (enrolment, run) in try store.enrolments(of: person) where enrolment.state.isOnList || run.state == .cancelled {
            guard enrolment.state != .withdrawn else { continue }
            text.add(event(run, wave: enrolment.choices.wave, bib: enrolment.bib))
        }
        text.end()
        return text.bytes
    }

    /// One run as a file.
    public func calendarFile(of run: StoredRun) -> [UInt8] {
        var text = CalendarText(name: run.plan.name)
        text.add(event(run, wave: 0, bib: nil))
        text.end()
        return text.bytes
    }

    private func event(_ run: StoredRun, wave: Int, bib: Int?) -> CalendarText.Event {
        let plan = run.plan, site = site(), middle = run.area.middle
        let start = plan.waves.indices.contains(wave) && bib != nil ? plan.waves[wave].gun : plan.starts
        let host = site.split(separator: "/").last.map { String($0.prefix { $0 != ":" }) } ?? "trackme"
        return CalendarText.Event(
            uid: "\(run.id)@\(host)", sequence: run.revision, stamp: now, start: start, end: plan.ends, summary: plan.name,
            description: plan.purpose + (bib.map { "\n\($0)" } ?? ""), location: plan.place,
            place: (latitude: middle.latitude, longitude: middle.longitude),
            url: "\(site)/runs/\(run.code)", isCancelled: run.state == .cancelled)
    }
}
