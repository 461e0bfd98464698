import Accounts
import Foundation
import HubStore
import NIOHTTP1
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// Units and clock as the reader has them.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct MeasuresTests {
    @Test("units and clock are those of the region that the browser names for the page's language")
    func regions() {
        func measures(_ languages: String, page: String = "en") -> [Bool] {
            let found = Measures(languages: languages, page: page)
            return [found.hasPounds, found.hasMiles, found.hasNoon]
        }
        #expect(measures("en-US,en;q=0.9") == [true, true, true] && measures("en-US;q=0.9") == [true, true, true])
        #expect(measures("en-GB") == [false, true, false] && measures("en-AU, en") == [false, false, true])
        #expect(measures("it-IT,it;q=0.8,en-US;q=0.5", page: "it") == [false, false, false])
        // No region names none, and another language's is not this page's.
        for languages in ["en", "", "*", "en-US-\u{2603}", "x", "it-US", ",en-US"] {
            #expect(measures(languages) == [false, false, false], "\(languages)")
        }
        #expect(measures("en-US", page: "it") == [false, false, false])
    }

    @Test("DATA-4: heights and temperatures are in the units of those who have pounds, and only theirs")
    func body() throws {
        let american = Measures(languages: "en-US", page: "en"), british = Measures(languages: "en-GB", page: "en")
        #expect(american == Measures(.us) && british.unit(of: .bodyTemperature) == nil && british.unit(of: .height) == nil)
        let temperature = try #require(american.unit(of: .bodyTemperature)), height = try #require(american.unit(of: .height))
        #expect(abs(temperature.value(37) - 98.6) < 1e-9 && temperature.name == "°F" && abs(temperature.value(-40) + 40) < 1e-9)
        #expect(abs(height.value(254) - 100) < 1e-9)
        #expect([175, 182.88, 182.2, 30.48, 100].map(Measures.feet) == ["5 ft 9 in", "6 ft 0 in", "6 ft 0 in", "1 ft 0 in", "3 ft 3 in"])
    }

    @Test("DATA-4, DATA-17: distances, heights and values of all pages are in the reader's units; entries and courses keep their own")
    func words() throws {
        let metric = Texts.of("en")
        var american = metric
        american.measures = Measures(.us)
        let weight = try #require(ScalarSample(.weight, time: 0, value: 7200))
        let warmth = try #require(ScalarSample(.bodyTemperature, time: 0, value: 3700))
        #expect([american, metric].map { $0.amount(weight) } == ["158.7 lb", "72.00 kg"])
        #expect([american, metric].map { $0.amount(warmth) } == ["98.6 °F", "37.00 °C"])
        #expect(american.inTableUnits.amount(weight) == "72.00 kg" && american.inTableUnits.clock(13, 0) == "1:00\u{A0}PM")
        #expect(american.distance(5000) == "3.11 mi" && metric.distance(5000) == "5 km" && metric.distance(850) == "850 m")
        #expect(american.kilometres(5000) == "5 km", "a course has its marks at kilometres")
        let words = WorkoutWords(texts: american, zone: .gmt), chosen = WorkoutWords(texts: american, zone: .gmt, unit: .kilometres)
        #expect([words.distance(5000), words.pace(300), words.height(100)] == ["3.11 mi", "8:03 /mi", "328 ft"])
        #expect([chosen.distance(5000), chosen.pace(300), chosen.height(100)] == ["5 km", "5:00 /km", "100 m"])
        let live = LiveKind(.bodyTemperature, american)
        #expect(live.unit == "°F" && live.factor == 1.8 && live.zero == 32 && live.shown == 1 && live.decimals == 2)
        #expect(LiveKind(.bodyTemperature, metric).factor == nil && LiveKind(.steps, american).factor == nil)
    }

    @Test("ACC-12: distance, pace, speed and height of a live page are in the reader's units")
    func live() async throws {
        try await WebFixture.run { web in
            let path = "/people/\(web.person)", cookie = try await web.cookie()
            func page(_ languages: String) async throws -> String {
                try await web.send(.GET, path, cookie: cookie, headers: [("accept-language", languages)]).body
            }
            let american = try await page("en-US,en;q=0.9"), irish = try await page("en-IE")
            func has(_ page: String, _ units: [String]) -> Bool { units.allSatisfy { page.contains("<span class=\"unit\">\($0)</span>") } }
            #expect(has(american, ["mi", "min/mi", "mph", "ft"]) && american.contains("\"length\":1609.344"), "\(american)")
            #expect(has(irish, ["km", "min/km", "km/h", "m"]) && irish.contains("\"length\":1000"), "\(irish)")
        }
    }

    @Test("a clock of 12 hours has neither 0 nor 13, one of 24 has two digits")
    func clock() {
        let noon = Measures(.us), day = Measures(.metric)
        let times = [(0, 5), (9, 0), (12, 0), (13, 30), (23, 59)].map { noon.clock(hour: $0, minute: $1) }
        #expect(times == ["12:05 AM", "9:00 AM", "12:00 PM", "1:30 PM", "11:59 PM"].map { $0.replacing(" ", with: "\u{A0}") })
        #expect(noon.clock(hour: 18, minute: 0, isShort: true) == "6\u{A0}PM" && day.clock(hour: 9, minute: 5, isShort: true) == "09:05")
    }

    @Test("weight, statistics and times are in the reader's units, and stay in those that somebody chose")
    func page() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), now = Date().milliseconds
            var samples = SampleSet()
            for (value, days) in [(7000, 2), (7200, 1)] as [(Int64, Milliseconds)] {
                samples.scalars.append(try #require(ScalarSample(.weight, time: now - days * 86_400_000, value: value)))
            }
            try web.append([samples], of: person.account.id.person)
            func page(_ query: String, _ cookies: String = "", _ languages: String = "en-US,en;q=0.9") async throws -> Response {
                let response = try await web.send(
                    .GET, "/health?kind=weight&span=all\(query)", cookie: "\(person.cookie)\(cookies)",
                    headers: [("accept-language", languages)])
                return Response(body: response.body, cookie: response.header("set-cookie") ?? "")
            }
            let american = try await page("")
            #expect(american.body.contains("158.7 lb</dd>"), "\(american.body)")
            #expect(american.body.contains("<dt>Mean</dt><dd>156.528 lb</dd>"), "\(american.body)")
            #expect(american.body.contains("<dt>Variance</dt><dd>9.721 lb²</dd>") && !american.body.contains("72 kg"))
            #expect(american.cookie.isEmpty && american.body.contains(/<th scope="row">[^<]*[AP]M<\/th>/))
            let chosen = try await page("&units=metric")
            #expect(chosen.body.contains("<dt>Mean</dt><dd>71 kg</dd>") && chosen.body.contains("<dt>Variance</dt><dd>2 kg²</dd>"))
            #expect(chosen.cookie.contains("\(Measures.cookie)=metric"), "\(chosen.cookie)")
            #expect(!chosen.body.contains(/<th scope="row">[^<]*[AP]M<\/th>/))
            #expect(chosen.body.contains(/<option value="metric" selected/), "\(chosen.body)")
            #expect(try await page("", "; \(Measures.cookie)=metric").body.contains("<dt>Mean</dt><dd>71 kg</dd>"))
            #expect(try await page("", "; \(Measures.cookie)=us", "it-IT").body.contains("156.528 lb"))
            #expect(try await page("", "", "en").body.contains("<dt>Mean</dt><dd>71 kg</dd>"))
        }
    }

    @Test("DATA-4: temperature, its reference and its spread, and height, are in the reader's units")
    func bodyPage() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), now = Date().milliseconds
            var samples = SampleSet()
            for (kind, value, days) in [(.bodyTemperature, 3700, 1), (.bodyTemperature, 3800, 2), (.height, 1750, 3)]
                as [(DataKind, Int64, Milliseconds)]
            {
                samples.scalars.append(try #require(ScalarSample(kind, time: now - days * 86_400_000, value: value)))
            }
            try web.append([samples], of: person.account.id.person)
            func page(_ languages: String) async throws -> String {
                try await web.send(
                    .GET, "/health?kind=body_temperature&span=all", cookie: person.cookie, headers: [("accept-language", languages)]
                ).body
            }
            let american = try await page("en-US,en;q=0.9"), british = try await page("en-GB,en;q=0.9")
            #expect(american.contains("98.6 °F") && american.contains("5 ft 9 in") && !american.contains("37.00"), "\(american)")
            #expect(american.contains("<dt>Mean</dt><dd>99.5 °F</dd>"), "\(american)")
            // 0.5 °C² are 1.62 °F²: a spread has no zero.
            #expect(american.contains("<dt>Variance</dt><dd>1.62 °F²</dd>"), "\(american)")
            #expect(british.contains("37.00 °C") && british.contains("175.0 cm") && !british.contains("98.6"), "\(british)")
            #expect(british.contains("<dt>Mean</dt><dd>37.5 °C</dd>") && british.contains("<dt>Variance</dt><dd>0.5 °C²</dd>"))
        }
    }

    @Test("ACC-12: times of pages have the clock of the reader's region; one of the last hour is said as its age")
    func clocks() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org")
            func page(_ path: String, _ languages: String) async throws -> String {
                try await web.send(.GET, path, cookie: person.cookie, headers: [("accept-language", languages)]).body
            }
            let noon = /<time datetime="[^"]+"[^>]*>\d+ \w+ \d{4}, \d{1,2}:\d\d\u{A0}[AP]M \S+<\/time>/
            let american = try await page("/home", "en-US,en;q=0.9"), british = try await page("/home", "en-GB,en;q=0.9")
            #expect(american.contains(noon), "\(american)")
            #expect(!british.contains(noon))
            #expect(british.contains(/<time datetime="[^"]+">\d+ \w+ \d{4}, \d\d:\d\d \S+<\/time>/), "\(british)")
            let security = try await page("/security", "en-GB")
            #expect(security.contains(/last used: <time datetime="[^"]+" title="[^"]+">\d+ (s|min) ago<\/time>/), "\(security)")
        }
    }

    private struct Response {
        let body: String
        let cookie: String
    }
}
