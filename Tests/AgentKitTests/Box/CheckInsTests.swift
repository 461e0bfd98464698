import Foundation
import Languages
import Peripherals
import Sensing
import SyncProtocol
import Synchronization
import Testing
import Vitals

@testable import AgentKit

/// The hub as check-ins see it: answers as the test says, and keeps what it was told.
final class ScriptedCheckInHub: CheckInHub {
    private let state = Mutex<(outcome: CheckInReply.Outcome?, why: CheckInReply.Cause?, said: [CheckInAnswer])>((nil, nil, []))
    let utc: Milliseconds

    init(utc: Milliseconds = CheckInsTests.now) { self.utc = utc }

    /// nil: it cannot be reached.
    func set(_ outcome: CheckInReply.Outcome?, _ why: CheckInReply.Cause? = nil) {
        state.withLock { ($0.outcome, $0.why) = (outcome, why) }
    }
    var said: [CheckInAnswer] { state.withLock { $0.said } }

    func answer(_ answer: CheckInAnswer) async -> Result<CheckInReply, SourceProblem> {
        let (outcome, why) = state.withLock { state in
            state.said.append(answer)
            return (state.outcome, state.why)
        }
        guard let outcome else { return .failure(SourceProblem(what: "No hub", advice: "Look at the network", retries: true)) }
        return .success(CheckInReply(id: answer.id, utc: utc, outcome: outcome, why: why))
    }
}

/// What becomes of a tap, as a value.
struct CheckInsTests {
    /// 08:00 on the day of a run that starts at 09:00, UTC milliseconds.
    static let now: Milliseconds = 1_795_600_000_000
    static let start = now + 3_600_000

    static func checkIn(
        _ number: UInt64 = 1, code: String = "ABC234", standing: CheckIn.Standing = .open,
        kinds: Set<CheckIn.Kind> = [.position, .heartRate]
    ) -> CheckIn {
        CheckIn(
            id: ConsentID(high: 7, low: number), run: "Made-up 4 km", code: code, organiser: "Club Made Up", purpose: "Who is where",
            kinds: kinds,
            until: start + 7_200_000, lapses: start, standing: standing)
    }

    private static let noHub = SourceProblem(what: "No hub", advice: "Look", retries: true)
    private var now: Milliseconds { Self.now }

    private func asked(_ items: [CheckIn] = [checkIn()]) -> CheckIns {
        var checkIns = CheckIns()
        _ = checkIns.hear(items, utc: Self.now)
        return checkIns
    }

    private func phases(_ checkIns: CheckIns, _ utc: Milliseconds = now) -> [BoxStatus.CheckInState.Phase] {
        checkIns.shown(utc: utc).map(\.phase)
    }

    private func reply(_ answer: CheckInAnswer, _ outcome: CheckInReply.Outcome, _ why: CheckInReply.Cause? = nil) -> CheckInReply {
        CheckInReply(id: answer.id, utc: Self.now, outcome: outcome, why: why)
    }

    @Test("RUN-5: a tap is on its way until the hub decides, is sent again while it cannot be reached, and says what keeps it")
    func retries() throws {
        var checkIns = asked()
        let nothing = checkIns.due(at: 0)
        #expect(phases(checkIns) == [.open] && nothing == nil)
        _ = try checkIns.say(.accept, to: nil, utc: now)
        var time: Milliseconds = 0, tries = 0
        while time < 600_000 {
            if let answer = checkIns.due(at: time) {
                tries += 1
                let second = checkIns.due(at: time)
                #expect(second == nil, "one at a time")
                checkIns.failed(Self.noHub, answer, at: time)
            }
            time += 1000
        }
        #expect((15...40).contains(tries) && phases(checkIns) == [.sending])
        #expect(checkIns.shown(utc: now)[0].problem == "No hub. Look")
        time += CheckIns.againMax
        let last = checkIns.due(at: time), answer = try #require(last)
        #expect(answer == CheckInAnswer(id: Self.checkIn().id, answer: .accept))
        let isKept = checkIns.heard(reply(answer, .accepted), to: answer, at: time), more = checkIns.due(at: time + 1_000_000)
        #expect(isKept && phases(checkIns) == [.accepted] && more == nil && checkIns.problem == nil)
        // Said again it stays said; to be taken back there is the hub.
        let again = try checkIns.say(.accept, to: "abc234", utc: now)
        #expect(again.isAccepted)
        let refusal = #expect(throws: AgentProblem.self) { try checkIns.say(.refuse, to: nil, utc: now) }
        #expect(refusal?.words == "refusal.checkedIn")
    }

