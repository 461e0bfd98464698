import Accounts
import HubServices
import HubStore
import Vitals

/// The first steps of somebody new (ACC-14): each leads to its page, and is done by what the hub knows, not by a tick.
struct FirstSteps {
    /// What the hub knows of the reader.
    struct Known {
        /// A box or a phone sends for them.
        var hasSender = false
        /// Only phones send: they have no sensor to choose.
        var isPhoneAlone = false
        /// The box told of a sensor, or a value of one came.
        var hasSensor = false
        var hasData = false
        /// Somebody can be called in an emergency.
        var hasContact = false
        var isProtected = false
        var isLookedAfter = false
        /// They look after somebody.
        var cared = false
        /// A browser shows them notices.
        var isTold = false
        var hasRun = false, hasRunners = false
        var hasAsked = false, isLetRead = false

        mutating func take(_ view: SOSView?) {
            guard let view else { return }
            (hasContact, isProtected) = (!view.choice.contacts.isEmpty, view.isOn)
        }

        mutating func take(_ reading: TodayReading) {
            let heart = reading.latest.heartRate
            hasSensor = heart?.provenance == .live || reading.last(.sensorConnected) != nil
            hasData = heart != nil || !reading.latest.scalars.isEmpty || !reading.newest.positions.isEmpty
        }
    }

    private struct Step {
        let name: String, href: String
        let isDone: Bool
    }

    private let steps: [Step]

    init(roles: Set<Role>, known: Known) {
        var steps: [Step] = []
        func add(_ name: String, _ href: String, _ isDone: Bool) { steps.append(Step(name: name, href: href, isDone: isDone)) }
        if roles.contains(.person) {
            add("box", "/boxes", known.hasSender)
            if !known.isPhoneAlone || known.hasSensor { add("sensor", "/boxes", known.hasSensor) }
            add("data", "/health", known.hasData)
            add("contact", "/protection", known.hasContact || known.isLookedAfter)
            add("protection", "/protection", known.isProtected)
            add("care", "/care/invite", known.isLookedAfter)
        }
        if roles.contains(.caregiver) { add("relative", "/care/ask", known.cared) }
        if roles.contains(.organiser) {
            add("run", "/runs/new", known.hasRun)
            add("runners", "/runs/mine", known.hasRunners)
        }
        if roles.contains(.organisation) {
            add("ask", "/requests", known.hasAsked)
            add("people", "/organisation/people", known.isLetRead)
        }
        if !roles.isDisjoint(with: [.caregiver, .responder]) { add("told", "/notices", known.isTold) }
        self.steps = steps
    }

    /// - Parameters:
    ///   - isHidden: the reader hid the list.
    ///   - isAsked: they want to see it all the same.
    /// - Returns: nil where nothing is to be shown: all is done, or it was hidden, and nobody asked.
    func model(_ texts: Texts, isHidden: Bool, isAsked: Bool) -> HomePage.Steps? {
        let done = steps.count(where: \.isDone)
        guard !steps.isEmpty, isAsked || (!isHidden && done < steps.count) else { return nil }
        return .init(
            progress: texts.filled("tour.progress", ["done": texts.number(done), "all": texts.number(steps.count)]),
            steps: steps.map { .init(href: $0.href, text: texts["tour.\($0.name)"], isDone: $0.isDone) },
            choice: isHidden ? "show" : "hide", button: texts[isHidden ? "tour.keep" : "tour.hide"])
    }
}
