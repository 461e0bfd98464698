import Foundation
import Testing
import Vitals

@testable import HubWeb

@Suite struct TimeMarksTests {
    private static let time: Milliseconds = 1_795_219_200_000

    private var texts: Texts {
        var texts = Texts.of("en")
        (texts.zone, texts.marksTimes) = (TimeZone(identifier: "Asia/Tokyo"), true)
        return texts
    }

    private func html(_ page: String) -> String { String(decoding: TimeMarks.html(page), as: UTF8.self) }

    @Test("ACC-12: a time in a page is a time element, in the reader's zone; without marks it is text")
    func element() {
        let said = texts.filled("followers.since", ["time": texts.instant(Self.time)]), plain = TimeMarks.text(said)
        let name = TimeMarks.text(texts.instant(Self.time))
        #expect(name.hasPrefix("21 November 2026, 09:00 ") && plain.contains(name))
        let element = "<time datetime=\"2026-11-21T00:00:00Z\">\(name)</time>"
        #expect(html("<p>\(said)</p>") == "<p>\(plain.replacingOccurrences(of: name, with: element))</p>")
        var unmarked = texts
        unmarked.marksTimes = false
        #expect(unmarked.instant(Self.time) == name)
    }

    @Test("ACC-12: in attributes, scripts, drawings and fields a time stays text, and behind them it is one again")
    func textOnly() {
        let time = texts.instant(Self.time), name = TimeMarks.text(time)
        for (before, behind) in [
            ("<a title=\"", "\">x</a>"), ("<script type=\"application/json\">{\"a\":\"1<2 ", "\"}</script>"),
            ("<svg><text>", "</text></svg>"),
            ("<title>", " · TrackMe</title>"), ("<select><option>", "</option></select>"), ("<textarea name=\"a\">", "</textarea>"),
        ] {
            let page = html(before + time + behind + "<p>" + time + "</p>")
            #expect(page.hasPrefix(before + name + behind + "<p><time datetime="), "\(before)")
            #expect(page.components(separatedBy: "<time").count == 2)
        }
        #expect(html("<titles>\(time)</titles>").contains("<time"), "the name of another element")
    }

    @Test("ACC-12: where it is less than an hour ago and stands alone, a time is an age, with the time as its title")
    func young() {
        let age = html(texts.moment(Self.time, now: Self.time + 300_000))
        let name = TimeMarks.text(texts.instant(Self.time))
        #expect(age == "<time datetime=\"2026-11-21T00:00:00Z\" title=\"\(name)\">\(texts.age(300_000))</time>")
        for now in [Self.time - 1, Self.time + 3_600_000] { #expect(texts.moment(Self.time, now: now) == texts.instant(Self.time)) }
    }

    @Test("ACC-12: what a stranger writes as a mark makes no markup, and half a mark is left out")
    func strange() {
        let strange = html("<p>\u{E000}1 onclick=x\u{E001}a\u{E001}\u{E002}</p>")
        #expect(!strange.contains("<time") && strange.hasPrefix("<p>1 onclick=x") && strange.hasSuffix("</p>"))
        #expect(html("<p>a\u{E000}") == "<p>a" && html("") == "")
    }
}
