import Accounts
import Foundation
import History
import HubServices
import HubStore
import Privacy
import Vitals

extension WorkoutRecords.Wearer {
    init(_ body: HealthBody) { self.init(zones: body.age.flatMap(HeartRateZones.init(age:)), body: body.runner, energy: body.energy) }
}

/// On what the figures of people depend, for what the hub does by itself.
struct WorkoutWearers: Sendable {
    let accounts: AccountStore
    let history: HistoryService
    let now: @Sendable () -> Milliseconds

    /// - Returns: nil for nobody, and for somebody who was deleted.
    @Sendable func wearer(_ person: PersonID) throws -> WorkoutRecords.Wearer? {
        guard let account = try accounts.account(AccountID(person)), let scalars = try history.latestScalars(.maintenance(of: person))
        else {
            return nil
        }
        return .init(HealthBody(account, on: HealthSpan.day(now(), .gmt), scalars))
    }
}
