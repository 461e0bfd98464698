import Accounts
import Distress
import EmergencyDispatch
public import HubStore
import Synchronization
public import Vitals

/// Where the person lives, as a point of the map: where no position is known, ambulances are looked for near it (SOS-11).
public struct SOSHomes: SOSSubject {
    let sos: SOSService

    /// The pin that was set, and whether it still belongs to the address of the profile.
    public struct Home: Sendable, Hashable {
        /// The point of the map.
        public let pin: HomePin
        /// False after a move: it leads nobody then.
        public let isCurrent: Bool
    }

    /// nil where nobody has set one.
    public func home(of person: PersonID) throws -> Home? {
        guard let pin = try store.choice(of: person).home else { return nil }
        return Home(pin: pin, isCurrent: try accounts.account(AccountID(person))?[.residence] == pin.address)
    }

    /// Sets the pin.
    /// - Parameters:
    ///   - latitude: degrees north, -90 to 90.
    ///   - longitude: degrees east, -180 to 180.
    ///   - account: the person, or somebody who looks after them.
    /// - Throws: ``SOSSettingProblem/notAPlace`` for what is no place, or that of 0, 0, which is the sea; ``SOSSettingProblem/notAllowed``.
    public func set(latitude: Double, longitude: Double, of person: PersonID, by account: AccountID) async throws {
        guard (-90...90).contains(latitude), (-180...180).contains(longitude), abs(latitude) + abs(longitude) > 0.001 else {
            throw SOSSettingProblem.notAPlace
        }
        try allow(account, toChange: person)
        let address = try accounts.account(AccountID(person))?[.residence] ?? ""
        let pin = HomePin(
            latitude: Int32((latitude * 1e7).rounded()), longitude: Int32((longitude * 1e7).rounded()), address: address, by: account,
            at: now())
        try await change(to: pin, of: person, by: account)
        // A case that waits for a place to look near has one now.
        guard let item = sos.openCase(of: person), item.person == person, item.alarm.position == nil else { return }
        sos.dispatch(.hub(.homeSet), to: item.id)
        crews.search(item.id)
    }

    /// - Throws: ``SOSSettingProblem/notAllowed``.
    public func remove(of person: PersonID, by account: AccountID) async throws {
        try allow(account, toChange: person)
        try await change(to: nil, of: person, by: account)
    }

    private func change(to pin: HomePin?, of person: PersonID, by account: AccountID) async throws {
        try store.change(person, by: account, now: now()) { choice in
            guard choice.home != pin else { return [] }
            choice.home = pin
            return [pin == nil ? "home -" : "home"]
        }
        try await sos.reload(person)
        pages.changed(person)
    }

    private func allow(_ account: AccountID, toChange person: PersonID) throws {
        guard try account.person == person || addressees.caregivers(of: person).contains(account) else {
            throw SOSSettingProblem.notAllowed
        }
    }
}

extension SOSService.State {
    /// The pin of whoever a case is about, where no position is known. After a move the one of before leads nobody.
    func home(of item: SOSCase) -> HomePin? {
        guard item.alarm.position == nil, let entry = entries[item.person], let home = entry.choice.home,
            home.address == entry.account?[.residence] ?? ""
        else { return nil }
        return home
    }

    /// Where crews go, in degrees: where the person was last, and where nobody knows that, where they live.
    func way(to item: SOSCase) -> (latitude: Double, longitude: Double)? {
        item.alarm.position.map { (Double($0.latitude) / 1e7, Double($0.longitude) / 1e7) }
            ?? home(of: item).map { (Double($0.latitude) / 1e7, Double($0.longitude) / 1e7) }
    }
}
