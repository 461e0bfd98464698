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
        var telling = LinkTelling(), isNews: Bool
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
        var telling = LinkTelling(), isNews: Bool
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

    @Test("EDGE-2: two problems that take turns are told once each, and again when the last one told was long ago")
    func turns() {
        var telling = LinkTelling(), news = 0
        for time in 0..<100 as Range<Milliseconds> {
            let isNews = telling.isNews(time % 2 == 0 ? dropped : other, at: time * 1000)
            if isNews { news += 1 }
        }
        #expect(news == 2)
        let isNews = telling.isNews(dropped, at: 600_000)
        #expect(isNews)
    }
}
