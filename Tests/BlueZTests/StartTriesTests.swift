import Sensing
import Testing
import Vitals

@testable import BlueZ

struct StartTriesTests {
    @Test("EDGE-2: a source that cannot start is started again every 5 s until it does; why it does not is told once")
    func again() {
        let problem = SourceProblem(what: "no descriptor", advice: "more", retries: true)
        var tries = StartTries(), calls: [Milliseconds] = [], told = 0
        for time in stride(from: 0, to: 30_000, by: 1000) as StrideTo<Milliseconds> {
            let news = tries.problem(at: time) { () throws(SourceProblem) in
                calls.append(time)
                if time < 12_000 { throw problem }
            }
            if news != nil { told += 1 }
        }
        #expect(calls == [0, 5000, 10_000, 15_000] && told == 1)
    }
}
