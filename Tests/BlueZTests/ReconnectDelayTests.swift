import Testing
import Vitals

@testable import BlueZ

struct ReconnectDelayTests {
    @Test("EDGE-2: pauses between tries grow from 0.2 s to 30 s, vary, keep to their bound and start anew after a success")
    func bounds() {
        var delay = ReconnectDelay()
        let pauses = (0..<10).map { _ in delay.take(longest: 30_000, jitter: 0) }
        #expect(pauses == [200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000])
        #expect(delay.take(longest: 30_000, jitter: 1) == 30_000)
        #expect(delay.take(longest: 30_000, jitter: -1) == 22_500)
        #expect(delay.take(longest: 5000, jitter: 1) == 5000)
        delay.reset()
        #expect(delay.take(longest: 30_000, jitter: 1) == 250)
        #expect(delay.take(longest: 30_000, jitter: -7) == 300)
    }
}