    @Test("RUN-5: nothing is said once the run has started; an answer that was under way is too late, unless the hub had it in time")
    func lapses() throws {
        var checkIns = asked()
        let late = #expect(throws: AgentProblem.self) { try checkIns.say(.accept, to: nil, utc: Self.start) }
        #expect(late?.words == "refusal.checkInLate")
        #expect(checkIns.said.isEmpty && phases(checkIns, Self.start) == [.late])
        _ = try checkIns.say(.accept, to: nil, utc: Self.start - 1)
        let due = checkIns.due(at: 0), first = try #require(due)
        checkIns.failed(Self.noHub, first, at: 0)
        #expect(phases(checkIns, Self.start) == [.late])
        // The reply was lost, not the answer: the hub alone knows, and is asked.
        var known = checkIns
        let repeated = known.due(at: 60_000), again = try #require(repeated)
        _ = known.heard(reply(again, .accepted), to: again, at: 60_000)
        #expect(phases(known, Self.start + 60_000) == [.accepted])
        _ = checkIns.due(at: 60_000)
        _ = checkIns.heard(reply(again, .no, .lapsed), to: again, at: 60_000)
        #expect(phases(checkIns, Self.start + 60_000) == [.late])
        #expect(phases(checkIns, Self.start + CheckIns.shownFor + 7_200_001).isEmpty)
    }

