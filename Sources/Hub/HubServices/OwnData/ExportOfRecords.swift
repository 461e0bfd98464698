import Accounts
public import Distress
import EmergencyDispatch
import Foundation
public import HubStore
import Privacy
import Vitals

/// Readers and reads, alarms, messages and senders: the records of an account, for the download of all data (DATA-9).
/// Times are ISO 8601. Secrets of links and keys are in none of them.
public struct RecordsExport: Sendable, Codable, Hashable {
    /// Requests of others to the person, and grants: the newest first.
    public let consents: [Consent]
    /// Decisions and reads: the newest first.
    public let ledger: [LedgerLine]
    /// The kinds that anybody may ask for, by name.
    public let policy: [String]
    /// Askers who were denied too often and cannot ask any more.
    public let blocked: [String]
    /// The account's own requests to others.
    public let asked: [Asked]
    public let notices: [Notice]
    /// Boxes, phones and detectors, those that were disconnected included where they are phones or detectors.
    public let senders: [Sender]
    /// AutomatedSOS; nil for an account that is no person's.
    public let sos: SOSExport?
    /// Payments, the newest first.
    public let payments: [Payment]
    /// What was paid for, and until when.
    public let paidFeatures: [PaidUntil]
    /// Services and runs of an organisation; nil for every other account.
    public let organisation: Organisation?

    public struct Consent: Sendable, Codable, Hashable {
        public let id: String
        /// The asker, or the reader to whom it was given.
        public let name: String
        public let kinds: [String]
        public let purpose: String
        public let created: String
        /// `open`, `running`, or how it ended.
        public let state: String
        public let since: String?
        public let until: String?
        /// To the hour; nil for never.
        public let lastRead: String?
    }

    public struct LedgerLine: Sendable, Codable, Hashable {
        public let time: String
        public let what: String
        public let name: String
        public let consent: String?
        public let kinds: [String]
        public let purpose: String
    }

    public struct Asked: Sendable, Codable, Hashable {
        public let id: String
        /// The text that named the person; empty for an unasked grant.
        public let whom: String
        public let kinds: [String]
        public let purpose: String
        public let created: String
        public let state: String
    }

    public struct Notice: Sendable, Codable, Hashable {
        public let kind: String
        public let created: String
        public let seen: String?
        public let details: [String: String]
    }

    public struct Payment: Sendable, Codable, Hashable {
        public let id: String
        /// PayPal's names of the order and of the payment.
        public let payPalOrder: String?
        public let payPalCapture: String?
        public let offer: String
        public let feature: String
        public let days: Int
        /// With a point before the decimals, such as `19.90`.
        public let amount: String
        /// ISO 4217.
        public let currency: String
        public let begun: String
        public let state: String
        /// When the present state began.
        public let since: String
    }

    public struct PaidUntil: Sendable, Codable, Hashable {
        public let feature: String
        public let ends: String
        public let isOn: Bool
    }

    public struct Sender: Sendable, Codable, Hashable {
        /// `box`, or how a phone or detector speaks.
        public let kind: String
        public let name: String
        public let since: String
        public let revoked: String?
    }

    public struct Organisation: Sendable, Codable, Hashable {
        public let services: [Service]
        public let webhooks: [String]
        public let keys: [Sender]
        public let ambulances: [Ambulance]
        public let users: [User]

        public struct Service: Sendable, Codable, Hashable {
            public let id: String
            public let published: String
            public let isWithdrawn: Bool
            public let shown: PublishedService.Description?
            public let waiting: PublishedService.Description?
        }

        public struct User: Sendable, Codable, Hashable {
            public let name: String
            public let email: String
            /// `reads` or `asks`.
            public let rights: String
            public let since: String
        }

        public struct Ambulance: Sendable, Codable, Hashable {
            public let name: String
            public let plate: String
            public let crews: [String]
        }
    }

