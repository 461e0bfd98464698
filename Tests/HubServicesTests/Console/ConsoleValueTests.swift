import Testing
import Vitals

@testable import HubServices

@Suite struct ConsoleValueTests {
    @Test("OPS-1: the rate is the mean of the last whole minutes, and forgets what is older than an hour")
    func rate() {
        let rate = IngestRate(), start: Milliseconds = 600 * 60_000
        for minute in [0, 1, 2] as [Milliseconds] { rate.note(samples: 10, at: start + minute * 60_000) }
        rate.note(samples: 20, at: start + 2 * 60_000 + 1)
        let now = start + 3 * 60_000 + 30_000
        let three = rate.average(over: 3, now: now), one = rate.average(over: 1, now: now)
        #expect(three.batches == 4.0 / 3 && three.samples == 50.0 / 3 && one.batches == 2 && one.samples == 30)
        rate.note(samples: 500, at: now)
        #expect(rate.average(over: 1, now: now).samples == 30, "the minute that goes on is not whole")
        #expect(rate.average(over: 60, now: now + 120 * 60_000).batches == 0)
    }

    @Test("OPS-1: a page that shows everybody's cases is woken by each of them, and the others by their own alone")
    func wakes() {
        let bus = SOSBus(), all = bus.watch(SOSBus.everybody), own = bus.watch(PersonID(high: 1, low: 1))
        bus.changed(PersonID(high: 1, low: 2))
        #expect(all.take() == .changed && own.take().isEmpty)
        bus.changed(PersonID(high: 1, low: 1))
        #expect(all.take() == .changed && own.take() == .changed)
    }

    @Test("OPS-1: of a text that did not leave, the end of the number stands there, also where the program repeats it")
    func texts() {
        let failed = FailedTexts()
        for number in 0..<FailedTexts.countMax + 2 { failed.note(to: "+3933300\(100 + number)", "no credit", at: Milliseconds(number)) }
        failed.note(to: "+39333000999", "the modem refused +39333000999: busy", at: 1000)
        #expect(failed.all.count == FailedTexts.countMax && failed.all.first?.time == 1000)
        #expect(failed.all.first?.recipient == "…999" && failed.all.first?.reason == "the modem refused …999: busy")
        #expect(failed.all.allSatisfy { !$0.recipient.contains("+39") && !$0.reason.contains("+39") })
    }
}