    @Test(
        "RUN-5: what the hub refuses is shown with its reason; without a position that is shown until one has come; the newest word counts")
    func outcomes() throws {
        for why in CheckInReply.Cause.allCases where why != .lapsed {
            var checkIns = asked()
            _ = try checkIns.say(.accept, to: nil, utc: now)
            let due = checkIns.due(at: 0), answer = try #require(due)
            _ = checkIns.heard(reply(answer, .no, why), to: answer, at: 0)
            let shown = try #require(checkIns.shown(utc: now).first)
            #expect(
                shown.phase == .notDone && shown.why == why && !shown.text(hub: "https://hub").contains("does not say") || why == .other)
            let other = #expect(throws: AgentProblem.self) { try checkIns.say(.refuse, to: nil, utc: now) }
            #expect(other?.words == "refusal.checkInAnswered")
        }
        var checkIns = asked()
        _ = try checkIns.say(.refuse, to: nil, utc: now)
        let first = checkIns.due(at: 0), refusal = try #require(first)
        _ = try checkIns.say(.accept, to: nil, utc: now)
        // The answer to the first word is not taken for one to the second.
        let isKept = checkIns.heard(reply(refusal, .refused), to: refusal, at: 0)
        #expect(!isKept && phases(checkIns) == [.sending])
        let second = checkIns.due(at: 0), answer = try #require(second)
        #expect(answer.answer == .accept)
        _ = checkIns.heard(reply(answer, .withoutPosition), to: answer, at: 0)
        #expect(phases(checkIns) == [.withoutPosition])
        _ = checkIns.hear([Self.checkIn(standing: .accepted)], utc: now + 30_000)
        #expect(phases(checkIns) == [.accepted])
    }

    @Test(
        "RUN-5, CONS-6: what holds no more is not shown as if it did: taken back on the hub, or moved, where the new question stands alone")
    func ends() throws {
        var checkIns = asked()
        _ = try checkIns.say(.accept, to: nil, utc: now)
        let due = checkIns.due(at: 0), answer = try #require(due)
        _ = checkIns.heard(reply(answer, .accepted), to: answer, at: 0)
        _ = checkIns.hear([], utc: now + 30_000)
        #expect(phases(checkIns) == [.accepted], "the hub's list may be a minute old")
        var moved = checkIns
        let hasEnded = checkIns.hear([], utc: now + CheckIns.listAge + 1), isMoved = moved.hear([Self.checkIn(2)], utc: now + 5000)
        #expect(hasEnded && phases(checkIns) == [.ended])
        #expect(isMoved && phases(moved) == [.open])
        // An answer that is still under way is not forgotten for that: the hub says what became of it.
        var under = asked()
        _ = try under.say(.accept, to: nil, utc: now)
        _ = under.hear([Self.checkIn(2)], utc: now + 5000)
        let next = under.due(at: 0)
        #expect(phases(under) == [.open, .sending] && next?.id == Self.checkIn().id)
    }

    @Test("RUN-5: with several the one that is meant is named, and what is kept stays bounded")
    func several() throws {
        var checkIns = asked([Self.checkIn(1), Self.checkIn(2, code: "DEF567")])
        #expect(throws: AgentProblem.self) { try checkIns.say(.accept, to: nil, utc: now) }
        let unknown = #expect(throws: AgentProblem.self) { try checkIns.say(.accept, to: "nothing", utc: now) }
        #expect(unknown?.words == "refusal.checkInUnknown")
        let named = try checkIns.say(.accept, to: "def567", utc: now), left = try checkIns.say(.refuse, to: nil, utc: now)
        #expect(named.checkIn.code == "DEF567" && left.checkIn.code == "ABC234", "the only one that is left")
        // What waits for the hub is never pushed out; what the hub decided is.
        for number in 10..<20 as Range<UInt64> {
            _ = checkIns.hear([Self.checkIn(number, code: "C\(number)")], utc: now)
            let isFull = checkIns.said.count == CheckIns.saidMax
            let said = try? checkIns.say(.accept, to: "C\(number)", utc: now)
            #expect((said == nil) == isFull)
        }
        let full = #expect(throws: AgentProblem.self) { try checkIns.say(.accept, to: "C19", utc: now) }
        #expect(full?.words == "refusal.checkInsWait")
        #expect(checkIns.said.count == CheckIns.saidMax && checkIns.said.first?.checkIn.code == "DEF567")
        let due = checkIns.due(at: 0), answer = try #require(due)
        _ = checkIns.heard(reply(answer, .refused), to: answer, at: 0)
        let taken = try checkIns.say(.accept, to: "C19", utc: now)
        #expect(taken.checkIn.code == "C19" && checkIns.said.count == CheckIns.saidMax)
        var none = CheckIns()
        let empty = #expect(throws: AgentProblem.self) { try none.say(.accept, to: nil, utc: now) }
        #expect(empty?.words == "refusal.checkInUnknown")
    }

    @Test(
        "RUN-5, ACC-12: what the page, the command and the desktop say before a tap names who reads what until when; every phase has its words"
    )
    func words() {
        let item = BoxStatus.CheckInState(Self.checkIn(), phase: .open)
        let text = item.text(hub: "https://hub.example")
        for part in [
            "Club Made Up", "position and heart rate", ISO8601.string(item.until), ISO8601.string(item.lapses), "Who is where",
            "check-in accept ABC234",
        ] {
            #expect(text.contains(part), "\(part)")
        }
        for language in Language.allCases {
            let words = Wording(language)
            let question = words.question(item)
            #expect(question.contains("Club Made Up") && question.contains(words["checkIn.kind.position"]) && !question.contains("{"))
            for phase in BoxStatus.CheckInState.Phase.allCases where phase != .open {
                #expect(words.words["checkIn.phase.\(phase.rawValue)"] != nil, "\(phase)")
                #expect(words.words["checkIn.phase.\(phase.rawValue).text"] != nil || phase == .notDone, "\(phase)")
            }
            for why in CheckInReply.Cause.allCases { #expect(words.words["checkIn.why.\(why.rawValue)"] != nil, "\(why)") }
        }
        var notices = DesktopNotifications(language: .english), status = BoxStatus.sample
        status.persons[0].checkIns = [item]
        let change = notices.update(status), notice = change.shown.first
        #expect(notice?.body.contains("Club Made Up") == true && notice?.actions.map(\.key) == ["accept", "refuse"])
        let request = DesktopNotifications.request(notice?.key ?? "", "accept")
        #expect(
            request == ControlRequest(.checkIn, person: status.persons[0].person.description, answer: .accept, checkIn: item.id.description)
        )
        #expect(DesktopNotifications.request("box paused", "resume") == ControlRequest(.resume))
        #expect(DesktopNotifications.request(notice?.key ?? "", "anything") == nil)
        status.persons[0].checkIns = nil
        let gone = notices.update(status).withdrawn
        #expect(gone == [notice?.key])
    }
}
