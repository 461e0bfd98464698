import Accounts
import Foundation
import Groups
import HubServices
import HubStore
import NIOHTTP1
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// Asking about groups on pages of a real hub, as an organisation and an operator meet them.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct GroupPagesTests {
    private func released() throws -> ReleasedGroups {
        try ReleasedGroups([ReleasedGroups.cell(.female, 30, "IT-25"), ReleasedGroups.cell(.male, 30, "IT-25")])
    }

    private static let women = [
        "kind\(DataKind.heartRate.rawValue)": "1", "kind\(DataKind.sleep.rawValue)": "1", "sexFemale": "1", "ageFrom": "30",
        "ageThrough": "35",
        "places": "Lombardia", "requestPurpose": "A study of <hearts>", "term": "once", "past": "4",
    ]

    /// Shows what a question becomes, asks it, and answers the path of its page.
    private func ask(_ web: WebFixture, _ lab: Member, _ change: [String: String] = [:]) async throws -> String {
        let shown = try await web.post("/groups/ask", Self.women.merging(change) { $1 }, cookie: lab.cookie)
        #expect(shown.status == 200, "\(shown.body)")
        let sent = WebFixture.hidden(shown.body, form: "/groups").mapValues { $0.replacing("&lt;", with: "<").replacing("&gt;", with: ">") }
        let asked = try await web.post("/groups", sent, cookie: lab.cookie)
        #expect(asked.status == 303)
        return try #require(asked.header("location"))
    }

    private func approve(_ web: WebFixture, _ chief: Member) async throws {
        let page = try await web.send(.GET, "/operator/groups", cookie: chief.cookie).body
        let action = page.matches(of: /action="(\/operator\/groups\/[0-9a-f]+\/approve)"/).first.map { String($0.1) }
        #expect(try await web.post(try #require(action), [:], cookie: chief.cookie).status == 303)
    }

    @Test("GRP-1, GRP-7, CONS-9, CONS-11: shown as what it becomes, asked, checked, answered with intervals, downloaded again")
    func wholeWay() async throws {
        try await released().run { web in
            let lab = try web.member(.organisation, "lab@example.org"), chief = try web.member(.operator, "chief@example.org")
            #expect(try await web.send(.GET, "/groups", cookie: lab.cookie).body.contains("Nothing yet"))
            let shown = try await web.post("/groups/ask", Self.women, cookie: lab.cookie)
            #expect(shown.body.contains("30 to 34 years") && shown.body.contains("Lombardia (region)"))
            #expect(shown.body.contains("right to ±") && !shown.body.contains("<hearts>"))
            #expect(try await web.send(.GET, "/groups", cookie: lab.cookie).body.contains("Nothing yet"), "nothing is asked before the yes")

            let path = try await ask(web, lab)
            #expect(try await web.send(.GET, path, cookie: lab.cookie).body.contains("Waiting for an operator"))
            let waiting = try await web.send(.GET, "/operator/groups", cookie: chief.cookie).body
            #expect(waiting.contains("Lab of Bergamo") && waiting.contains("A study of &lt;hearts&gt;") && waiting.contains("Women"))
            try await approve(web, chief)

            let answer = try await web.send(.GET, path, cookie: lab.cookie).body
            #expect(answer.contains("8,000") && answer.components(separatedBy: "class=\"whisker\"").count > 32)
            #expect(answer.components(separatedBy: "<svg class=\"healthplot").count == 5, "a histogram and a curve for each kind")
            // The script reads a point out of the row of its table.
            for table in answer.matches(of: /data-table="([^"]+)"/).map({ String($0.output.1) }) {
                #expect(answer.components(separatedBy: "id=\"\(table)\"").count == 2, "\(table)")
            }
            let points = answer.matches(of: /data-points="([^"]+)"/).map { $0.output.1.split(separator: " ").count }
            #expect(points.count == 4 && points.contains(16), "\(points)")
            #expect(answer.contains("Right 95 times in 100") && answer.contains("The mean of each period"))
            // A figure and its interval are in one cell: a phone shows both, without scrolling sideways.
            let cells = answer.matches(of: /<td><strong>[^<]+<\/strong> <span class="small">[^<]+ to [^<]+<\/span><\/td>/)
            #expect(cells.count > 60 && !answer.contains("<td></td>") && !answer.contains("class=\"healthtable\""))
            let list = try await web.send(.GET, "/groups", cookie: lab.cookie).body
            #expect(list.contains("href=\"\(path)\"") && list.contains("Answered"))

            let csv = try await web.send(.GET, "\(path)/download?format=csv", cookie: lab.cookie)
            let lines = csv.body.components(separatedBy: "\r\n")
            #expect(csv.status == 200 && lines[0] == "from_utc,to_utc,kind,unit,status,figure,at,value,low,high")
            #expect(lines.filter { $0.contains(",count,") }.count == 8, "four weeks of two kinds")
            let json = try await web.send(.GET, "\(path)/download?format=json", cookie: lab.cookie)
            let read = try #require(try JSONSerialization.jsonObject(with: Data(json.body.utf8)) as? [String: Any])
            #expect((read["windows"] as? [Any])?.count == 4)

            let rival = try web.member(.organisation, "rival@example.org")
            for other in [path, "\(path)/download?format=csv"] {
                #expect(try await web.send(.GET, other, cookie: rival.cookie).status == 403)
            }
        }
    }

    @Test("CONS-9: a link by mail works for its organisation alone, and holds no figure")
    func mailed() async throws {
        try await released().run { web in
            let lab = try web.member(.organisation, "lab@example.org"), rival = try web.member(.organisation, "rival@example.org")
            let path = try await ask(web, lab), mails = MailCatcher(directory: web.directory.url)
            #expect(try await web.post("\(path)/mail", [:], cookie: lab.cookie).status == 200)
            let mail = try await mails.mail(to: "lab@example.org", with: "figures about a group")
            #expect(!mail.contains("8,000"))
            let link = try #require(mail.replacing("=\n", with: "").firstMatch(of: /\/groups\/[0-9a-f]+\/mailed\/[0-9a-f-]+/)).0
            #expect(try await web.send(.GET, String(link), cookie: lab.cookie).header("location") == path)
            #expect(try await web.send(.GET, String(link), cookie: rival.cookie).status == 410)
            #expect(try await web.send(.GET, String(link)).header("location")?.hasPrefix("/log-in") == true)
        }
    }

    @Test("GRP-1: what is wrong with a question is said at its field, with what to do")
    func problems() async throws {
        try await released().run { web in
            let lab = try web.member(.organisation, "lab@example.org")
            let wrong: [([String: String], field: String, text: String)] = [
                (["places": "Atlantis"], "places", "no place of the list"), (["places": "Milano"], "places", "IT-015146"),
                (["ageFrom": "forty"], "ageFrom", "whole number"), (["ageThrough": "20"], "ageThrough", "comes after the youngest"),
                (["circle": "here"], "circle", "latitude and longitude"), (["circle": "45.46, 9.19"], "radius", "radius"),
                (["circle": "46.52, 6.63", "radius": "5"], "circle", "outside of Italy only names"),
                (["polygon": "45, 9\n46, 9"], "polygon", "3 to 200 corners"),
                (["range1": "\(DataKind.sleep.rawValue)", "range1From": "500", "range1Below": "400"], "range1", "above its beginning"),
                (["requestPurpose": " "], "requestPurpose", "Say what you need the data for."),
                (["term": "9999"], "term", "Choose one of the list."),
            ]
            for (change, field, text) in wrong {
                let page = try await web.post("/groups/ask", Self.women.merging(change) { $1 }, cookie: lab.cookie)
                #expect(page.status == 422 && page.body.contains("id=\"\(field)-error\"") && page.body.contains(text), "\(change)")
                #expect(!page.body.contains("id=\"became\""))
            }
            let everybody = ["kind1": "1", "requestPurpose": "x", "term": "once", "past": "1"]
            let page = try await web.post("/groups/ask", everybody, cookie: lab.cookie)
            #expect(page.status == 422 && page.body.contains("Everybody is no group"))
            #expect(
                try await web.post("/groups", ["kinds": "heart_rate"], cookie: lab.cookie).status == 422, "the form is not the only guard")
        }
    }

    @Test("GRP-4: a kind without a share of the budget is not offered, and a question about it is refused with that reason")
    func withoutShare() async throws {
        try await released().run { web in
            let lab = try web.member(.organisation, "lab@example.org"),
                page = try await web.send(.GET, "/groups/ask", cookie: lab.cookie).body
            for kind in [DataKind.height, .position] { #expect(!page.contains("name=\"kind\(kind.rawValue)\""), "\(kind)") }
            #expect(page.contains("have no share of what all figures together may tell"))
            let texts = Texts.of("en"), words = GroupWords(texts: texts, list: Regions.list)
            for kind in [DataKind.height, .position] {
                #expect(words.problem(GroupAsk.Problem.notGrouped(kind)).contains("no share of the year's privacy budget"))
                let sent = ["kinds": kind.name, "sexes": "female", "requestPurpose": "x", "term": "once", "past": "1"]
                let refused = try await web.post("/groups", sent, cookie: lab.cookie)
                #expect(refused.status == 422 && refused.body.contains("no share of the year"), "\(kind)")
            }
            #expect(words.problem(GroupAsk.Problem.notGrouped(.ecg)).contains("is not published about groups"))
        }
    }

    @Test("GRP-1: a drawn circle is shown as the municipalities it became, and the line itself goes no further")
    func drawn() async throws {
        try await released().run { web in
            let lab = try web.member(.organisation, "lab@example.org")
            let area = ["places": "", "circle": "45.46420, 9.18998", "radius": "3"]
            let shown = try await web.post("/groups/ask", Self.women.merging(area) { $1 }, cookie: lab.cookie).body
            #expect(shown.contains("data-point=\"here\"") && shown.contains("Milano (municipality), Lombardia"))
            let sent = WebFixture.hidden(shown, form: "/groups")
            #expect(sent["regions"] == "IT-015146" && !sent.values.contains { $0.contains("45.46") })
        }
    }

    @Test("GRP-2: a refusal is the same page whatever the reason is")
    func refused() async throws {
        try await released().run { web in
            let lab = try web.member(.organisation, "lab@example.org"), chief = try web.member(.operator, "chief@example.org")
            _ = try await ask(web, lab)
            try await approve(web, chief)
            var pages: [String] = []
            // Too few, nobody, and a place where nobody lives.
            for change in [["sexFemale": "", "sexOther": "1"], ["ageFrom": "110", "ageThrough": "120"], ["places": "Basilicata"]] {
                let page = try await web.send(.GET, try await ask(web, lab, change), cookie: lab.cookie).body
                let answer = page.components(separatedBy: "id=\"answerTitle\"").dropFirst().first ?? ""
                let told = answer.components(separatedBy: "id=\"downloadTitle\"")[0]
                pages.append(told.replacing(/[0-9a-f]{32}/, with: ""))
            }
            #expect(pages[0].contains("No answer") && pages.allSatisfy { $0 == pages[0] })
        }
    }

    @Test("GRP-4: an operator sees that windows are held, and how to go on", arguments: ["en", "it"])
    func held(lang: String) async throws {
        try await WebFixture.run { web in
            let chief = try web.member(.operator, "chief@example.org"), watch = web.hub.accounts.consents.groupWatch
            _ = try await web.post("/language", ["language": lang, "back": "/operator/groups"], cookie: chief.cookie)
            func page() async throws -> String { try await web.send(.GET, "/operator/groups", cookie: chief.cookie).body }
            #expect(try await !page().contains("groups was-off"))
            let now = web.hub.groups.now
            _ = try watch.note(isEnabled: true, now: now - 2 * GroupWatch.absenceMax)
            #expect(try watch.note(isEnabled: true, now: now))
            #expect(try await page().contains("trackme-hub groups was-off"))
            #expect(try watch.wasOff(now: now))
            #expect(try await !page().contains("groups was-off"))
        }
    }
}