    /// - Parameter sos: nil where the hub keeps none.
    init(_ account: StoredAccount, accounts: AccountStore, sos: SOSStore?, now: Milliseconds) throws {
        let person = account.id.person
        consents = try Self.consents(of: person, accounts)
        ledger = try Self.ledger(of: person, accounts)
        policy = try account.roles.contains(.person) ? Self.names(accounts.consents.policy(of: person).anybody) : []
        blocked = try accounts.consents.blockedAskers(of: person).map(\.name)
        asked = try Self.asked(by: account, accounts, now)
        notices = try accounts.notices.notices(of: account).map { notice in
            Notice(
                kind: notice.name, created: Self.text(notice.created), seen: notice.seen.map(Self.text),
                details: notice.arguments.filter { $0.key != "code" && !$0.value.contains("://") })
        }
        let boxes = try accounts.agents.agents(of: person).map {
            Sender(kind: "box", name: $0.name, since: Self.text($0.created), revoked: nil)
        }
        senders =
            try boxes
            + accounts.devices.devices(of: person).filter { !$0.kind.isHidden }.map {
                Sender(kind: "\($0.kind)", name: $0.name, since: Self.text($0.created), revoked: $0.revoked.map(Self.text))
            }
        payments = try PaymentReader(accounts).orders(of: account).map(Payment.init)
        paidFeatures = try PaymentReader(accounts).entitlements(of: account).map {
            PaidUntil(feature: $0.feature.rawValue, ends: Self.text($0.ends), isOn: $0.isOn)
        }
        self.sos = try account.roles.contains(.person) ? sos.map { try SOSExport(person, $0) } : nil
        organisation = try account.roles.contains(.organisation) ? Self.organisation(account, accounts) : nil
    }

    static func text(_ time: Milliseconds) -> String { Date(timeIntervalSince1970: Double(time) / 1000).formatted(.iso8601) }

    private static func names(_ kinds: Set<DataKind>) -> [String] { kinds.map { "\($0)" }.sorted() }

    /// All pages of a list.
    static func all<Item>(_ page: (Int64?) throws -> (items: [Item], next: Int64?)) rethrows -> [Item] {
        var items: [Item] = [], next: Int64?
        repeat {
            let found = try page(next)
            items += found.items
            next = found.next
        } while next != nil
        return items
    }

    private static func consents(of person: PersonID, _ accounts: AccountStore) throws -> [Consent] {
        let found = try all { before in
            let page = try accounts.consents.consents(of: person, before: before)
            return (page.items, page.next)
        }
        return found.compactMap { item in
            let scope = item.consent.request.scope
            var state = "open"
            var since: Milliseconds?
            var until: Milliseconds?
            switch item.consent.state {
            // The person knows nothing of it yet.
            case .awaitingOperator: return nil
            case .pending(let question): until = question.expires
            case .accepted(let access): (state, since, until) = ("running", access.since, access.until)
            case .over(let end): (state, until) = (end.ending.rawValue, end.at)
            }
            return Consent(
                id: item.consent.id.description, name: item.name, kinds: names(scope.kinds), purpose: scope.purpose,
                created: text(item.consent.request.created), state: state, since: since.map(text), until: until.map(text),
                lastRead: item.lastRead.map(text))
        }
    }

    private static func ledger(of person: PersonID, _ accounts: AccountStore) throws -> [LedgerLine] {
        let lines = try all { before in
            let page = try accounts.ledger.ledger(of: person, before: before)
            return (page.entries, page.next)
        }
        return lines.map { line in
            LedgerLine(
                time: text(line.at), what: word(line.what), name: line.readerName, consent: line.consent?.description,
                kinds: names(line.kinds),
                purpose: line.purpose)
        }
    }

    static func word(_ what: LedgerEntry.Content) -> String {
        switch what {
        case .consent(.asked, _): "asked"
        case .consent(.keptBack, _): "kept-back"
        case .consent(.accepted, _): "accepted"
        case .consent(.given, _): "given"
        case .consent(.over(let ending), _): ending.rawValue
        case .read: "read"
        case .readByLink: "read-by-link"
        case .readByGuardian: "read-by-parent"
        case .readByFriend: "read-by-friend"
        case .readByOperator: "read-by-operator"
        case .counted(let isCounted, _): isCounted ? "counted" : "not-counted"
        case .parentAdded: "parent-added"
        case .parentLeft: "parent-left"
        case .told: "told-of-emergency"
        case .link(let what): "link-\(what.rawValue)"
        }
    }

