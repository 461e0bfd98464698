import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct UnreadableRowsTests {
    @Test("DATA-11: a row that does not open is told once, also to who listens later, and counted")
    func once() {
        let rows = UnreadableRows(), told = Told<UnreadableRow>(), later = Told<UnreadableRow>()
        rows.note(UnreadableRow(.mail, 1))
        rows.listen { told.tell($0) }
        for _ in 0..<3 { rows.note(UnreadableRow(.mail, 1)) }
        rows.note(UnreadableRow(.mail, 2))
        rows.note(UnreadableRow(.notice, 1))
        #expect(told.all.map(\.description) == ["mail 1", "mail 2", "notice 1"] && rows.count == 3)
        rows.listen { later.tell($0) }
        #expect(later.all == told.all)
    }

    @Test("DATA-11: the list of rows has a bound, beyond which they are counted")
    func bound() {
        let rows = UnreadableRows()
        for number in 0..<UnreadableRows.rowsMax + 5 { rows.note(UnreadableRow(.consent, number)) }
        #expect(rows.rows.count == UnreadableRows.rowsMax && rows.count == UnreadableRows.rowsMax + 5)
    }

    @Test("DATA-11: what one page meets is counted for it alone, each row once, and also where the hub has told of the row before")
    func tally() {
        let rows = UnreadableRows(), page = UnreadableTally(), other = UnreadableTally()
        rows.note(UnreadableRow(.mail, 1))
        UnreadableTally.$current.withValue(page) {
            for _ in 0..<3 { rows.note(UnreadableRow(.mail, 1)) }
            rows.note(UnreadableRow(.mail, 2))
        }
        UnreadableTally.$current.withValue(other) { rows.note(UnreadableRow(.notice, 1)) }
        rows.note(UnreadableRow(.notice, 2))
        #expect(page.count == 2 && other.count == 1 && rows.count == 4 && UnreadableTally.current == nil)
    }

    @Test("SOS-22: what may cost an alarm is told as such")
    func kinds() {
        let urgent = UnreadableRow.Kind.allCases.filter(\.concernsAlarms)
        #expect(
            Set(urgent) == [.ambulance, .crewPlace, .mail, .positionBlock, .pushDevice, .pushMessage, .segment, .sosCase, .sosDrill])
        #expect(Set(UnreadableRow.Kind.allCases.map(\.rawValue)).count == UnreadableRow.Kind.allCases.count)
    }

    @Test("DATA-11: the stores of one hub tell of their rows in one place", arguments: Engine.allCases)
    func shared(engine: Engine) throws {
        let fixture = try HubFixture(engine), sos = try fixture.sos(), ada = try fixture.account("Ada")
        try sos.change(ada.id.person, by: ada.id, now: 1) { choice in
            choice.isOn = true
            return ["on"]
        }
        try fixture.damage("change", in: sos.pool)
        try fixture.accounts.notices.addNotice(.quota, to: ada, now: 1)
        try fixture.damage("notice", "arguments")
        #expect(try sos.changes(of: ada.id.person).isEmpty && fixture.accounts.notices.notices(of: ada).isEmpty)
        #expect(fixture.unreadable == [.notice, .sosChange])
    }
}
