import Accounts
import Foundation
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import Mustache
import NIOCore
import Vitals

/// Renders the embedded templates.
struct Templates: Sendable {
    private let library: MustacheLibrary
    /// The operator's own; nil where those of the hub hold.
    let documents: OperatorDocuments?

    /// The templates by their names: the files of `Assets` without `.mustache`.
    static let sources: [String: [UInt8]] = Dictionary(
        uniqueKeysWithValues: EmbeddedFiles.all.compactMap { file, bytes in
            file.hasSuffix(".mustache") ? (String(file.dropLast(".mustache".count)), bytes) : nil
        })

    /// A template names another one that is not there. Mustache itself would leave it out in silence.
    struct MissingPartial: Error, CustomStringConvertible {
        let description: String
    }

    /// Parsed when a hub is first built: they are parts of the program.
    private static let parsed = Result {
        let sources = Self.sources.mapValues { String(decoding: $0, as: UTF8.self) }
        for (name, source) in sources {
            for partial in source.matches(of: /{{[<>]([A-Za-z]+)/) where sources[String(partial.1)] == nil {
                throw MissingPartial(description: "the template \(name) names \(partial.1), which is not there")
            }
        }
        return MustacheLibrary(templates: try sources.mapValues { try MustacheTemplate(string: $0) })
    }

    init(documents: OperatorDocuments? = nil) throws {
        library = try Self.parsed.get()
        self.documents = documents
    }

    /// The versions that forms ask to accept.
    var accepted: Documents { documents?.versions ?? AccountService.documents }

    /// A page with the site around it.
    /// - Parameter help: the topic that this page's help link opens.
    func page<Page: FramedPage>(
        _ page: Page, _ frame: Frame, title: String, help: String, status: HTTPResponse.Status = .ok
    ) -> Response {
        render(TemplateAdapter.values(of: page, in: frame.model(title: title, help: help)), Page.template, status)
    }

    func page<Page: BarePage>(_ page: Page, status: HTTPResponse.Status = .ok) -> Response {
        render(TemplateAdapter.values(of: page), Page.template, status)
    }

    private func render(_ values: Any, _ template: String, _ status: HTTPResponse.Status) -> Response {
        guard let html = library.render(values, withTemplate: template) else { return Response(status: .internalServerError) }
        return Response(
            status: status, headers: [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: TimeMarks.html(html))))
    }

    /// A page that says what went wrong and what to do: texts `problem.NAMETitle` and `problem.NAMEText`.
    func problem(_ name: String, _ texts: Texts, status: HTTPResponse.Status) -> Response {
        page(
            ProblemPage(
                lang: texts.lang, title: texts["problem.\(name)Title"], text: texts["problem.\(name)Text"], home: texts["site.toHome"],
                tools: ToolsPart(texts, topic: "home", back: "/")),
            status: status)
    }
}

/// What every page of the site has around it: head, navigation, language, help.
struct Frame {
    let texts: Texts
    let session: StoredSession?
    let path: String
    /// How much waits for the reader, by the address where it waits.
    let waiting: [String: Int]
    /// Told on each page until it is over (SOS-15).
    let maintenance: MaintenanceWindow?
    /// What concerns the reader now.
    let emergencies: @Sendable () throws -> [EmergencyBar]
    /// The hub's time, as cases have it.
    let now: Milliseconds
    /// Ways out of the hub that fail, for whoever runs it.
    let failingWays: [String]

    init(texts: Texts, session: StoredSession?, path: String) {
        (self.texts, self.session, self.path, waiting, maintenance) = (texts, session, path, [:], nil)
        (emergencies, now, failingWays) = ({ [] }, 0, [])
    }

    init(_ request: Request, _ context: HubContext) {
        (session, waiting, maintenance) = (context.session, context.waiting, context.maintenance)
        (emergencies, now, failingWays) = (context.emergencies, context.now, context.failingWays)
        // Who is logged in has chosen, on whichever device (ACC-10, ACC-12).
        var texts = session.map { Texts.of($0.user.language) } ?? Texts.preferred(request)
        (texts.zone, texts.marksTimes, texts.measures) = (Texts.zone(request), true, Measures(request, texts))
        self.texts = texts
        path = request.uri.path
    }

