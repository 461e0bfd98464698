import Distress
import EmergencyDispatch
public import HubStore
public import Vitals

/// Recipients of tests say that they arrived.
extension SOSDrills {
    /// So long the recipient of a test may say that it arrived, milliseconds.
    static let testShown: Milliseconds = 86_400_000

    /// The test behind a contact's or a control room's link, and whose link it is.
    public func test(link: String) -> (item: SOSCase, helper: SOSHelper)? {
        let link = String(link.prefix(32)), time = now()
        guard link.count == 32 else { return nil }
        return sos.state.withLock { state in
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
    public func confirm(link: String) async -> Bool {
        guard let (found, helper) = test(link: link) else { return false }
        return await confirm(found, by: helper)
    }

    func confirm(_ found: SOSCase, by helper: SOSHelper) async -> Bool {
        let time = now()
        sos.state.withLock { state in
            guard var item = state.cases[found.id] ?? state.tests[found.id] else { return }
            _ = item.handle(.call(.confirmed(by: helper)), at: time)
            state.keepTest(item)
            writer.add(item.person, state: nil, cases: [item])
        }
        pages.changed(found.person)
        return await writer.flush()
    }

    /// A caregiver says so on the person's page: of all tests of the last day.
    public func confirmAll(of person: PersonID, by account: AccountID) async {
        sos.state.withLock { state in
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
    public func hasToConfirm(of person: PersonID, by account: AccountID) -> Bool {
        let time = now()
        return sos.state.withLock { state in
            state.recentTests(at: time).contains { item in
                item.person == person && item.calls.contains { $0.recipient == .account(account) && $0.state == .sent }
            }
        }
    }
}

extension SOSService.State {
    /// Tests of the last day.
    func recentTests(at time: Milliseconds) -> [SOSCase] {
        func isRecent(_ item: SOSCase) -> Bool { time - item.opened < SOSDrills.testShown }
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
