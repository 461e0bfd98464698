public import HubStore
import Privacy
import Runs
public import Vitals

/// Notice of public runs near one's place (RUN-12): off until somebody asks for it, and of each run once.
extension RunFinder {
    /// Why it was not turned on.
    public enum NearbyRefusal: Error, Sendable, Hashable {
        case notYours, place, radius
    }

    /// Of those who asked, so many are held against a run with one reading: about 10 ms.
    static let nearbyLook = 400

    public func nearbyWish(of person: PersonID, for account: StoredAccount) throws -> NearbyWish? {
        try accounts.checkDecides(account, person, now: now)
        return try wishes.nearby(of: person)
    }

    /// - Throws: ``NearbyRefusal``.
    public func askNearby(_ wish: NearbyWish, of person: PersonID, by account: StoredAccount) throws {
        guard try accounts.consents.authority(over: person).mayAnswer(account.id, at: now) else { throw NearbyRefusal.notYours }
        guard wish.place.isValid else { throw NearbyRefusal.place }
        guard NearbyWish.radii.contains(wish.radius) else { throw NearbyRefusal.radius }
        // Heights are nothing that is asked for.
        let place = CoursePoint(latitude: wish.place.latitude, longitude: wish.place.longitude)
        try wishes.setNearby(NearbyWish(place: place, radius: wish.radius), of: person, now: now)
    }

    public func endNearby(of person: PersonID, by account: StoredAccount) throws {
        try accounts.checkDecides(account, person, now: now)
        try wishes.endNearby(of: person)
    }

    /// Tells the next ones of a run that was published near them. False when nothing is to be told.
    func announceNext() throws -> Bool {
        let part = try wishes.dueAnnouncing(
            look: Self.nearbyLook, count: RunTimerService.tellBatch, lease: RunTimerService.lease, now: now)
        guard let part else { return false }
        let plan = part.run.plan
        if !part.people.isEmpty {
            try accounts.runConsents.tellNearby(
                ["run": plan.name, "place": plan.place, "starts": String(plan.starts), "timeZone": plan.timeZone], code: part.run.code,
                people: part.people, now: now)
        }
        try wishes.announced(part, now: now)
        return true
    }
}
