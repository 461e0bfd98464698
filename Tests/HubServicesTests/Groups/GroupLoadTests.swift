import Accounts
import Database
import Foundation
import Groups
import TestSupport
import Testing
import Vitals

@testable import HubServices
@testable import HubStore

/// Groups of 1,000,000 people, only where it is asked for: `packaging/bench/run groups` judges it. `TRACKME_LOAD` is the percent of people.
@Suite(.serialized, .enabled(if: ProcessInfo.processInfo.environment["TRACKME_LOAD"] != nil))
struct GroupLoadTests {
    private static let people = max(1, 10_000 * (ProcessInfo.processInfo.environment["TRACKME_LOAD"].flatMap { Int($0) } ?? 100))
    private static let day: Milliseconds = 86_400_000

    private static func seconds(_ body: () async throws -> Void) async rethrows -> Double {
        let began = ContinuousClock.now
        try await body()
        return (ContinuousClock.now - began) / .seconds(1)
    }

    private static func figure(_ name: String, _ value: Double) { print("figure groups_\(name) \(value)") }

    /// The most memory that this process has ever had, in MB.
    private static var peak: Double {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM") }
        return (line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) } ?? 0) / 1024
    }

    /// 20 regions of 5 provinces of 5 towns.
    private static func list() throws -> RegionList {
        var lines = ["TMREGIONS 1", "=IT\tItaly\tItalia\tITA"]
        for region in 0..<20 {
            lines.append("+\(10 + region)\tMade \(region)")
            for province in 0..<5 {
                lines.append("-\(UnicodeScalar(UInt8(65 + region)))\(UnicodeScalar(UInt8(65 + province)))\tMade \(region) \(province)")
                for town in 0..<5 {
                    lines.append("\(100_000 + region * 25 + province * 5 + town)\t\(name(region, province, town))\t\t\t30000")
                }
            }
        }
        return try RegionList(Array(lines.joined(separator: "\n").utf8))
    }

    /// Letters alone, so that no number is taken for one of a house.
    private static func name(_ region: Int, _ province: Int, _ town: Int) -> String {
        "Borgo" + String([region, province, town].map { Character(UnicodeScalar(UInt8(97 + $0))) })
    }

    /// The years of birth: nine in ten are of four bands, the others of twelve.
    private static func born(_ number: Int) -> String {
        let band = number % 10 < 9 ? number / 7 % 4 + 3 : number / 7 % 12 + 7
        return "\(2026 - band * 5 - 2)-01-01"
    }

    /// Everybody has a week of fifteen hours a day with heart rates and steps, of sleep, and a weight; as many live in each town. The budget is as installed.
    @Test("GRP-6: a weekly window of 1,000,000 people closes in a minute, and an answer comes within milliseconds")
    func million() async throws {
        let list = try Self.list()
        var crowd = try MadeCrowd(list)
        let clock = crowd.groups.own.hub.clock, own = crowd.groups.own, settings = GroupSettings()
        let window = try #require(GroupWindow.closed(.week, from: clock.now - 14 * Self.day, to: clock.now).last)
        let made = try await Self.seconds {
            try crowd.add(Self.people, in: [window]) { number in
                .init(
                    born: Self.born(number), residence: Self.name(number % 20, number / 20 % 5, number / 100 % 5),
                    gender: number / 500 % 2 == 0 ? "female" : "male",
                    rates: [Int64](repeating: 55 + Int64(number % 40), count: 7), sleepMinutes: 360 + Int64(number % 180), hours: 15,
                    stepsAnHour: 200 + Int64(number % 900), weight: 4_500 + Int64(number % 6_000))
            }
        }
        print("load: \(Self.people) people made in \(Int(made)) s")
        let regions = HomeRegions(accounts: crowd.accounts, list: list, now: { clock.now })
        let index = AttributeIndex(accounts: crowd.accounts, regions: regions, deletion: own.deletion, logger: own.logger)
        Self.figure("index_s", try await Self.seconds { try index.rebuild() })

        let before = Self.peak, contributions = WindowContributions(series: crowd.series, index: index)
        let ahead = try await Self.seconds {
            try contributions.begin(window, settings.kinds)
            while try contributions.prepare(GroupClosing.slice) {}
        }
        Self.figure("ahead_s", ahead)
        let answers = crowd.groups.answers(settings.budget)
        let door = GroupDoor(crowd.accounts, tree: crowd.groups.tree, budget: settings.budget, now: { clock.now })
        let closing = GroupClosing(
            accounts: crowd.accounts, series: crowd.series, index: index, answers: answers, door: door, settings: settings,
            logger: own.logger, now: { clock.now }, past: 14 * Self.day, contributions: contributions, step: { _ in })
        let clinic = try own.addAccount(email: "clinic@example.org")
        let closed = try await Self.besideMails(crowd.accounts, to: clinic) { try await Self.seconds { try await closing.work() } }
        Self.figure("close_s", closed)
        // When groups are turned on: nothing of the past is worked out ahead.
        Self.figure("year_h", 52 * (ahead + closed) / 3_600)
        Self.figure("close_peak_mb", Self.peak)
        print("load: \(Int(before)) MB before the window was worked out, \(Int(Self.peak)) MB at most")
        #expect(try crowd.groups.releases.isClosed(window))

        let everybody = try GroupQuestion(.heartRate, sexes: [.female, .male, .other], in: crowd.groups.tree)
        let fresh = crowd.groups.answers(settings.budget)
        var answer: GroupWindowAnswer?
        Self.figure("first_answer_ms", try await Self.seconds { answer = try fresh.answer(to: everybody, in: window) } * 1_000)
        Self.figure("answer_ms", try await Self.seconds { answer = try fresh.answer(to: everybody, in: window) } * 1_000)
        if Self.people >= 100_000 {
            let figures = try #require(answer?.answer)
            print("load: \(answer?.cells ?? 0) cells, \(answer?.missing.count ?? 0) missing")
            #expect(figures.count.value > Double(Self.people) / 2 && (figures.mean?.error ?? 99) < 2)
        }

        let range = try #require(DoorQuestion.Range(.sleep, from: 420, below: nil))
        let question = try #require(DoorQuestion(everybody, in: window, where: [range]))
        let cold = GroupDoor(crowd.accounts, tree: crowd.groups.tree, budget: settings.budget, now: { 0 })
        Self.figure("door_cold_s", try await Self.seconds { _ = try cold.ask(question, by: clinic.id) })
        let other = try #require(DoorQuestion(everybody, in: window, where: [.init(.sleep, bins: 7...9)]))
        Self.figure("door_ms", try await Self.seconds { _ = try cold.ask(other, by: clinic.id) } * 1_000)
        let held = try crowd.accounts.consents.groupWindows.contributions(to: window).reduce(0) { $0 + $1.count }
        Self.figure("held_bytes_a_person", Double(held) / Double(Self.people))
    }

    /// Mails meanwhile, as alarms do, and says how long each mail waits for the database of the accounts.
    private static func besideMails<Done: Sendable>(
        _ accounts: AccountStore, to account: StoredAccount, _ body: () async throws -> Done
    ) async throws -> Done {
        let isOver = Locked(false)
        let mails = Task.detached {
            var waits: [Double] = []
            repeat {
                waits.append(try await seconds { try accounts.notices.addMail("group.window", [:], to: account, now: 0) } * 1_000)
                try await Task.sleep(for: .milliseconds(20))
            } while !isOver.current
            return waits.sorted()
        }
        do {
            let done = try await body()
            isOver.change { $0 = true }
            let waits = try await mails.value
            figure("close_mail_p99_ms", waits[waits.count * 99 / 100])
            figure("close_mail_max_ms", waits[waits.count - 1])
            return done
        } catch {
            isOver.change { $0 = true }
            throw error
        }
    }

    /// Ten organisations with a hundred subscriptions each.
    @Test("GRP-5: the answers of 1,000 subscriptions come within a minute of a close")
    func subscriptions() async throws {
        let asked = try AskedGroups(), week = GroupWindow.Length.week.milliseconds, window = asked.window.next
        try asked.close(asked.window)
        for number in 0..<10 {
            let lab = try ConsentFixture.add("lab\(number)@clinic.example", [.organisation], to: asked.made.accounts)
            for place in 0..<100 {
                let draft = asked.draft {
                    $0.sexes = [CellSex.allCases[place % 3]]
                    ($0.ageFrom, $0.ageThrough) = (place / 3 % 20 * 5, place / 3 % 20 * 5 + 4)
                }
                let stored = try asked.requests.ask(
                    asked.requests.snapping.ask(draft), purpose: "Study of hearts", term: .lasting(3 * week), past: place / 60, mails: true,
                    by: lab)
                try asked.requests.approve(stored.id, by: asked.boss)
            }
        }
        asked.clock.advance(window.closes() + 1_000 - asked.clock.now)
        try asked.close(window)
        func delivered() throws -> Int {
            try asked.made.accounts.pool.read {
                try $0.fetchOne(Int.self, sql: "SELECT count(*) FROM group_delivery WHERE start = ?", arguments: [window.start])
            } ?? 0
        }
        let took = try await Self.seconds {
            var tries = 0
            while tries < 1_000, try delivered() < 1_000 {
                try await asked.timers.fire()
                tries += 1
            }
        }
        Self.figure("subscriptions_s", took)
        #expect(try delivered() == 1_000)
    }
}
