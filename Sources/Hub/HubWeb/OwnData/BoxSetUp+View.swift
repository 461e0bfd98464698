import Accounts
import Credentials
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import NIOCore
import SyncProtocol
import Vitals

/// How a person sets up a box by its own page (EDGE-16): a QR code and a link lead there, then the same words stand on both pages.
struct BoxSetUpPages: Sendable {
    let pairings: Pairings
    let factors: FactorService
    let templates: Templates
    /// `URL#fingerprint` of this hub.
    let enrolmentAddress: @Sendable () -> String
    let now: @Sendable () -> Milliseconds

    static let path = "/boxes/setup"

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/boxes/setup") { request, context in try page(Frame(request, context)) }
        router.post("/boxes/setup") { request, context in try begin(Frame(request, context)) }
        router.get("/boxes/setup/state") { request, context in try state(Frame(request, context)) }
        router.post("/boxes/setup/confirm") { request, context -> Response in
            let person = try Frame(request, context).session(as: .person).account.id.person
            _ = pairings.confirm(try await SentForm(request)["words"], by: person, now: now())
            return .redirect(to: Self.path, type: .normal)
        }
        router.post("/boxes/setup/refuse") { request, context -> Response in
            pairings.refuse(by: try Frame(request, context).session(as: .person).account.id.person)
            return .redirect(to: Self.path, type: .normal)
        }
    }

    private func begin(_ frame: Frame) throws -> Response {
        let session = try frame.session(as: .person)
        if let ask = StepUp.required(session, back: "/boxes", factors) { return ask }
        pairings.begin(for: session.account.id.person, now: now())
        return .redirect(to: Self.path, type: .normal)
    }

    /// The name of the stage, for the script that waits for the next one.
    private func state(_ frame: Frame) throws -> Response {
        let shown = pairings.shown(to: try frame.session(as: .person).account.id.person, now: now())
        return Response(
            status: .ok, headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(string: Self.name(of: shown?.stage))))
    }

    private static func name(of stage: Pairings.Shown.Stage?) -> String {
        switch stage {
        case nil: "none"
        case .waiting: "waiting"
        case .compare: "compare"
        case .confirmed: "confirmed"
        case .done: "done"
        case .refused: "refused"
        }
    }

    private func page(_ frame: Frame) throws -> Response {
        let person = try frame.session(as: .person).account.id.person
        guard let shown = pairings.shown(to: person, now: now()) else { return .redirect(to: "/boxes", type: .normal) }
        var page = BoxSetUpPage(stage: Self.name(of: shown.stage), isRefused: false)
        switch shown.stage {
        case .waiting: page.waiting = waiting(shown.code.text, grouped: shown.code.grouped)
        case .compare(let words, let name): page.compare = .init(words: words, name: name)
        case .confirmed(let words, let name): page.confirmed = .init(words: words, name: name)
        case .done(let name): page.done = frame.texts.filled("boxSetUp.done", ["name": name])
        case .refused: page.isRefused = true
        }
        return templates.page(page, frame, title: frame.texts["boxSetUp.title"], help: "boxes")
    }

    private func waiting(_ code: String, grouped: String) -> BoxSetUpPage.Waiting {
        let parts = enrolmentAddress().split(separator: "#", maxSplits: 1).map(String.init), hub = parts.first ?? ""
        let link = SetUpLink(code: code, fingerprint: parts.count == 2 ? Hexadecimal.bytes(parts[1]) : nil, hub: hub)
        return .init(
            link: link.address, fragment: link.fragment, port: String(SetUpLink.port), box: "http://\(SetUpLink.host):\(SetUpLink.port)",
            // A very long name of the hub leaves no room.
            qr: QRCode(link.address)?.path, hub: hub, code: grouped)
    }
}

struct BoxSetUpPage: FramedPage {
    static let template = "boxSetUp"

    struct Waiting: TemplateModel {
        let link: String, fragment: String, port: String, box: String
        /// The path of the picture.
        var qr: String?
        let hub: String, code: String
    }

    /// What both pages show.
    struct Words: TemplateModel {
        let words: String, name: String
    }

    let stage: String
    var waiting: Waiting?
    var compare: Words?
    var confirmed: Words?
    var done: String?
    var isRefused: Bool
}
