import Foundation
import Testing

@testable import HubWeb

@Suite("The keys of the pages' templates")
struct TemplateKeysTests {
    static var pages: [any PageModel.Type] {
        [
            // Any room's
            FormPage.self, NoticePage.self, ArticlePage.self, ButtonPage.self, SheetPage.self, ProblemPage.self,
            // Accounts
            WelcomePage.self, TourPage.self, HomePage.self, MenuPage.self, PhonePage.self, PasskeysPage.self, SecondPage.self,
            OneTimePage.self, CodesPage.self, SecurityPage.self, RegionPage.self, AddressesPage.self, AddressPage.self,
            // Care
            CarePage.self, CarePersonPage.self, DutyPage.self, HospitalsPage.self, HospitalPage.self,
            // Consent
            FollowersPage.self, LedgerEntriesPage.self, FollowedPage.self, FollowingPage.self, PolicyPage.self, RequestsPage.self,
            GroupFootprintPage.self, WaitingPage.self, GroupsPage.self, GroupAskPage.self, GroupResultPage.self, GroupCheckPage.self,
            // Live, notices, operation
            LinkPage.self, LiveBoardPage.self, NoticesPage.self, WindowsPage.self, AcceptPage.self, WaysPage.self, StatusPage.self,
            SupportPage.self, SupportQuestionsPage.self,
            // Operators' console
            ConsolePage.self, ConsoleAlarmsPage.self, ConsoleAlarmPage.self, ConsolePeoplePage.self, ConsolePersonPage.self,
            ConsoleBoxesPage.self, ConsoleMessagesPage.self, ConsoleStatePage.self, ConsoleAuditPage.self, ConsoleRunsPage.self,
            // Organisations
            OversightPage.self, UsersPage.self,
            DownloadPage.self, KeysPage.self, KeyHelpPage.self, PeoplePage.self, PersonPage.self, HooksPage.self, HookPage.self,
            // Own data, places
            BoxesPage.self, BoxSetUpPage.self, ECGPage.self, ECGStripPage.self, ExportPage.self, HealthPage.self, ImportPage.self,
            ImportResultPage.self, LeavePage.self, MyDataPage.self, PlacesPage.self,
            // Runs
            RunsPage.self, RunPage.self, RunFormPage.self, RunPeoplePage.self, RunCheckInPage.self, RunEnrolPage.self, RunFriendsPage.self,
            RunsMinePage.self, RunMinePage.self, RunNearbyPage.self, ResultsPage.self, ResultPage.self, WatchPage.self, WorkoutPage.self,
            WorkoutFriendPage.self, WorkoutDonePage.self, WorkoutRecordsPage.self, WorkoutRecordPage.self, WorkoutTrendsPage.self,
            TracksPage.self, TypedPage.self, WorkoutComparePage.self,
            // Services
            ServicesPage.self, ServicePage.self, PublishPage.self, ServicesToCheckPage.self,
            PaymentsPage.self, PaymentPage.self,
            // SOS
            EmergenciesPage.self, AlarmsPage.self, SOSContactPage.self, HomePinPage.self, ProtectionPage.self,
        ]
    }

    private static let sources = Templates.sources.mapValues { String(decoding: $0, as: UTF8.self) }
    private static let texts = Texts.of("en").sections

    @Test("every key of every template is in the model that it shows, and every model's key is shown")
    func keys() {
        var check = TemplateCheck(Self.sources, texts: Self.texts)
        for page in Self.pages { check.check(page) }
        #expect(check.problems.isEmpty, "\(check.problems.sorted().joined(separator: "\n"))")
        let unused = check.declared.subtracting(check.used).sorted()
        #expect(unused.isEmpty, "no template shows \(unused.joined(separator: ", "))")
        let unreached = Set(Self.sources.keys).subtracting(check.reached).sorted()
        #expect(unreached.isEmpty, "no page shows the templates \(unreached.joined(separator: ", "))")
    }

    @Test("the pages that are held against their templates are all that there are")
    func all() throws {
        let root = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources/Hub/HubWeb")
        let walk = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
        var declared: Set<String> = []
        for case let url as URL in walk where url.pathExtension == "swift" {
            let text = try String(contentsOf: url, encoding: .utf8)
            for match in text.matches(of: /struct ([A-Za-z]+): (?:Framed|Bare)Page\b/) { declared.insert(String(match.1)) }
        }
        #expect(declared == Set(Self.pages.map { "\($0)" }))
    }

    private struct Inner: TemplateModel {
        let text: String
        var note: String?
    }

    private struct Sample: BarePage {
        static let template = "sample"
        let title: String
        var note: String?
        let isThere: Bool
        let items: [Inner]
        let t: [String: [String: String]]
        let when: Date?
    }

    @Test(
        "a key that no model has is seen, and what else a template gets wrong",
        arguments: [
            ("{{title}}{{#items}}{{text}}{{title}}{{/items}}{{^items}}{{title}}{{/items}}{{t.site.menu}}", nil),
            ("{{titel}}", "{{titel}} is no key of Sample"), ("{{#items}}{{txet}}{{/items}}", "{{txet}} is no key of Sample within Inner"),
            ("{{text}}", "{{text}} is no key"), ("{{#isThere}}{{text}}{{/isThere}}", "{{text}} is no key"),
            ("{{#gone}}{{/gone}}", "{{gone}} is no key"), ("{{^gone}}{{/gone}}", "{{gone}} is no key"),
            ("{{items}}", "{{items}} is no text"), ("{{{isThere}}}", "{{isThere}} is no text"),
            ("{{t.site.nothing}}", "is no text of the language"), ("{{>part}}", "{{from}} is no key"),
            ("{{<part}}{{$own}}{{gone}}{{/own}}{{/part}}", "{{gone}} is no key"), ("{{>lost}}", "there is no template lost"),
            ("{{#items}}{{note}}{{/items}}", "where Inner.note is not there, {{note}} shows Sample.note"),
        ])
    func refused(template: String, problem: String?) {
        var check = TemplateCheck(["sample": template, "part": "{{from}}{{$own}}{{/own}}"], texts: Self.texts)
        check.check(Sample.self)
        var problems = check.problems
        #expect(problems.remove("Sample.when is a Date, which no template can show") != nil)
        guard let problem else {
            #expect(problems.isEmpty, "\(problems)")
            return
        }
        #expect(problems.contains { $0.contains(problem) }, "\(problems)")
    }

    @Test("a page's own key does not hide one of the frame")
    func hidden() {
        struct Titled: FramedPage {
            static let template = "sample"
            let path: String
        }
        var check = TemplateCheck(["sample": "{{path}}"], texts: Self.texts)
        check.check(Titled.self)
        #expect(check.problems == ["Titled.path hides a key of the frame"])
    }

    @Test("a model becomes what the library takes: nil is no key, parts stand beside, lists and flags stay")
    func adapter() throws {
        struct Page: BarePage {
            static let template = "sample"
            let inner: Inline<Inner>
            let list: [Inner]
            var none: Inner?
            let isThere: Bool
            let row: Int64
        }
        let page = Page(inner: Inline(Inner(text: "a")), list: [Inner(text: "b", note: "c")], isThere: false, row: 7)
        let values = TemplateAdapter.values(of: page)
        #expect(Set(values.keys) == ["text", "list", "isThere", "row"])
        #expect(values["text"] as? String == "a" && values["isThere"] as? Bool == false && values["row"] as? Int64 == 7)
        let list = try #require(values["list"] as? [Any]), first = try #require(list.first as? [String: Any])
        #expect(first["text"] as? String == "b" && first["note"] as? String == "c" && list.count == 1)
    }
}
