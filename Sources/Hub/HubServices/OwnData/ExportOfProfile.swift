import Foundation
import Groups
public import HubStore
public import SyncProtocol
public import Vitals

/// The hub's data of somebody besides the series, for the download of all data (DATA-9).
public struct ProfileExport: Sendable, Codable {
    public let format: String
    public let version: Int
    public let account: String
    public let roles: [String]
    /// The form's fields by name.
    public let details: [String: String]
    public let language: String
    /// Of the browser, for times in mails; nil where none said it.
    public let timeZone: String?
    /// ISO 8601.
    public let created: String
    public let confirmed: String?
    public let accepted: [Acceptance]
    public let sessions: [Session]
    /// Results that services sent.
    public let results: [Result]
    /// Offers to named readers that were not taken.
    public let offers: [Offer]
    /// Settings of the person's boxes, kept for the next one.
    public let boxes: [BoxSettings]
    /// The choice about counting in statistics about groups; nil where nobody said anything.
    public let groups: Groups?
    /// The cost of statistics about groups, by year.
    public let groupYears: [GroupYear]
    /// Of Track4Run; nil where the hub has none.
    public let runs: RunsExport?
    /// Consents, ledger, alarms, notices and the rest.
    public let records: RecordsExport

    /// A document that was accepted with the sign-up.
    public struct Acceptance: Sendable, Codable, Hashable {
        public let document: String
        public let version: String
        public let time: String
    }

    /// A browser that is logged in.
    public struct Session: Sendable, Codable, Hashable {
        public let device: String
        public let created: String
        public let seen: String
    }

    /// A result of a service (CONS-8).
    public struct Result: Sendable, Codable, Hashable {
        /// Its name; nil when it is gone.
        public let service: String?
        public let consent: String
        public let number: Int
        public let received: String
        /// Times within are UTC milliseconds.
        public let result: ServiceResult
    }

    /// An objection to statistics about groups, or a yes to them.
    public struct Groups: Sendable, Codable, Hashable {
        public let isCounted: Bool
        public let time: String
        /// The account of the person, or of a parent.
        public let by: String
    }

    /// The part of a year's budget that statistics about groups took (GRP-4).
    public struct GroupYear: Sendable, Codable, Hashable {
        public let year: Int
        /// How well anybody could tell whether the person was counted, with a chance of 1e-9 beside it.
        public let epsilon: Double
        public let spent: [Spent]

        public struct Spent: Sendable, Codable, Hashable {
            public let kind: String
            /// Of the place that was told about; nil for answers to single questions.
            public let level: String?
            public let releases: Int
            /// In zero-concentrated differential privacy.
            public let rho: Double
        }

        init(_ ledger: PersonLedger) {
            (year, epsilon) = (ledger.year, ledger.epsilon)
            spent = ledger.lines.map { line in
                switch line.purpose {
                case .cube(let kind, let level):
                    Spent(kind: "\(kind)", level: "\(level)", releases: line.releases, rho: line.cost.value)
                case .secondDoor(let kind): Spent(kind: "\(kind)", level: nil, releases: line.releases, rho: line.cost.value)
                }
            }
        }
    }

    /// An offer to a named reader (CONS-16). Whether it was declined is the other side's own business.
    public struct Offer: Sendable, Codable, Hashable {
        public let email: String
        public let kinds: [String]
        public let purpose: String
        public let created: String
        public let expires: String
        public let isWithdrawn: Bool
    }

    /// Settings of a box.
    public struct BoxSettings: Sendable, Codable, Hashable {
        /// The person's name for it.
        public let box: String
        public let changed: String
        public let settings: BoxSettingsCopy
    }

    public init(
        _ account: StoredAccount, accounts: AccountStore, runs: RunsStore? = nil, sos: SOSStore? = nil, now: Milliseconds
    ) throws {
        (format, version, language) = ("trackme-profile", 1, account.language)
        timeZone = try accounts.notices.zone(of: account)
        (self.account, details) = (account.id.description, account.details)
        roles = account.roles.map { "\($0)" }.sorted()
        created = RecordsExport.text(account.created)
        confirmed = account.confirmed.map(RecordsExport.text)
        accepted = try accounts.acceptances.accepted(by: account.row).map {
            Acceptance(document: $0.document, version: $0.version, time: RecordsExport.text($0.time))
        }
        sessions = try accounts.sessions(of: account.row, now: now).map {
            Session(device: $0.device ?? "", created: RecordsExport.text($0.created), seen: RecordsExport.text($0.seen))
        }
        results = try accounts.services.results(of: account.id.person).map { service, stored in
            let name = try BuiltInService(service)?.name ?? accounts.services.service(service)?.shown?.name
            return Result(
                service: name, consent: stored.consent.description, number: stored.number, received: RecordsExport.text(stored.received),
                result: stored.result)
        }
        boxes = try accounts.agents.keptSettings(as: BoxSettingsCopy.self, for: account.id.person).compactMap { kept in
            kept.settings.map { BoxSettings(box: kept.name, changed: RecordsExport.text(kept.changed), settings: $0) }
        }
        groups = try accounts.consents.groups.standing(of: account.id.person).choice.map {
            Groups(isCounted: $0.isCounted, time: RecordsExport.text($0.at), by: $0.by.description)
        }
        groupYears = try accounts.consents.groupYears.ledgers(of: account.id.person).map { GroupYear($0) }
        self.runs = try runs.map { try RunsExport(account.id, $0) }
        records = try RecordsExport(account, accounts: accounts, sos: sos, now: now)
        offers = try accounts.offers.offers(of: account.id.person, now: now).map { offer in
            Offer(
                email: offer.details.email, kinds: offer.details.kinds.map { "\($0)" }.sorted(), purpose: offer.details.purpose,
                created: RecordsExport.text(offer.created), expires: RecordsExport.text(offer.expires),
                isWithdrawn: offer.state == .withdrawn)
        }
    }

    /// The document, with sorted keys.
    public func json() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self))
    }
}