    /// What the layout needs.
    /// - Parameter help: the topic that this page's help link opens.
    func model(title: String, help: String) -> FrameModel {
        let tabs = Menu(session).tabs(at: path, waiting: waiting, texts)
        return FrameModel(
            lang: texts.lang, title: title, t: texts.sections, path: path, help: help,
            languages: texts.choices,
            maintenanceBanner: maintenance.map { window in
                let values = ["from": texts.instant(window.begin), "to": texts.instant(window.end)]
                return texts.filled("maintenance.banner", values)
            },
            waysBanner: failingWays.isEmpty
                ? nil : texts.filled("ways.banner", ["ways": failingWays.map(texts.way).joined(separator: ", ")]),
            emergencies: bars,
            isLoggedIn: session != nil, owesFactor: session.map { $0.strength < .full } ?? false,
            hasTabs: !tabs.isEmpty, tabs: tabs,
            unreadableBanner: unreadable(UnreadableTally.current?.count ?? 0))
    }

    /// That the page leaves out so many entries; nil where it leaves out none.
    private func unreadable(_ count: Int) -> String? {
        guard count > 0 else { return nil }
        let isOperator = session?.account.roles.contains(.operator) ?? false
        return texts.counted(isOperator ? "site.unreadableOperator" : "site.unreadable", count)
    }

    /// Where the emergency itself is shown, nobody needs the way to it. A page that can be made without the bar is made: it looks again by itself.
    private var bars: [EmergencyBar.Model] { (try? allBars().filter { $0.href != path }) ?? [] }

    /// - Throws: what kept it from being read, which is not the same as that there is none.
    func allBars() throws -> [EmergencyBar.Model] { try emergencies().map { $0.model(texts, now: now) } }
}

/// What `layout.mustache` shows around a page.
struct FrameModel: TemplateModel {
    struct Language: TemplateModel {
        let code: String, name: String
        let isChosen: Bool
    }

    /// A number beside a link, and what it counts.
    struct News: TemplateModel {
        let count: String, text: String
    }

    struct Tab: TemplateModel {
        /// `icon` is one of `tabs.svg`.
        let href: String, icon: String, text: String
        /// As `aria-current` has it: `page` for the page itself, `true` for one below it; nil elsewhere.
        var current: String?
        var news: News?
    }

    let lang: String
    let title: String
    let t: [String: [String: String]]
    let path: String
    let help: String
    let languages: [Language]
    var maintenanceBanner: String?
    var waysBanner: String?
    var emergencies: [EmergencyBar.Model] = []
    var isLoggedIn = false
    /// The password alone was given: until the second proof there is no menu.
    var owesFactor = false
    var hasTabs = false
    var tabs: [Tab] = []
    /// That entries are left out because they do not open.
    var unreadableBanner: String?
}

struct ProblemPage: BarePage {
    static let template = "problem"

    let lang: String, title: String, text: String
    /// The words of the link to the site.
    let home: String
    let tools: ToolsPart
}

/// Help and the other languages, on a page that has no menu (`tools.mustache`).
struct ToolsPart: TemplateModel {
    /// `label` and `word` are the whole and the short name of the link to help.
    let topic: String, label: String, word: String
    /// Where the reader stands once the language is another.
    let back: String
    let languages: [FrameModel.Language]

    init(_ texts: Texts, topic: String, back: String) {
        (self.topic, label, word) = (topic, texts["site.help"], texts["site.helpShort"])
        (self.back, languages) = (back, texts.choices)
    }
}

extension Texts {
    /// The languages that a page in this one offers.
    var choices: [FrameModel.Language] {
        Self.all.map { .init(code: $0.lang, name: $0["language.name"], isChosen: $0.lang == lang) }
    }
}
