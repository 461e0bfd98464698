import Foundation
import HubServices
import HubStore
import Hummingbird

extension HubConfiguration {
    /// Whether nobody from elsewhere reaches the hub, not by a proxy either.
    var isOfThisMachine: Bool {
        let here: Set<String> = ["127.0.0.1", "::1", "[::1]", "localhost"]
        return here.contains(listen.host) && url.map { here.contains(URL(string: $0)?.host ?? "") } ?? true
    }
}

/// Logging in as somebody made up, by a one-time link of `trackme-hub demo`. Only a hub of this machine alone has these pages.
struct DemonstrationPages: Sendable {
    let service: AccountService
    let templates: Templates

    static let path = "/log-in/demo"

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/log-in/demo/:link") { request, context in
            let frame = Frame(request, context), texts = frame.texts, link = try context.parameters.require("link")
            guard let account = try service.demonstration(link) else { return templates.problem("usedLink", texts, status: .gone) }
            let name = ["person": account.name]
            let form = FormModel(action: "\(Self.path)/\(link)", button: texts.filled("logIn.demoButton", name), fields: [])
            return templates.page(
                FormPage(intro: texts.filled("logIn.demoText", name), form: form.model(texts)), frame, title: texts["logIn.demoTitle"],
                help: "accounts")
        }
        router.post("/log-in/demo/:link") { request, context in
            let link = try context.parameters.require("link")
            guard let secret = try service.logIn(byDemonstration: link, device: request.headers[.userAgent] ?? "") else {
                return templates.problem("usedLink", Texts.preferred(request), status: .gone)
            }
            if let old = request.cookies[Sessions.cookie]?.value { try service.replaceSession(old, by: secret) }
            var response = Response.redirect(to: "/home", type: .normal)
            response.begin(secret, device: nil)
            return response
        }
    }
}
