public import HubStore
import Privacy
import Runs
public import Vitals

/// Notice of public runs near one's place (RUN-12): off until somebody asks for it, and of each run once.
extension RunService {
    /// Why it was not turned on.
    public enum NearbyRefusal: Error, Sendable, Hashable {
        case notYours, place, radius
    }

    /// Of those who asked, so many are held against a run with one reading: about 10 ms.
    static let nearbyLook = 400

    public func nearbyWish(of person: PersonID, for account: StoredAccount) throws -> NearbyWish? {
        try checkDecides(account, person)
        return try store.nearby.nearby(of: person)
    }

    /// - Throws: ``NearbyRefusal``.
    public func askNearby(_ wish: NearbyWish, of person: PersonID, by account: StoredAccount) throws {
        guard try accounts.consents.authority(over: person).mayAnswer(account.id, at: now) else { throw NearbyRefusal.notYours }
        guard wish.place.isValid else { throw NearbyRefusal.place }
        guard NearbyWish.radii.contains(wish.radius) else { throw NearbyRefusal.radius }
        // Heights are nothing that is asked for.
        let place = CoursePoint(latitude: wish.place.latitude, longitude: wish.place.longitude)
        try store.nearby.setNearby(NearbyWish(place: place, radius: wish.radius), of: person, now: now)
    }

    public func endNearby(of person: PersonID, by account: StoredAccount) throws {
        try checkDecides(account, person)
        try store.nearby.endNearby(of: person)
    }

    /// Tells the next ones of a run that was published near them. False when nothing is to be told.
    func announceNext() throws -> Bool {
        guard let part = try store.nearby.dueAnnouncing(look: Self.nearbyLook, count: Self.tellBatch, lease: Self.lease, now: now) else {
            return false
        }
        let plan = part.run.plan
        if !part.people.isEmpty {
            try accounts.runConsents.tellNearby(
                ["run": plan.name, "place": plan.place, "starts": String(plan.starts), "timeZone": plan.timeZone], code: part.run.code,
                people: part.people, now: now)
        }
        try store.nearby.announced(part, now: now)
        return true
    }
}
