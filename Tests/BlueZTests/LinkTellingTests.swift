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
        isNews = telling.isNews(dropped)
        #expect(isNews)
        for time in 2..<10 as Range<Milliseconds> {
            told = telling.take(.connected(time: time))
            #expect(told.isEmpty)
            isNews = telling.isNews(dropped)
            #expect(!isNews)
        }
        isNews = telling.isNews(other)
        #expect(isNews)
    }

    @Test("EDGE-2: with the first reading a connection is told, and then its loss again")
    func recovers() {
        var telling = LinkTelling(), isNews: Bool
        _ = telling.isNews(dropped)
        var told = telling.take(.connected(time: 1))
        #expect(told.isEmpty)
        told = telling.take(reading)
        #expect(told == [.connected(time: 1), reading])
        told = telling.take(reading)
        #expect(told == [reading])
        isNews = telling.isNews(dropped)
        #expect(isNews)
    }
}
