import Distress
public import HubStore
import Synchronization
public import Vitals

/// Open cases as every page shows them to whoever is concerned, and tests that their recipients confirm.
extension SOSService {
    public struct Emergency: Sendable, Hashable {
        public enum Concern: Sendable, Hashable {
            /// The reader is the person.
            case own
            /// The reader looks after the person.
            case cared
            /// The reader's crew has it.
            case crew
            /// It is offered to the reader's crew.
            case offered
        }
        public let person: PersonID
        public let concern: Concern
        public let opened: Milliseconds
        public let ownerName: String?
        public let hasOwner: Bool
        public let isOwner: Bool
        /// Nobody can be called (``HubStore/SOSCase/hasNobody``).
        public let hasNobody: Bool
    }

    /// What concerns an account now: their own first, then the oldest first. Asked for each page; without an emergency it reads nothing.
    public func emergencies(for account: AccountID) throws -> [Emergency] {
        let time = now()
        let found = state.withLock { state -> [(item: SOSCase, concern: Emergency.Concern)] in
            var found: [(SOSCase, Emergency.Concern)] = []
            if let own = state.openCase(of: account.person) { found.append((own, .own)) }
            found += state.cases.told(account).filter { !$0.people.contains(account.person) }.map { ($0, .cared) }
            for item in state.cases.occupying(account) {
                let isOffered =
                    item.seeksAmbulance && item.offers.contains { $0.account == account && $0.state == .open && $0.answerBy > time }
                if item.crew?.account == account { found.append((item, .crew)) } else if isOffered { found.append((item, .offered)) }
            }
            return found.filter { $0.0.isOpen && !$0.0.isTest }
        }
        return try found.compactMap { item, concern in
            var person = concern == .own ? account.person : item.person
            if concern == .cared {
                // A consent that ended since shows nothing more.
                guard let cared = try cared(in: item, by: account) else { return nil }
                person = cared
            }
            return Emergency(
                person: person, concern: concern, opened: item.opened, ownerName: item.ownerName, hasOwner: item.owner != nil,
                isOwner: item.owner == .account(account) || concern == .crew, hasNobody: item.hasNobody)
        }.sorted { ($0.concern == .own ? 0 : 1, $0.opened) < ($1.concern == .own ? 0 : 1, $1.opened) }
    }

    // MARK: Tests

    /// So long the recipient of a test may say that it arrived, milliseconds.
    static let testShown: Milliseconds = 86_400_000

    /// The test behind a contact's or a control room's link, and whose link it is.
    public func test(link: String) -> (item: SOSCase, helper: Helper)? {
        let link = String(link.prefix(32)), time = now()
        guard link.count == 32 else { return nil }
        return state.withLock { state in
            for item in state.recentTests(at: time) {
                if let room = item.roomLinks?.first(where: { $0.value == link })?.key { return (item, .room(name: room)) }
                guard let index = item.links.firstIndex(of: link) else { continue }
                return (item, .contact(index, name: item.contacts?[safely: index]?.name ?? ""))
            }
            return nil
        }
    }

    /// A recipient says that a test arrived (SOS-19).
    /// - Returns: false for a wrong link, and for one of a test that is older than a day.
    public func confirmTest(link: String) async -> Bool {
        guard let (found, helper) = test(link: link) else { return false }
        return await confirmTest(found, by: helper)
    }

    func confirmTest(_ found: SOSCase, by helper: Helper) async -> Bool {
        let time = now()
        state.withLock { state in
            guard var item = state.cases[found.id] ?? state.tests[found.id] else { return }
            _ = item.handle(.call(.confirmed(by: helper)), at: time)
            state.keepTest(item)
            writer.add(item.person, state: nil, cases: [item])
        }
        pages.changed(found.person)
        return await writer.flush()
    }

    /// A caregiver says so on the person's page: of all tests of the last day.
    public func confirmTests(of person: PersonID, by account: AccountID) async {
        state.withLock { state in
            for var item in state.recentTests(at: now()) where item.person == person {
                guard item.handle(.call(.confirmedByAccount(account)), at: now()).first == .store else { continue }
                state.keepTest(item)
                writer.add(person, state: nil, cases: [item])
            }
        }
        pages.changed(person)
        _ = await writer.flush()
    }

    /// Whether a test of the last day waits for a caregiver's word.
    public func hasTestToConfirm(of person: PersonID, by account: AccountID) -> Bool {
        let time = now()
        return state.withLock { state in
            state.recentTests(at: time).contains { item in
                item.person == person && item.calls.contains { $0.recipient == .account(account) && $0.state == .sent }
            }
        }
    }
}

extension SOSService.State {
    /// Tests of the last day.
    func recentTests(at time: Milliseconds) -> [SOSCase] {
        func isRecent(_ item: SOSCase) -> Bool { time - item.opened < SOSService.testShown }
        return cases.values.filter { $0.isTest && isRecent($0) } + tests.values.filter(isRecent)
    }

    /// Puts back one of ``recentTests(at:)``.
    mutating func keepTest(_ item: SOSCase) {
        if cases[item.id] != nil { cases[item.id] = item } else { tests[item.id] = item }
    }
}

extension Array {
    fileprivate subscript(safely index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
