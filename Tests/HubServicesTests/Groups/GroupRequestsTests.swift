import Accounts
import Foundation
import Groups
import HubStore
import Runs
import TestSupport
import Testing
import Vitals

@testable import HubServices

/// An organisation that asks about groups over made-up windows, an operator, and the clock of the hub.
struct AskedGroups {
    let made: MadeGroups
    let clinic: StoredAccount, boss: StoredAccount
    let requests: GroupRequests
    let timers: TimerService
    /// The newest one that could be closed by now.
    let window: GroupWindow

    var clock: ManualClock { made.own.hub.clock }
    var store: GroupRequestStore { made.accounts.consents.groupRequests }
    var organisation: OrganisationID { OrganisationID(clinic.id) }

    init(budget: GroupBudget = GroupBudget()) throws {
        made = try MadeGroups()
        clinic = try ConsentFixture.add("data@clinic.example", [.organisation], to: made.accounts)
        boss = try ConsentFixture.add("boss@example.org", [.operator], to: made.accounts)
        let clock = made.own.hub.clock
        window = GroupWindow(.week, at: clock.now)
        clock.advance(window.closes() + 1 - clock.now)
        let time = MonotonicUTC { clock.now }
        requests = GroupRequests(
            accounts: made.accounts, list: try MadeGroups.regions(), answers: made.answers(budget),
            door: GroupDoor(made.accounts, tree: made.tree, budget: budget) { clock.now }, time: time)
        timers = TimerService(store: made.accounts.timers, handlers: requests.timers, logger: made.own.logger, time: time)
    }

    func draft(_ change: (inout GroupDraft) -> Void = { _ in }) -> GroupDraft {
        var draft = GroupDraft()
        (draft.kinds, draft.sexes, draft.places) = ([.heartRate], [.female], ["Lombardia"])
        (draft.ageFrom, draft.ageThrough) = (30, 35)
        change(&draft)
        return draft
    }

    @discardableResult
    func ask(_ draft: GroupDraft? = nil, term: GroupRequest.Term = .once, past: Int = 1) throws -> StoredGroupRequest {
        try requests.ask(
            requests.snapping.ask(draft ?? self.draft()), purpose: "Study of hearts", term: term, past: past, mails: false, by: clinic)
    }

    func windows(_ id: GroupRequestID) throws -> [GroupDelivery] { try #require(try requests.request(id, of: organisation)).windows }
    func state(_ id: GroupRequestID) throws -> GroupRequest.State? { try store.request(id)?.request.state }

    /// Women of 30 to 34 in Lombardy are released in a window, and nobody else.
    func close(_ window: GroupWindow) throws { try made.close(window, [.region: [try MadeGroups.cell(.female, 30, "IT-25")]]) }
}

@Suite struct GroupRequestsTests {
    private func problem(_ asked: AskedGroups, _ change: (inout GroupDraft) -> Void) -> GroupDraft.Problem? {
        do { _ = try asked.requests.snapping.ask(asked.draft(change)) } catch { return error }
        return nil
    }

    @Test("GRP-1: ages, names of places, circles, polygons and ranges become whole bands, regions and classes before anything is asked")
    func snapped() throws {
        let list = try RegionList(Array(Self.centred.utf8)), tree = RegionTree(list)
        let snapping = GroupSnapping(list: list, tree: tree, budget: GroupBudget())
        var draft = GroupDraft()
        (draft.kinds, draft.ageFrom, draft.ageThrough) = ([.weight], 6, 19)
        let ages = try snapping.ask(draft)
        #expect(ages.bands.map { AgeBand.spans($0).map(\.from) } == [5] && AgeBand.spans(ages.bands ?? []).map(\.through) == [19])
        (draft.ageFrom, draft.ageThrough) = (nil, nil)
        draft.places = ["milano, lombardia", "IT-001272"]
        #expect(throws: GroupDraft.Problem.ambiguousPlace("milano, lombardia", [try code("IT-MI"), try code("IT-015146")])) {
            try snapping.ask(draft)
        }
        draft.places = ["Torino, Torino", "Lecco, Lecco"]
        #expect(try snapping.ask(draft).regions == [code("IT-21"), code("IT-LC")], "all that the list has of them")
        draft.places = []
        draft.areas = [.circle(CoursePoint(latitude: 454_640_000, longitude: 91_900_000), radius: 10_000)]
        #expect(try snapping.ask(draft).regions == [code("IT-MI")], "the only town of its province stands for it")
        let corners = [(45.0, 7.0), (45.0, 9.5), (46.5, 9.5), (46.5, 7.0)].map {
            CoursePoint(latitude: Int32($0.0 * 1e7), longitude: Int32($0.1 * 1e7))
        }
        draft.areas = [.polygon(corners)]
        draft.ranges = [.init(.sleep, from: 425, below: nil)]
        let ask = try snapping.ask(draft)
        #expect(try ask.regions == [code("IT-25"), code("IT-21")].sorted() && ask.ranges == [.init(.sleep, bins: 8...15)])
        #expect(ask.ranges[0].limits.from == 420 && ask.ranges[0].limits.below == nil, "as it became")
    }

