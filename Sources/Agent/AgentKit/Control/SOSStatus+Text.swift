internal import Distress
internal import Languages
internal import SyncProtocol
internal import Vitals

extension BoxStatus {
    /// AutomatedSOS of everybody here, for a terminal.
    public var sosText: String {
        persons.flatMap { person in ["\(person.name):"] + (person.sos?.lines(at: time).map { "  " + $0 } ?? ["  AutomatedSOS does not run"])
        }
        .joined(separator: "\n")
    }

    /// The test of that person, or of the only one.
    public func drill(of person: String?) -> Drill? {
        guard let person else { return persons.lazy.compactMap { $0.sos?.drill }.first }
        return persons.first { $0.name == person || $0.person.description == person.lowercased() }?.sos?.drill
    }
}

extension BoxStatus.SOS {
    /// The first line stands in `status` as well.
    func lines(at now: Milliseconds) -> [String] {
        var lines = [headline]
        lines += (weaknesses.map(\.rawValue) + (isSilent == true ? ["notHeard"] : [])).map { "look at: \(words["sos.weak.\($0)"])" }
        if let question { lines.append("asked: are you OK? (\(question.trigger.text)), \(max(0, question.answerBy - now) / 1000) s left") }
        if let alarm { lines += alarm.lines }
        lines.append("hub: " + (hubAnswered.map { "answered \(max(0, now - $0) / 1000) s ago" } ?? "has not answered to AutomatedSOS yet"))
        lines.append("the box would call: " + (contacts.isEmpty ? "nobody; add contacts at the hub" : contacts.joined(separator: ", ")))
        lines.append("modem: " + (modem ?? "none that could text or call") + (modemProblem.map { " (\($0))" } ?? ""))
        let proof =
            hooksProvenFor.map { ", tested; the next test is due in \($0 / 86_400_000) days" }
            ?? (hooks > 0 ? ", which count as nobody until a test went through: trackme-agent sos drill" : "")
        lines.append("hooks: \(hooks) in /etc/trackme/sos.d\(proof)" + hookProblems.map { "\n    \($0)" }.joined())
        if let rhythmAt { lines.append("irregular heartbeat at rest \(max(0, now - rhythmAt) / 60_000) min ago: the person was told") }
        if let limits { lines.append("limits: \(limits)") }
        if let dispute {
            lines.append("the hub was restored from a backup and has other settings; both hold until somebody decides at the hub:")
            lines += [("here", dispute.here), ("hub", dispute.hub)].map { "    \($0.0): \($0.1.text)" }
        }
        lines.append("settings: " + (settingsVersion > 0 ? "version \(settingsVersion) of the hub" : "none from the hub yet"))
        if let drill { lines.append("last test, \(max(0, now - drill.startedAt) / 60_000) min ago:") }
        lines += drill?.lines.map { "    " + $0 } ?? []
        if !decisions.isEmpty { lines.append("decisions:") }
        return lines + decisions.map { "    " + $0 }
    }

    var headline: String {
        let why =
            reasons.map { words["sos.not.\($0.rawValue)"] } + [elsewhere].compactMap { $0.map { words["sos.elsewhere.\($0.rawValue)"] } }
        return isProtected ? "protected" : "NOT PROTECTED: " + why.joined(separator: " ")
    }

    private var words: Wording { Wording(.english) }
}

extension BoxStatus.Dispute.Side {
    fileprivate var text: String {
        "\(isOn ? "on" : "off"), would call \(contacts.isEmpty ? "nobody" : contacts.joined(separator: ", "))"
            + (by.map { ", last changed by \($0)" } ?? "")
    }
}

extension BoxStatus.Case {
    fileprivate var lines: [String] {
        var lines = [
            "alarm \(id): \(trigger.text), \(Wording(.english)["sos.phase.\(phase.rawValue)"])" + (outcome.map { " (\($0.text))" } ?? "")
        ]
        if let owner, !owner.isEmpty { lines.append("  taken by \(owner)") }
        if let others { lines.append("  it may also be \(others.joined(separator: ", "))") }
        if reachesNobody { lines.append("  NOBODY \(isNobodySetUp == true ? "IS SET UP TO" : "CAN") BE CALLED: phone 112") }
        return lines + calls.suffix(12).map { "  \($0.line)" }
    }
}

extension BoxStatus.Drill {
    /// One for each thing that happened.
    public var lines: [String] {
        let word = hub.map { Wording(.english)["sos.drill.hub.\($0.rawValue)"] + (hubProblem.map { " \($0)" } ?? "") }
        return calls.map(\.line) + (word.map { [$0] } ?? []) + (isOver ? ["the test is over"] : [])
    }
}

extension SOSReport.LocalCall {
    fileprivate var line: String {
        "\(channel.rawValue) \(recipient): \(isDelivered == true ? "delivered" : state.rawValue)".split(separator: " ").joined(
            separator: " ")
            + (problem.map { ", \($0)" } ?? "")
    }
}
