import Privacy
import Testing
import Vitals

let second: Milliseconds = 1000
let hour: Milliseconds = 3_600_000
let day = 24 * hour
/// Some day at noon.
let noon: Milliseconds = 1_800_014_400_000

/// Those who ask and those who answer.
enum Cast {
    static let hospital = Reader.organisation(OrganisationID(high: 1, low: 1))
    static let insurer = Reader.organisation(OrganisationID(high: 1, low: 2))

    static let ada = PersonID(high: 2, low: 1)
    static let adasAccount = AccountID(high: 3, low: 1)
    static let carla = AccountID(high: 3, low: 2)
    static let stranger = AccountID(high: 3, low: 3)
    static let mother = AccountID(high: 3, low: 4)
    static let minorsAccount = AccountID(high: 3, low: 5)

    /// Of age.
    static let adult = Authority(person: ada, account: adasAccount)
    /// 18 in ten days.
    static let minor = Authority(person: PersonID(high: 2, low: 2), account: minorsAccount, guardians: [mother], adultFrom: noon + 10 * day)

    static let address = ConsentRequest.Addressee.address([7, 7])
    static let otherAddress = ConsentRequest.Addressee.address([8, 8])

    static func scope(
        _ asker: Reader = hospital, service: ServiceID? = nil, kinds: Set<DataKind> = [.heartRate], purpose: String = "Study of rest",
        term: ConsentTerm = .lasting(30 * day)
    ) throws -> ConsentScope {
        try ConsentScope(asker: asker, service: service, kinds: kinds, purpose: purpose, term: term)
    }

    static func id(_ number: UInt64) -> ConsentID { ConsentID(high: 9, low: number) }

    /// A request that has left at `noon`.
    static func asked(
        _ scope: ConsentScope? = nil, id number: UInt64 = 1, whom: ConsentRequest.Addressee = address, reach: Reach = .person(ada),
        parameters: ConsentParameters = .data4Help, at now: Milliseconds = noon
    ) throws -> Consent {
        let scope = try scope ?? self.scope()
        let request = ConsentRequest(whom: whom, scope: scope, created: now)
        return try Consent.ask(request, id: id(number), reach: reach, approvals: [OperatorApproval(scope)], parameters: parameters).0
    }

    /// The same, accepted by Ada after a second.
    static func accepted(_ scope: ConsentScope? = nil, id number: UInt64 = 1, whom: ConsentRequest.Addressee = address) throws -> Consent {
        var consent = try asked(scope, id: number, whom: whom)
        _ = consent.handle(.accepted(by: try yes()), at: noon + second)
        return consent
    }

    /// Ada decides.
    static func yes() throws -> Decider { try adult.decider(adasAccount, at: noon) }
}

extension Consent {
    var ending: Ending? {
        guard case .over(let end) = state else { return nil }
        return end.ending
    }

    /// What anybody could read by it.
    func anyGrant(at now: Milliseconds) -> Grant? { grant(to: request.scope.asker, for: request.scope.service, at: now) }
}

extension [ConsentEffect] {
    var entries: [ConsentEntry.Content] {
        compactMap {
            guard case .record(let entry) = $0 else { return nil }
            return entry.what
        }
    }

    var refused: ConsentProblem? {
        lazy.compactMap {
            guard case .refuse(let problem) = $0 else { return nil }
            return problem
        }.first
    }

    /// What reaches the asker, directly or by the time at which it does.
    var forAsker: [ConsentEffect] {
        filter {
            switch $0 {
            case .tellAsker, .timer, .askOperator, .openAccess, .cutAccess, .refuse: true
            case .notifyPerson, .invite, .countDenial, .clearDenials, .record: false
            }
        }
    }
}
