import Accounts
import Exchange
import Foundation
import History
import Testing
import Vitals

@testable import HubServices
@testable import HubWeb

/// The parts of the page of today, without a hub.
struct TodayTests {
    private static let span = HealthSpan(.day, around: 1_764_244_800_000, in: TimeZone.gmt)

    private func point(_ minutes: Milliseconds, _ values: [Int64]) throws -> HistoryService.Point {
        let rule = try #require(RollupRule(.heartRate))
        var rollup = Rollup()
        for value in values { rollup.take(value, by: rule) }
        return HistoryService.Point(time: Self.span.from + minutes * 60_000, rollup: rollup)
    }

    private func paths(_ points: [HistoryService.Point]) -> [String: String] {
        let svg = TodayCurve(points: points, span: Self.span).svg(label: "Today", clock: { "\($0)" })
        return svg.matches(of: /<path class="([a-z]+)" d="([^"]*)"/).reduce(into: [:]) { $0[String($1.output.1)] = String($1.output.2) }
    }

    @Test("a gap in the curve of the day stays a gap, and a single ten minutes are a dash")
    func gaps() throws {
        let whole = paths([try point(0, [60, 80]), try point(10, [70, 90]), try point(20, [65, 70])])
        #expect(whole["mean"]?.count { $0 == "M" } == 1 && whole["band"]?.count { $0 == "z" } == 1)
        let cut = paths([try point(0, [60, 80]), try point(10, [70, 90]), try point(600, [65, 70])])
        #expect(cut["mean"]?.count { $0 == "M" } == 2 && cut["band"]?.count { $0 == "z" } == 2)
        #expect(cut["mean"]?.hasSuffix("H610") == true, "\(cut)")
    }

    @Test("the curve tells the lowest and the highest of the day; without readings there is none")
    func range() throws {
        let curve = TodayCurve(points: [try point(0, [60, 80]), try point(10, [55, 143])], span: Self.span)
        #expect(curve.range?.low == 55 && curve.range?.high == 143)
        #expect(TodayCurve(points: [], span: Self.span).range == nil)
    }

    @Test("the picture of a place has the towns around it, the largest first, none upon another, and an old place is drawn grey")
    func place() throws {
        let ground = try #require(Ground.file), town = try #require(ground.search("Bergamo").first)
        func svg(_ isFresh: Bool, north: Double = 0) -> String {
            PlacePicture(latitude: town.latitude + north, longitude: town.longitude, isFresh: isFresh, towns: ground.towns)
                .svg(label: "<Here>", kilometres: "5 km")
        }
        #expect(
            svg(true).contains(">\(town.name)</text>") && svg(true).contains("class=\"here\"") && svg(false).contains("class=\"here old\""))
        #expect(svg(true).contains("aria-label=\"&lt;Here&gt;\"") && !svg(true).contains("NaN"))
        #expect((2...7).contains(svg(true).components(separatedBy: "class=\"town\"").count - 1))
        // 11 km to the north it is no more within 8 km.
        #expect(!svg(true, north: 0.1).contains(">\(town.name)</text>"))
    }

    private static let done = FirstSteps.Known(
        hasSender: true, hasSensor: true, hasData: true, hasContact: true, isProtected: true, isLookedAfter: true, cared: true,
        isTold: true,
        hasRun: true, hasRunners: true, hasAsked: true, isLetRead: true)

    @Test("ACC-14: choosing a strap is a step on the page of boxes, and none for whom only a phone sends")
    func strap() {
        func hrefs(_ known: FirstSteps.Known) -> [String] {
            FirstSteps(roles: [.person], known: known).model(Texts.of("en"), isHidden: false, isAsked: true)?.steps.map(\.href) ?? []
        }
        #expect(hrefs(.init(hasSender: true)).prefix(2) == ["/boxes", "/boxes"] && !hrefs(.init()).contains { $0.hasPrefix("/help") })
        #expect(hrefs(.init(hasSender: true, isPhoneAlone: true)).count == hrefs(.init(hasSender: true)).count - 1)
    }

    @Test("ACC-14: first steps that are all done go away, and come back to who asks, for each role", arguments: Role.allCases)
    func steps(role: Role) {
        let texts = Texts.of("en")
        let done = FirstSteps(roles: [role], known: Self.done), open = FirstSteps(roles: [role], known: .init())
        #expect(done.model(texts, isHidden: false, isAsked: false) == nil)
        let asked = done.model(texts, isHidden: false, isAsked: true)
        #expect(asked?.steps.allSatisfy(\.isDone) ?? [.operator, .member].contains(role), "the operator has none")
        let shown = open.model(texts, isHidden: false, isAsked: false)
        #expect(shown?.steps.count == asked?.steps.count && shown?.steps.contains(where: \.isDone) != true)
        #expect(open.model(texts, isHidden: true, isAsked: false) == nil)
        #expect(open.model(texts, isHidden: true, isAsked: true)?.choice == ([.operator, .member].contains(role) ? nil : "show"))
        for step in shown?.steps ?? [] {
            for lang in ["en", "it"] { #expect(!Texts.of(lang)["tour.hide"].isEmpty && !step.text.hasPrefix("tour."), "\(step.text)") }
        }
    }
}
