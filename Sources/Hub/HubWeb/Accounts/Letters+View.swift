import HubServices
import HubStore
import Hummingbird

/// The link at the end of an invitation: whoever has the address wants none any more.
struct UnsubscribePages: Sendable {
    let links: UnsubscribeLinks
    let templates: Templates

    static let path = "/no-letters"

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("\(Self.path)/:token") { request, context in
            let frame = Frame(request, context), token = try context.parameters.require("token")
            guard links.isGood(token) else { return templates.notice("letters.unknown", frame, help: "accounts", status: .gone) }
            return templates.button("letters", action: "\(Self.path)/\(token)", frame, help: "accounts")
        }
        router.post("\(Self.path)/:token") { request, context in
            let frame = Frame(request, context)
            let isOurs = try links.refuse(try context.parameters.require("token"))
            return templates.notice(isOurs ? "letters.done" : "letters.unknown", frame, help: "accounts", status: isOurs ? .ok : .gone)
        }
    }
}
