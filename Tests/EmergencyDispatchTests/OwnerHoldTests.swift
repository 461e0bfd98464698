import Distress
import Testing
import Vitals

@testable import EmergencyDispatch

/// What a box does about whoever took a case, minute by minute.
@Suite struct OwnerHoldTests {
    private let contact = Owner("tel:+390001"), crew = Owner("crew:1")

    /// The steps of a box that looks each second, with their times in seconds.
    private func steps(
        _ owner: Owner, isBoxAnswered: Bool, until end: Milliseconds, hub: (Milliseconds) -> OwnerHold.Hub, answers: Set<Milliseconds> = []
    ) -> [String] {
        var hold = OwnerHold(), found: [String] = []
        for second in 0...end {
            if answers.contains(second) { hold.answered(at: second * 1000) }
            if let step = hold.look(owner, isBoxAnswered: isBoxAnswered, hub(second), at: second * 1000) {
                found.append("\(second) \(step)")
            }
            if found.last?.hasSuffix("release") == true { return found }
        }
        return found
    }

    @Test("SOS-20: without the hub a contact is asked after ten minutes and released three later; a crew after twenty")
    func silentHub() {
        #expect(steps(contact, isBoxAnswered: true, until: 2000) { _ in .silent } == ["600 ask", "780 release"])
        #expect(steps(crew, isBoxAnswered: false, until: 2000) { _ in .silent } == ["1200 ask", "1380 release"])
    }

    @Test("SOS-20: whoever answers in time is asked again ten minutes later")
    func answered() {
        #expect(
            steps(contact, isBoxAnswered: true, until: 1500, hub: { _ in .silent }, answers: [650]) == [
                "600 ask", "1250 ask", "1430 release",
            ])
    }

    @Test(
        "SOS-20: a hub that asks is left to it; one of 0.3.0, which does not say, is not relied upon; one that cannot ask gives it on itself"
    )
    func heardHub() {
        #expect(steps(contact, isBoxAnswered: true, until: 3000) { _ in .heard(asksOwner: true) }.isEmpty)
        #expect(steps(contact, isBoxAnswered: true, until: 3000) { _ in .heard(asksOwner: nil) } == ["600 ask", "780 release"])
        #expect(steps(contact, isBoxAnswered: true, until: 3000) { _ in .heard(asksOwner: false) } == ["600 ask"])
        #expect(
            steps(crew, isBoxAnswered: false, until: 3000) { _ in .heard(asksOwner: nil) }.isEmpty, "the hub's own people are the hub's")
    }

    @Test("SOS-20: a hub that falls silent: the time of whom it has not asked begins then, and ends when it is heard again")
    func hubComesAndGoes() {
        #expect(
            steps(crew, isBoxAnswered: false, until: 3000) { $0 < 300 ? .heard(asksOwner: nil) : .silent } == ["1500 ask", "1680 release"])
        #expect(steps(crew, isBoxAnswered: false, until: 3000) { $0 < 1000 ? .silent : .heard(asksOwner: nil) }.isEmpty)
    }
}