    private static let centred = """
        TMREGIONS 1
        =IT\tItaly\tItalia\tITA
        +25\tLombardia
        -MI\tMilano
        015146\tMilano\t\t20121\t1350000\t45.464\t9.190
        -LC\tLecco
        097042\tLecco\t\t23900\t47000\t45.850\t9.390
        +21\tPiemonte
        -TO\tTorino
        001272\tTorino\t\t10121\t850000\t45.070\t7.680
        +32\tTrentino
        """

    private func code(_ text: String) throws -> RegionCode { try MadeGroups.code(text) }

    @Test("GRP-1: what cannot be a question is said, with what to do")
    func problems() throws {
        let asked = try AskedGroups()
        #expect(problem(asked) { $0.places = ["Atlantis"] } == .unknownPlace("Atlantis"))
        #expect(problem(asked) { $0.ageThrough = 20 } == .ages)
        #expect(problem(asked) { $0.kinds = [] } == .ask(.noKinds))
        #expect(problem(asked) { $0.kinds = [.water] } == .ask(.notGrouped(.water)), "it has no share of the budget")
        #expect(problem(asked) { $0.areas = [.circle(CoursePoint(latitude: 0, longitude: 0), radius: 0)] } == .area)
        #expect(problem(asked) { $0.areas = [.circle(CoursePoint(latitude: 0, longitude: 0), radius: 10)] } == .areaWithoutPlaces)
        #expect(problem(asked) { $0.ranges = [.init(.sleep, from: 500, below: 400)] } == .range(.sleep))
        #expect(
            problem(asked) {
                $0 = GroupDraft()
                $0.kinds = [.heartRate]
            } == .ask(.unconstrained))
        #expect(throws: GroupRequestProblem.notYours) {
            try asked.requests.ask(
                asked.requests.snapping.ask(asked.draft()), purpose: "x", term: .once, past: 1, mails: false, by: asked.boss)
        }
    }

    @Test("CONS-11, GRP-7: an operator looks at the first request; then it is answered from what was released")
    func answered() throws {
        let asked = try AskedGroups()
        try asked.close(asked.window)
        let first = try asked.ask()
        #expect(try asked.windows(first.id).isEmpty && asked.state(first.id) == .awaitingOperator)
        #expect(throws: GroupRequestProblem.notYours) { try asked.requests.waiting(for: asked.clinic) }
        #expect(try asked.requests.waiting(for: asked.boss).map(\.stored.id) == [first.id])
        try asked.requests.approve(first.id, by: asked.boss)
        let window = try #require(try asked.windows(first.id).first)
        #expect(window.window == asked.window && window.results.map(\.kind) == [.heartRate])
        #expect(window.results[0].answer?.counts == [Int64](repeating: 100, count: 16))
        #expect(try asked.state(first.id) == .over(.fulfilled, at: asked.requests.now))
        // The next one of this kind is answered at once.
        let second = try asked.ask(asked.draft { $0.ageThrough = 39 })
        #expect(second.request.state == .over(.fulfilled, at: asked.requests.now))
        let result = try #require(try asked.windows(second.id).first?.results.first)
        #expect(try result.answer != nil && result.missing == [MadeGroups.cell(.female, 35, "IT-25")], "what is not in it is said")
    }

    @Test("GRP-5: a window is delivered within a minute of its closing, and nothing after the end")
    func subscription() async throws {
        let asked = try AskedGroups(), week = GroupWindow.Length.week.milliseconds
        try asked.close(asked.window)
        let id = try asked.ask(term: .lasting(2 * week), past: 0).id
        try asked.requests.approve(id, by: asked.boss)
        #expect(try asked.windows(id).isEmpty, "only what closes from now on")
        var window = asked.window
        for number in 1...2 {
            window = window.next
            asked.clock.advance(window.closes() + 30_000 - asked.clock.now)
            try asked.close(window)
            let closed = asked.clock.now
            while try asked.windows(id).count < number {
                try #require(asked.clock.now - closed <= 60_000, "not delivered within a minute")
                try await asked.timers.fire()
                asked.clock.advance(1_000)
            }
        }
        #expect(try asked.windows(id).map(\.window) == [window, GroupWindow(.week, number: window.number - 1)])
        asked.clock.advance(window.next.closes() + 30_000 - asked.clock.now)
        try asked.close(window.next)
        for _ in 0..<5 {
            try await asked.timers.fire()
            asked.clock.advance(30_000)
        }
        #expect(try asked.windows(id).count == 2, "its time was over before")
        guard case .over(.ranOut, _)? = try asked.state(id) else { throw CocoaError(.featureUnsupported) }
    }

    @Test("GRP-5: a window that should close before the end and is closed after it is delivered, and the end is told after it")
    func lastWindow() async throws {
        let asked = try AskedGroups(), last = asked.window.next
        try asked.close(asked.window)
        let id = try asked.ask(term: .lasting(GroupWindow.Length.week.milliseconds), past: 0).id
        try asked.requests.approve(id, by: asked.boss)
        asked.clock.advance(last.closes() + 1_000 - asked.clock.now)
        for _ in 0..<5 {
            try await asked.timers.fire()
            asked.clock.advance(600_000)
        }
        func told() throws -> String? { try asked.made.accounts.notices.notices(of: asked.clinic).first?.arguments["state"] }
        #expect(try asked.windows(id).isEmpty && told() == "groupApproved", "it is not closed yet")
        try asked.close(last)
        try await asked.timers.fire()
        #expect(try asked.windows(id).map(\.window) == [last] && told() == "groupRanOut")
        #expect(try asked.state(id) == .over(.ranOut, at: last.closes() + 1))
    }

    @Test("GRP-5: no window is waited for longer than a day after the end of a subscription")
    func noLastWindow() async throws {
        let asked = try AskedGroups()
        let id = try asked.ask(term: .lasting(1_000), past: 0).id
        try asked.requests.approve(id, by: asked.boss)
        asked.clock.advance(1_000 + GroupRequest.grace - 1)
        try await asked.timers.fire()
        guard case .active? = try asked.state(id) else { throw CocoaError(.featureUnsupported) }
        asked.clock.advance(1)
        try await asked.timers.fire()
        guard case .over(.ranOut, _)? = try asked.state(id) else { throw CocoaError(.featureUnsupported) }
    }

    @Test("GRP-5: the organisation ends a subscription at any time; one answer waits for the first window")
    func ended() async throws {
        let asked = try AskedGroups(), once = try asked.ask(), running = try asked.ask(term: .lasting(1_000_000_000))
        for id in [once.id, running.id] { try asked.requests.approve(id, by: asked.boss) }
        #expect(try asked.windows(once.id).isEmpty)
        try asked.requests.end(running.id, by: asked.organisation)
        try asked.close(asked.window)
        for _ in 0..<4 {
            asked.clock.advance(30_000)
            try await asked.timers.fire()
        }
        #expect(try asked.windows(once.id).count == 1 && asked.windows(running.id).isEmpty)
    }

    @Test("GRP-2, GRP-3: a refusal has the members of an answer and nothing in them, and is the same for every reason")
    func refusals() throws {
        let asked = try AskedGroups()
        try asked.close(asked.window)
        try asked.requests.approve(asked.ask().id, by: asked.boss)
        func result(_ change: (inout GroupDraft) -> Void) throws -> [String: Any] {
            let stored = try asked.ask(asked.draft(change))
            let json = try GroupDocument(stored, list: MadeGroups.regions()).json(asked.windows(stored.id), now: 0)
            let object = try #require(try JSONSerialization.jsonObject(with: Data(json)) as? [String: Any])
            let window = try #require((object["windows"] as? [[String: Any]])?.first)
            return try #require((window["results"] as? [[String: Any]])?.first)
        }
        let answer = try result { $0.ageThrough = 36 }
        let refused = try [
            result { ($0.sexes, $0.ageThrough) = ([.male], 36) },
            result { ($0.ageFrom, $0.ageThrough) = (100, 120) },
            result { $0.places = ["Piemonte"] },
        ]
        #expect(refused.allSatisfy { Set($0.keys) == Set(answer.keys) })
        let texts = try refused.map { try JSONSerialization.data(withJSONObject: $0, options: .sortedKeys) }
        #expect(answer["status"] as? String == "released" && Set(texts).count == 1, "\(refused)")
        #expect(refused[0]["status"] as? String == "refused" && refused[0]["count"] is NSNull)
        #expect(refused[0].values.allSatisfy { !($0 is [Any]) || ($0 as? [Any])?.isEmpty == true })
    }

    @Test("GRP-4: a question with ranges is answered once by the second door; with its share used up the request ends with notice")
    func ranges() throws {
        let asked = try AskedGroups(budget: GroupBudget(questionsPerYear: 24, questionsPerOrganisation: 2)),
            people = try MadeGroups.people(40_000)
        let parts = PeopleCodec.encoded(people)
        try asked.made.close(asked.window, [:], contributions: parts)
        func ask(_ from: Double) throws -> StoredGroupRequest {
            let draft = asked.draft {
                $0.ageThrough = 34
                $0.ranges = [.init(.sleep, from: from, below: nil)]
            }
            return try asked.ask(draft)
        }
        let first = try ask(420)
        #expect(first.request.past == 1 && first.request.ask.needsDoor)
        try asked.requests.approve(first.id, by: asked.boss)
        #expect(try asked.windows(first.id).first?.results.first?.answer != nil)
        #expect(try asked.requests.doorLeft(of: asked.organisation) == 1)
        #expect(try asked.windows(ask(425).id).first?.results.first?.answer != nil, "the same classes: the same question")
        #expect(try asked.requests.doorLeft(of: asked.organisation) == 1)
        #expect(try asked.windows(ask(390).id).first?.results.first?.answer != nil)
        let spent = try ask(360)
        #expect(spent.request.state == .over(.budgetSpent, at: asked.requests.now))
        #expect(try asked.windows(spent.id).isEmpty)
        #expect(try asked.made.accounts.notices.notices(of: asked.clinic).first?.arguments["state"] == "groupSpent")
    }
}
