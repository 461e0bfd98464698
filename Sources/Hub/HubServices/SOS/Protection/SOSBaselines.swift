import Distress
import HubStore
import Logging
import Vitals

/// Figures of people's own, by which their limits are set (SOS-2).
struct SOSBaselines: SOSSubject {
    let sos: SOSService

    /// Figures are computed again after a day; where too little came for that, the old ones hold for so long.
    static let every: Milliseconds = 86_400_000, max: Milliseconds = 60 * 86_400_000

    /// Computes the figures of whoever is watched and has none of the last day, from the last 14 days (SOS-2). A hub that was down does it late.
    func compute(tried: inout [PersonID: Milliseconds]) async {
        let time = now()
        let due = sos.state.withLock { state in
            state.entries.filter { $0.value.choice.isOn && time - ($0.value.choice.personal?.computedAt ?? .min / 2) >= Self.every }
                .map(\.key)
        }
        for person in due where time - (tried[person] ?? .min / 2) >= Self.every {
            tried[person] = time
            do { try await compute(of: person) } catch {
                logger.error("personal limits cannot be computed; those before hold", metadata: ["error": "\(error)"])
            }
        }
    }

    func compute(of person: PersonID) async throws {
        let time = now(), old = try store.choice(of: person)
        let minutes = try minutes(of: person, now: time)
        let age = DistressSettings(of: old, isConsented: true, account: try accounts.account(AccountID(person)), now: time).age
        guard case .limits(let limits) = Baseline.compute(minutes, age: age, now: time, version: (old.personal?.version ?? 0) + 1) else {
            guard let computed = old.personal?.computedAt, time - computed > Self.max else { return }
            logger.notice("personal limits are too old to hold: those of the age do")
            try store.change(person, by: nil, now: time) { choice in
                choice.personal = nil
                return []
            }
            return try await sos.reload(person)
        }
        try store.change(person, by: nil, now: time) { choice in
            choice.personal = limits
            return []
        }
        try await sos.reload(person)
    }

    /// Minutes of the last 14 days, of live streams alone (design rule 11), a day at a time.
    private func minutes(of person: PersonID, now: Milliseconds) throws -> [Baseline.Minute] {
        let day: Milliseconds = 86_400_000
        return try (0..<Baseline.days).flatMap { back -> [Baseline.Minute] in
            let to = now - Milliseconds(back) * day
            return try detectionReader.minutesOfRest(of: person, from: to - day, to: to, now: now)
        }
    }
}
