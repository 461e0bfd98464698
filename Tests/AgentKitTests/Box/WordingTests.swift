import Distress
import Foundation
import Languages
import Monitoring
import Peripherals
import Sensing
import Testing
import Vitals

@testable import AgentKit

@Suite("The words of the box")
struct WordingTests {
    static let english = Wording(.english), italian = Wording(.italian)

    @Test("ACC-12: both languages have the same words, none of them empty or forgotten")
    func sameKeys() {
        let (english, italian) = (Self.english.words, Self.italian.words)
        #expect(!english.isEmpty)
        #expect(Set(english.keys).symmetricDifference(italian.keys) == [])
        for (key, text) in english {
            let other = italian[key] ?? ""
            #expect(!text.isEmpty && !other.isEmpty, "\(key)")
            #expect(Self.placeholders(text) == Self.placeholders(other), "\(key)")
        }
        let same = english.filter { $0.value == italian[$0.key] }.keys.sorted()
        #expect(same == ["age.hours", "age.minutes", "age.seconds", "box.position.error", "prompt.for"], "left untranslated")
        #expect(Self.english["lang"] == "en" && Self.italian["lang"] == "it")
    }

    @Test(
        "ACC-12: whatever the box can say of itself has its words",
        arguments: Notice.allCases.flatMap { notice in ["title", "text", "say"].map { "notice.\(notice.rawValue).\($0)" } }
            + Wearing.allCases.map { "wearing.\($0.rawValue)" } + ChainLink.Name.allCases.map { "link.\($0.rawValue)" }
            + ChainLink.Condition.allCases.map { "condition.\($0.rawValue)" } + ["gnss", "hub", "ntp", "unconfirmed"].map { "clock.\($0)" }
            + BoxPower.allCases.map { "power.\($0.rawValue)" } + PositionSource.allCases.map { "source.\($0)" }
            + PageRequest.actions.map { "action.\($0.rawValue)" }
            + PageRequest.actions.map { "reply.\($0.rawValue)" } + SourceProblem.Kind.allCases.map { "problem.\($0.rawValue)" }
            + BoxStatus.Drill.HubOutcome.allCases.map { "sos.drill.hub.\($0.rawValue)" }
            + ["started", "sent", "delivered", "acknowledged", "failed"].map { "sos.state.\($0)" })
    func allSaid(key: String) {
        #expect(Self.english.words[key] != nil && Self.italian.words[key] != nil)
    }

    @Test("ACC-12: what the box's answers name has its words")
    func named() {
        var keys = ["reply.unkept", "reply.check-in.unkept"]
        for result in ["false-alarm", "false-alarm.none", "reactivate", "reactivate.open", "reactivate.off", "reactivate.elsewhere"] {
            keys += ["reply.\(result)", "prompt.\(result)"]
        }
        for why in SOSStation.lasting { keys += ["sos.elsewhere.\(why.rawValue)", "prompt.sos.elsewhere.\(why.rawValue)"] }
        keys += ChainLink.Cause.allCases.map(\.key) + AgentProblem.Kind.allCases.map { "refusal.\($0.rawValue)" }
        for key in keys { #expect(Self.english.words[key] != nil && Self.italian.words[key] != nil, "\(key)") }
    }

    @Test("ACC-12: every word that the page asks for is there")
    func usedByThePage() throws {
        let page = String(decoding: PackageResources.page_html + PackageResources.setup_html, as: UTF8.self)
        var keys = page.matches(of: /\{\{([\w.-]+)\}\}/).map { String($0.1) }
        for script in [PackageResources.page_js, PackageResources.person_js, PackageResources.setup_js, PackageResources.words_js] {
            keys += String(decoding: script, as: UTF8.self).matches(of: /\bt\("([\w.-]+)"/).map { String($0.1) }
        }
        #expect(keys.count > 50)
        for key in Set(keys) where !["words", "languages"].contains(key) { #expect(Self.english.words[key] != nil, "\(key)") }
    }

    @Test("What is heard is one short breath, and a title fits a notification")
    func lengths() {
        for wording in [Self.english, Self.italian] {
            for notice in Notice.allCases {
                #expect(wording.title(notice).count <= 45, "\(wording.title(notice))")
                #expect(wording.say(notice).count <= 90, "\(wording.say(notice))")
                #expect(wording.text(notice).count <= 200, "\(wording.text(notice))")
            }
        }
    }

    @Test("Values take the place of their names")
    func values() {
        #expect(Self.english("battery", ["percent": "20"]) == "battery 20\u{A0}%")
        #expect(Self.italian("prompt.pause", ["n": "30"]) == "In pausa per 30 minuti.")
        #expect(Self.english("no.such.words") == "no.such.words")
    }

    private static func placeholders(_ text: String) -> Set<String> {
        Set(text.matches(of: /\{(\w+)\}/).map { String($0.1) })
    }
}
