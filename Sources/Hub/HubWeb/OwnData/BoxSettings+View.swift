import Accounts
import HubServices
import HubStore
import Hummingbird
import SyncProtocol
import Vitals

/// What the hub keeps of a person's boxes for the next one, and lets the person forget (EDGE-16). The list is a part of the page Boxes.
struct BoxSettingsPages: Sendable {
    let settings: BoxSettingsKeeper

    func routes(_ router: some RouterMethods<HubContext>) {
        router.post("/boxes/:id/settings/forget") { request, context in try change(request, context, settings.forget) }
        router.post("/boxes/:id/settings/keep") { request, context in try change(request, context, settings.allow) }
    }

    private func change(
        _ request: Request, _ context: HubContext, _ change: (AgentID, PersonID) throws -> Bool
    ) throws -> Response {
        let person = try Frame(request, context).session(as: .person).account.id.person
        guard let box = AgentID(try context.parameters.require("id")), try change(box, person) else { throw PageRefusal.notAllowed }
        return .redirect(to: "/boxes#settings", type: .normal)
    }
}

extension BoxesPage {
    /// Settings of a box that are kept, or are not to be.
    struct Kept: TemplateModel {
        let id: String, name: String
        /// Since when they are so, or that nothing is kept.
        let state: String
        let isKept: Bool
        let facts: [Fact]

        init(_ kept: BoxSettingsKeeper.Kept, _ texts: Texts) {
            (id, name, isKept) = (kept.box.description, kept.name, kept.settings != nil)
            let state = kept.settings == nil ? "boxes.keptNot" : kept.isConnected ? "boxes.keptSince" : "boxes.keptOfGone"
            self.state = texts.filled(state, ["time": texts.instant(kept.changed)])
            facts = kept.settings.map { Self.facts($0, texts) } ?? []
        }

        private static func facts(_ settings: BoxSettingsCopy, _ texts: Texts) -> [Fact] {
            func name(_ sensor: BoxSettingsCopy.Sensor) -> String { sensor.name.map { "\($0), \(sensor.address)" } ?? sensor.address }
            var facts = [settings.sensor].compactMap(\.self).map { Fact(label: texts["boxes.keptSensor"], value: name($0)) }
            facts += settings.others.map { Fact(label: texts["boxes.keptOther"], value: name($0)) }
            if !settings.off.isEmpty {
                let kinds = settings.off.map { texts.find("boxSetting.off_\($0)") ?? $0 }
                facts.append(Fact(label: texts["boxes.keptOff"], value: kinds.joined(separator: ", ")))
            }
            // In the order of their names: a key that this hub does not know stands as it is.
            facts += settings.configuration.sorted { $0.key < $1.key }.map { key, value in
                let word = "boxSetting.\(key.replacing(".", with: "_"))"
                return Fact(label: texts.find(word) ?? key, value: texts.find("\(word)_\(value)") ?? value)
            }
            return facts
        }
    }
}
