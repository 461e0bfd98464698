import Sensing
import Testing
import Vitals

@testable import BlueZ

struct LinkTellingTests {
    private let dropped = SourceProblem(what: "dropped", advice: "wait", retries: true)
    private let other = SourceProblem(what: "off", advice: "wait", retries: true)
    private let reading = HeartRateEvent.measurement(HeartRateSample(time: 9, beatsPerMinute: 60))

    @Test("EDGE-2: a sensor that takes the link and drops it without a reading is told once")
    func flaps() {
        var telling = LinkEventDebouncer(), isNews: Bool
        var told = telling.take(.connected(time: 1))
        #expect(told == [.connected(time: 1)])
        isNews = telling.isNews(dropped, at: 1)
        #expect(isNews)
        for time in 2..<10 as Range<Milliseconds> {
            told = telling.take(.connected(time: time))
            #expect(told.isEmpty)
            isNews = telling.isNews(dropped, at: time)
            #expect(!isNews)
        }
        isNews = telling.isNews(other, at: 10)
        #expect(isNews)
    }

    @Test("EDGE-2: with the first reading a connection is told, and then its loss again")
    func recovers() {
        var telling = LinkEventDebouncer(), isNews: Bool
        _ = telling.isNews(dropped, at: 0)
        var told = telling.take(.connected(time: 1))
        #expect(told.isEmpty)
        told = telling.take(reading)
        #expect(told == [.connected(time: 1), reading])
        told = telling.take(reading)
        #expect(told == [reading])
        isNews = telling.isNews(dropped, at: 20)
        #expect(isNews)
    }

    @Test("EDGE-2, SOS-18: a problem that is over is not shown on when the one of before is back")
    func backAgain() {
        var telling = LinkEventDebouncer(), isNews: Bool
        isNews = telling.isNews(dropped, at: 0)
        #expect(isNews)
        isNews = telling.isNews(other, at: 100_000)
        #expect(isNews)
        // As long as it may only be a turn.
        isNews = telling.isNews(dropped, at: 114_999)
        #expect(!isNews)
        isNews = telling.isNews(dropped, at: 115_000)
        #expect(isNews)
    }

    @Test("EDGE-2: two problems that take turns each second are told ever more seldom, and the one that stays is shown within ten minutes")
    func turns() {
        var telling = LinkEventDebouncer(), times: [Milliseconds] = []
        for second in 0..<86_400 as Range<Milliseconds> {
            let isNews = telling.isNews(second % 2 == 0 ? dropped : other, at: second * 1000)
            if isNews { times.append(second) }
        }
        #expect(times.prefix(4) == [0, 1, 16, 47])
        #expect(times.count < 200)
        var shown: Set<Bool> = []
        for problem in [dropped, other] {
            var later = telling
            shown.insert(later.isNews(problem, at: 86_400_000 + 600_000))
        }
        #expect(shown == [true, false], "one of them is the last one told")
    }
}
