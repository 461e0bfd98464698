import Accounts
import Foundation
import History
import HubServices
import HubStore
import NIOHTTP1
import Privacy
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// My Health, on the pages of a real hub.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct HealthWebTests {
    private static let day: Milliseconds = 86_400_000
    private static let rome = TimeZone(identifier: "Europe/Rome") ?? .gmt
    private static var now: Milliseconds { Date().milliseconds }

    /// Ten o'clock of yesterday in Rome.
    private static var ten: Milliseconds {
        let today = HealthSpan(.day, around: now, in: rome)
        return (today.shifted(-1)?.from ?? today.from) + 10 * 3_600_000
    }

    private static var yesterday: CalendarDate { HealthSpan.day(ten, rome) }

    private func cookies(_ member: Member, zone: String = "Europe/Rome") -> String { "\(member.cookie); \(Texts.zoneCookie)=\(zone)" }

    /// One a second.
    private func rates(from time: Milliseconds, _ values: [UInt16], intervals: [UInt16] = []) -> SampleSet {
        SampleSet(
            heartRates: values.enumerated().map { index, value in
                HeartRateSample(
                    time: time + Milliseconds(index) * 1000, beatsPerMinute: value, contact: .detected,
                    rrIntervals: intervals.isEmpty ? [] : [intervals[index % intervals.count]])
            })
    }

    private func enter(_ web: WebFixture, _ kind: String, _ value: String, at time: Milliseconds, _ member: Member) async throws {
        let fields = ["entryValue": value, "entryTime": RunTime.field(time, "Europe/Rome")]
        #expect(try await web.post("/data/entry?kind=\(kind)", fields, cookie: cookies(member)).status == 200)
    }

    /// The numbers of the commands that draw a path of this class, by their letter.
    private func count(_ letter: Character, in name: String, _ page: String) -> Int {
        page.matches(of: /<path class="([a-z0-9 ]+)" d="([^"]+)"/).filter { $0.output.1 == name }.reduce(0) { count, path in
            count + path.output.2.count { $0 == letter }
        }
    }

    private func figure(_ name: String, _ value: String) -> String { "<dt>\(name)</dt><dd>\(value)</dd>" }

    @Test("DATA-4: the latest value of each kind stands with its age and its source, in the reader's language, and for nobody else")
    func latest() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), other = try web.member(.person, "eve@example.org")
            #expect(try await web.send(.GET, "/health", cookie: cookies(person)).body.contains("There are no values yet."))
            var samples = rates(from: Self.now - 180_000, [71])
            // The strap was taken off since.
            samples.heartRates.append(HeartRateSample(time: Self.now - 60_000, beatsPerMinute: 0, contact: .notDetected))
            try web.append([samples], of: person.account.id.person)
            try await enter(web, "weight", "71.5", at: Self.now - 90 * Self.day, person)
            try await enter(web, "weight", "72.57", at: Self.now - 40 * Self.day, person)
            let page = try await web.send(.GET, "/health", cookie: cookies(person)).body
            #expect(page.contains("71 bpm</dd>") && page.contains(/[34] min ago<\/span>, measured by a sensor/), "\(page)")
            #expect(page.contains("72.57 kg</dd>") && page.contains("40 d ago</span>, entered by hand") && !page.contains("71.50 kg"))
            #expect(page.contains("?kind=weight&amp;span=day"), "its name leads to its plot")
            #expect(page.contains("href=\"/health\" aria-current=\"page\""), "it stands in the menu")
            let elses = try await web.send(.GET, "/health", cookie: cookies(other)).body
            #expect(elses.contains("There are no values yet.") && !elses.contains("72.57"))
            _ = try await web.post("/language", ["language": "it", "back": "/health"], cookie: person.cookie)
            let italian = try await web.send(.GET, "/health", cookie: cookies(person)).body
            #expect(italian.contains("72,57 kg</dd>") && italian.contains("40 giorni fa</span>, inserito a mano"))
        }
    }

    @Test("DATA-5: each kind is drawn over a day, a week, a month, a year and everything, without script, with its numbers in a table")
    func spans() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), ten = Self.ten
            var samples = rates(from: ten, [60, 80], intervals: [900])
            for kind in DataKind.plotted where kind.isScalar {
                let row = kind.entry, isLong = row.span != .none
                let value = row.codes.isEmpty ? row.range.lowerBound + (row.range.upperBound - row.range.lowerBound) / 4 : 1
                let sample = ScalarSample(
                    kind, time: ten, value: value, end: isLong ? ten + 1_800_000 : nil, second: row.second?.isRequired == true ? 60 : nil)
                samples.scalars.append(try #require(sample))
            }
            try web.append([samples], of: person.account.id.person)
            #expect(DataKind.plotted.count >= 18)
            for kind in DataKind.plotted {
                for span in ["day", "week", "month", "year", "all"] {
                    let path = "/health?kind=\(kind.name)&span=\(span)&day=\(Self.yesterday)"
                    let page = try await web.send(.GET, path, cookie: cookies(person))
                    #expect(page.status == 200 && page.body.contains("<svg class=\"healthplot\""), "\(path)")
                    #expect(page.body.components(separatedBy: "<tr><th scope=\"row\">").count >= 2, "\(path)")
                    #expect(page.body.contains("rel=\"prev\"") == (span != "all"), "\(path)")
                    #expect(page.body.contains(/aria-current="true">(Day|Week|Month|Year|All)</), "\(path)")
                    #expect(page.body.components(separatedBy: "<script").count == 3 && !page.body.contains(" style="), "\(path)")
                }
            }
            let before = "/health?kind=weight&span=day&day=2020-02-29"
            #expect(try await web.send(.GET, before, cookie: cookies(person)).body.contains("There are no values for these days."))
            #expect(try await web.send(.GET, before, cookie: cookies(person)).body.contains("span=day&amp;day=2020-03-01\" rel=\"next\""))
        }
    }

    @Test("DATA-5: a gap stays a gap, times are those of the reader's clock, and a day of readings is a small page")
    func gaps() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), id = person.account.id.person
            // Twenty minutes, and ten more after an hour.
            try web.append(
                [
                    rates(from: Self.ten, (0..<1200).map { 60 + UInt16($0 % 40) }),
                    rates(from: Self.ten + 3_600_000, (0..<600).map { 100 + UInt16($0 % 20) }),
                ], of: id)
            let path = "/health?kind=heart_rate&day=\(Self.yesterday)"
            let page = try await web.send(.GET, path, cookie: cookies(person)).body
            #expect(count("M", in: "band", page) == 2 && count("M", in: "mean", page) == 1 && count("M", in: "mean dots", page) == 1)
            for time in ["10:00", "10:10", "11:00"] { #expect(page.contains("<th scope=\"row\">\(time)</th>"), "\(time)") }
            #expect(page.contains("<td>60</td>") && page.contains("<td>119</td><td>600</td>") && page.contains("Europe/Rome"))
            let west = try await web.send(.GET, path, cookie: cookies(person, zone: "Atlantic/Azores")).body
            #expect(west.contains(/<th scope="row">0[89]:00<\/th>/) && !west.contains("<th scope=\"row\">10:00</th>"))
            #expect(try await web.send(.GET, path, cookie: person.cookie).body.contains("Times are in UTC"))

            let full = (0..<24).map { hour in
                let values: [UInt16] = (0..<3600).map { (second: Int) -> UInt16 in UInt16(55 + (second / 60 + hour) % 90) }
                return rates(from: Self.ten + Milliseconds(hour - 34) * 3_600_000, values)
            }
            try web.append(full, of: id)
            let before = try #require(HealthSpan(.day, around: Self.ten, in: Self.rome).shifted(-1)).query
            let day = try await web.send(.GET, "/health?kind=heart_rate&\(before)", cookie: cookies(person)).body
            #expect(day.utf8.count < 50_000, "\(day.utf8.count) bytes")
            #expect(day.components(separatedBy: "<th scope=\"row\">").count > 130)
        }
    }

    @Test("DATA-5: hours that somebody draws out of a plot have points of a minute, and move by their length")
    func hours() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), ten = Self.ten, hour: Milliseconds = 3_600_000
            try web.append([rates(from: ten, (0..<1200).map { 60 + UInt16($0 / 60) })], of: person.account.id.person)
            func page(_ query: String) async throws -> String {
                try await web.send(.GET, "/health?kind=heart_rate&\(query)", cookie: cookies(person)).body
            }
            let day = try await page("day=\(Self.yesterday)")
            #expect(day.contains("data-zoom=\"/health?kind=heart_rate\""))
            #expect(day.contains("data-out=\"/health?kind=heart_rate&amp;span=week&amp;day="))
            #expect(day.contains(/data-from="\d+" data-to="\d+" data-left="100" data-points="\d+,\d+,\d+ \d+,\d+,\d+"/), "\(day)")
            let hours = try await page("span=hours&begin=\(ten)&end=\(ten + hour)")
            #expect(hours.contains(", 10:00 to 11:00</h2>") && hours.contains("A point is a minute."), "\(hours)")
            #expect(hours.components(separatedBy: "<tr><th scope=\"row\">10:").count == 21)
            #expect(hours.contains("<th scope=\"row\">10:07</th><td>67</td>") && hours.contains(figure("Values", "1,200")))
            #expect(hours.contains("begin=\(ten + hour)&amp;end=\(ten + 2 * hour)\" rel=\"next\">Later"), "\(hours)")
            #expect(hours.contains("begin=\(ten - hour)&amp;end=\(ten)\" rel=\"prev\">Earlier"))
            #expect(hours.contains("data-out=\"/health?kind=heart_rate&amp;span=day&amp;day=\(Self.yesterday)\""))
            let wide = try await page("span=hours&begin=\(ten - 5 * Self.day)&end=\(ten)")
            #expect(wide.contains("A point is an hour."), "longer than two days are whole days")
        }
    }

    @Test("DATA-4, DATA-5: means beyond the reference for the age are marked in the plot and in words in the table")
    func beyond() async throws {
        try await WebFixture.run { web in
            let old = try aged(web)
            for (value, hours) in [("36.8", 2), ("39.4", 1)] as [(String, Milliseconds)] {
                try await enter(web, "body_temperature", value, at: Self.ten - hours * 3_600_000, old)
            }
            let path = "/health?kind=body_temperature&day=\(Self.yesterday)"
            let page = try await web.send(.GET, path, cookie: cookies(old)).body
            #expect(page.contains("<td>39.4 (above)</td>") && page.contains("<td>36.8</td>"), "\(page)")
            #expect(count("M", in: "out", page) == 1 && page.contains("Dashed lines are the reference for the age"))
            let young = try web.member(.person, "ada@example.org")
            try await enter(web, "body_temperature", "39.4", at: Self.ten, young)
            let unknown = try await web.send(.GET, path, cookie: cookies(young)).body
            #expect(count("M", in: "out", unknown) == 0 && !unknown.contains("Dashed") && unknown.contains("<td>39.4</td>"))
        }
    }

    @Test("DATA-6: mean, median, percentiles, variance, deviations, minimum and maximum of any span, and how far they may be off")
    func statistics() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org")
            try web.append([rates(from: Self.ten, (60...160).map { $0 })], of: person.account.id.person)
            for span in ["day=\(Self.yesterday)", "span=all", "from=\(Self.yesterday)&to=\(Self.yesterday)"] {
                let page = try await web.send(.GET, "/health?kind=heart_rate&\(span)", cookie: cookies(person)).body
                let figures = [
                    figure("Values", "101"), figure("Mean", "110 bpm"), figure("Median", "110 bpm"), figure("5th percentile", "65 bpm"),
                    figure("25th percentile", "85 bpm"), figure("75th percentile", "135 bpm"), figure("95th percentile", "155 bpm"),
                    figure("Minimum", "60 bpm"), figure("Maximum", "160 bpm"), figure("Variance", "858.5 bpm²"),
                    figure("Standard deviation", "29.3 bpm"), figure("Standard error of the mean", "2.92 bpm"),
                ]
                for figure in figures { #expect(page.contains(figure), "\(span): \(figure)") }
                #expect(!page.contains("Worked out from summaries"))
            }
            for (value, age) in [("70", 50), ("72", 20), ("74", 2)] as [(String, Milliseconds)] {
                try await enter(web, "weight", value, at: Self.now - age * Self.day, person)
            }
            let first = HealthSpan.day(Self.now - 60 * Self.day, Self.rome), last = HealthSpan.day(Self.now, Self.rome)
            let weights = try await web.send(.GET, "/health?kind=weight&from=\(first)&to=\(last)", cookie: cookies(person)).body
            #expect(weights.contains(figure("Mean", "72 kg")) && weights.contains("off by 0.045 kg at most"), "\(weights)")
            // 0.045 times the root of 3 / 2.
            #expect(weights.contains("the standard deviation by 0.055 kg"))
            #expect(weights.contains(figure("Minimum", "70 kg")) && weights.contains(figure("Maximum", "74 kg")))
        }
    }

    @Test("DATA-6: resting heart rate, variability, and time in zones by age or by a maximum of one's own")
    func zones() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org"), path = "/health?kind=heart_rate&day=\(Self.yesterday)"
            let values = Array(repeating: 90 as UInt16, count: 600) + Array(repeating: 130, count: 300)
            let rates = rates(from: Self.ten, values, intervals: [800, 820])
            try web.append([rates], of: person.account.id.person)
            let unknown = try await web.send(.GET, path, cookie: cookies(person)).body
            #expect(unknown.contains(figure("Resting heart rate", "90 bpm")) && unknown.contains("from 15 minutes with a heart rate"))
            #expect(unknown.contains(figure("Heart rate variability (RMSSD)", "20 ms")) && unknown.contains("The age is not known."))
            let own = try await web.send(.GET, path + "&maximum=200", cookie: cookies(person)).body
            #expect(own.contains("Below zone 1</th><td>below 100</td><td>10 min</td><td>67 %</td>"), "\(own)")
            #expect(own.contains("Zone 2</th><td>120–139</td><td>5 min</td><td>33 %</td>") && own.contains("Zone 5</th><td>from 180</td>"))
            #expect(own.contains("span=week&amp;day=") && own.contains("&amp;maximum=200\""), "links keep it")
            let wrong = try await web.send(.GET, path + "&maximum=300", cookie: cookies(person))
            #expect(wrong.status == 422 && wrong.body.contains("id=\"maximum-error\">Write a whole number from 100 to 240."))

            let old = try aged(web)
            try web.append([rates], of: old.account.id.person)
            let birth = try DateOfBirth("1950-01-01", today: Self.yesterday), age = birth.age(on: Self.yesterday)
            let maximum = try #require(HeartRateZones(age: age)).maximum
            let page = try await web.send(.GET, path, cookie: cookies(old)).body
            #expect(page.contains("By age: a maximum of \(maximum) bpm") && page.contains("0.7 times \(age) years"), "\(page)")
            let long = "/health?kind=heart_rate&from=2020-01-01&to=\(Self.yesterday)"
            let years = try await web.send(.GET, long, cookie: cookies(old)).body
            #expect(years.contains("RMSSD is worked out for a year at most.") && years.contains(figure("Resting heart rate", "90 bpm")))
            #expect(years.contains("Below zone 1</th>") && !years.contains("<dt>Heart rate variability (RMSSD)</dt>"))
        }
    }

    /// Somebody who was born in 1950.
    private func aged(_ web: WebFixture) throws -> Member {
        let details = [Field.email: "old@example.org", .firstName: "Bea", .lastName: "Example", .dateOfBirth: "1950-01-01"]
        let new = NewAccount(
            roles: [.person], details: Dictionary(uniqueKeysWithValues: details.map { ($0.key.rawValue, $0.value) }),
            canonicalEmail: "old@example.org", canonicalIdentifier: nil, password: "none", language: "en", accepted: [:])
        guard case .added(let account) = try web.hub.accounts.addConfirmedAccount(new, now: Self.now) else {
            throw CocoaError(.fileNoSuchFile)
        }
        return Member(account: account, cookie: try web.session(of: account, strength: .full))
    }

    @Test("ACC-17, DATA-12: a parent sees a child's health, which stands in the child's ledger; nobody else does")
    func ward() async throws {
        try await WebFixture.run { web in
            let parent = try web.member(.person, "parent@example.org"), other = try web.member(.person, "other@example.org")
            let kid = try web.child(of: parent.account, "ab3d-ef5h"), path = "/care/person/\(kid.id)/health"
            try web.append([rates(from: Self.ten, [83, 85])], of: kid.id.person)
            let own = try web.session(of: kid, strength: .full)
            #expect(try await !web.send(.GET, "/ledger", cookie: own).body.contains("Ada Example read"))
            #expect(try await web.send(.GET, "/care/person/\(kid.id)/data", cookie: parent.cookie).body.contains("href=\"\(path)\""))
            let page = try await web.send(.GET, path + "?day=\(Self.yesterday)", cookie: cookies(parent))
            #expect(page.status == 200 && page.body.contains("Health of Kid Example") && page.body.contains("85 bpm</dd>"))
            #expect(page.body.contains("\(path)?kind=heart_rate&amp;span=week"))
            #expect(try await web.send(.GET, "/ledger", cookie: own).body.contains("Ada Example read"))
            for cookie in [other.cookie, own] { #expect(try await web.send(.GET, path, cookie: cookie).status == 403) }
            #expect(try await web.send(.GET, "/health?day=\(Self.yesterday)", cookie: own).body.contains("85 bpm"))
        }
    }

    @Test("what the address asks for and there is not is refused, and days that are no span are told at their field")
    func refusals() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org")
            func status(_ query: String) async throws -> UInt {
                try await web.send(.GET, "/health?\(query)", cookie: cookies(person)).status
            }
            for kind in ["position", "event", "ecg", "mood", "%3Cb%3E"] { #expect(try await status("kind=\(kind)") == 404, "\(kind)") }
            for query in [
                "span=hours&begin=5&end=5", "span=hours&begin=x&end=9", "span=hours", "span=decade", "span=any", "day=yesterday",
                "span=week&day=2026-13-01",
            ] {
                #expect(try await status(query) == 400, "\(query)")
            }
            let wrong = try await web.send(.GET, "/health?from=2026-11-20&to=2026-11-10", cookie: cookies(person))
            #expect(wrong.status == 422 && wrong.body.contains("id=\"from-error\""))
            #expect(wrong.body.contains("<details class=\"screenonly\" open>"))
            #expect(wrong.body.contains("value=\"2026-11-20\"") && wrong.body.contains("value=\"2026-11-10\""))
            #expect(try await status("from=1900-01-01&to=9999-12-31") == 200)
            #expect(try await status("from=0001-01-01&to=2026-01-01") == 422)
            #expect(try await status("from=2026-11-01") == 200)
        }
    }
}