    private static func asked(by account: StoredAccount, _ accounts: AccountStore, _ now: Milliseconds) throws -> [Asked] {
        let readers = [Reader.organisation(OrganisationID(account.id)), .caregiver(account.id), .named(account.id), .organiser(account.id)]
        return try readers.flatMap { reader in
            try all { before in
                let page = try accounts.consents.consents(askedBy: reader, before: before, now: now)
                return (page.items, page.next)
            }
        }.map { item in
            let state =
                switch item.shown {
                case .awaitingOperator, .pending: "open"
                case .accepted: "running"
                case .over(let ending, _): ending.rawValue
                }
            return Asked(
                id: item.id.description, whom: item.label, kinds: names(item.scope.kinds), purpose: item.scope.purpose,
                created: text(item.created), state: state)
        }
    }

    private static func organisation(_ account: StoredAccount, _ accounts: AccountStore) throws -> Organisation {
        let id = OrganisationID(account.id)
        return Organisation(
            services: try accounts.services.services(of: id).map {
                .init(
                    id: $0.id.description, published: text($0.published), isWithdrawn: $0.isWithdrawn, shown: $0.shown, waiting: $0.waiting)
            },
            webhooks: try accounts.webhooks.webhooks(of: id).map(\.url),
            keys: try accounts.organisations.organisationKeys(of: account.id).map {
                Sender(kind: "key", name: $0.name, since: text($0.created), revoked: $0.revoked.map(text))
            },
            ambulances: try accounts.hospitals.ambulances(of: account).map {
                .init(name: $0.label.name, plate: $0.label.plate, crews: $0.crews.map(\.name))
            },
            users: try OrganisationUserStore(accounts).users(of: account).map {
                .init(name: $0.account.name, email: $0.account.email, rights: "\($0.rights)", since: text($0.since))
            })
    }
}

extension RecordsExport.Payment {
    init(_ order: PaymentOrder) {
        let price = order.offer.price
        (id, payPalOrder, payPalCapture) = (order.id.description, order.remote, order.capture)
        (offer, feature, days) = (order.offer.code, order.offer.feature.rawValue, order.offer.days)
        (amount, currency) = (price.decimal, price.currency.rawValue)
        (begun, state, since) = (RecordsExport.text(order.created), order.state.rawValue, RecordsExport.text(order.since))
    }
}

/// AutomatedSOS's data of a person, for the download of all data (DATA-9). Times within settings and alarms are UTC milliseconds.
public struct SOSExport: Sendable, Codable, Hashable {
    public let settings: SOSChoice
    /// The giver of the consent to calls, and its time; nil for none.
    public let consent: Consent?
    public let changes: [SOSChange]
    public let plannedTest: SOSDrillPlan?
    /// Alarms and tests, the newest first.
    public let cases: [Case]

    public struct Consent: Sendable, Codable, Hashable {
        public let giver: String
        public let document: String
        public let given: String
    }

    public struct Case: Sendable, Codable, Hashable {
        public let opened: String
        public let ended: String?
        public let isTest: Bool
        /// Its owner.
        public let takenBy: String?
        public let alarm: Alarm
        public let calls: [Call]
    }

    public struct Call: Sendable, Codable, Hashable {
        /// The contact's or the control room's name, or the identifier of a caregiver's account.
        public let to: String
        public let channel: String
        public let message: String
        public let state: String
        public let sent: String?
    }

    init(_ person: PersonID, _ store: SOSStore) throws {
        settings = try store.choice(of: person)
        consent = try store.consent(of: person).map {
            Consent(giver: $0.giver.description, document: $0.document, given: RecordsExport.text($0.given))
        }
        changes = try store.changes(of: person, count: 10_000)
        plannedTest = try store.drill(of: person)?.plan
        cases = try store.cases(of: person, count: 10_000).map { item in
            Case(
                opened: RecordsExport.text(item.opened), ended: item.ended.map(RecordsExport.text), isTest: item.isTest,
                takenBy: item.ownerName, alarm: item.alarm, calls: item.calls.map(Self.call))
        }
    }

    private static func call(_ call: SOSCall) -> Call {
        let to =
            switch call.recipient {
            case .contact(_, let contact): contact.name
            case .account(let account): account.description
            case .room(let name): name
            }
        return Call(
            to: to, channel: call.channel.rawValue, message: call.message.rawValue, state: call.state.rawValue,
            sent: call.sentAt.map(RecordsExport.text))
    }
}
