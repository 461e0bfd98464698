internal import Monitoring
internal import Peripherals
internal import SampleBuffer
internal import Vitals

extension BoxStatus {
    /// For a terminal.
    public var text: String {
        var lines = ["this box:   trackme-agent \(version), \(role.rawValue), clock \(clockText)"]
        if let hub {
            lines.append("hub:        \(hub.address) as \(hub.name) (\(hub.agent)): \(describe(hub.link))")
            lines.append("waiting:    \(hub.waitingSegments) segments, \(hub.waitingSamples) samples")
            if let questions = hub.questions {
                lines.append("questions:  \(questions) wait for an answer at \(hub.address)/followers")
            }
        } else {
            lines.append("hub:        this box belongs to none yet")
        }
        if let buffer {
            lines.append("buffer:     \(buffer.bytes / 1024) KiB, \(buffer.acknowledgedSegments) segments at the hub, kept here too")
            if buffer.refusedSegments > 0 { lines.append("refused:    \(buffer.refusedSegments) segments") }
            lines += buffer.refusals.sorted { $0.value > $1.value }.map { "            \($0.value) x \($0.key)" }
        }
        lines.append("power:      \(power.source.rawValue)" + (power.batteryPercent.map { ", battery \($0) %" } ?? ""))
        lines.append("position:   " + positionText)
        if let recording { lines.append("recording:  \(recording).nmea and .btsnoop") }
        if let count = thinnedSamples { lines.append("left out:   \(count) samples: a sensor sends more often than is kept") }
        lines += (voice ?? []).map { "voice:      \($0)" }
        for person in persons { lines += text(of: person) }
        return lines.joined(separator: "\n")
    }

    /// The chosen sensors, one a line.
    public var sensorTable: String {
        let rows = persons.map { person in
            let others = (person.otherSensors ?? []).map { "\n    beside it: \(text(of: $0))" }.joined()
            guard let sensor = person.sensor else { return "\(person.name): no sensor chosen\(others)" }
            let battery = sensor.batteryPercent.map { ", battery \($0) %" } ?? ""
            let heard = sensor.signalTime.map { ", heard \(age($0))" } ?? ""
            let signal = sensor.signal.map { ", \($0) dBm\(heard)" } ?? ""
            return "\(person.name): \(sensor.address) \(sensor.name ?? ""), \(person.wearing.rawValue)\(signal)\(battery)"
                + (sensor.problem.map { "\n    \($0)" } ?? "") + others
        }
        return rows.isEmpty ? "This box looks after nobody yet" : rows.joined(separator: "\n")
    }

    private var clockText: String {
        switch clock {
        case .gnss: "right by satellites"
        case .hub: "right by the hub"
        case .ntp: "right by NTP"
        case .unconfirmed: "confirmed by nobody"
        }
    }

    private var positionText: String {
        guard let position else { return "none yet" }
        let error = position.error.map { ", \(Int($0.rounded())) m" } ?? ""
        return "\(position.latitude) \(position.longitude) (\(position.source)\(error)), \(age(position.time))"
            + (position.isCurrent ? "" : ", the last one known")
    }

    private func text(of person: PersonState) -> [String] {
        let rate = person.heartRate.map { ", \($0) bpm" } ?? ""
        var lines = ["", "\(person.name) (\(person.person)): \(person.wearing.rawValue)\(rate)"]
        lines.append(
            "  heart rate " + (person.isWatched ? "counts" : "does not count") + ", position "
                + (person.isTracked ? "tracked" : "not tracked"))
        if let sos = person.sos {
            lines.append("  AutomatedSOS: \(sos.headline)")
            if let alarm = sos.alarm { lines.append("  ALARM \(alarm.phase.rawValue), see: trackme-agent sos") }
        }
        lines += (person.checkIns ?? []).map { "  CHECK-IN " + $0.text(hub: hub?.address ?? "") }
        if let until = person.pausedUntil { lines.append("  paused for \(max(0, until - utc + 59_999) / 60_000) min more") }
        if let problem = person.sensor?.problem { lines.append("  \(problem)") }
        lines += (person.otherSensors ?? []).map { "  beside the heart rate: \(text(of: $0))" }
        lines += person.links.map { "  \($0.name.rawValue): \(describe($0))" }
        return lines
    }

    private func text(of sensor: OtherSensorState) -> String {
        var parts = [sensor.name.map { "\(sensor.address) \($0)" } ?? "\(sensor.address)"]
        if let temperature = sensor.temperature { parts.append("\(Int64(temperature).text(places: 2)) °C") }
        if let cadence = sensor.cadence { parts.append("cadence \(cadence)") }
        if sensor.temperature == nil, sensor.cadence == nil, let kind = sensor.kind.flatMap(DataKind.init(name:)), let value = sensor.value
        {
            parts.append("\(kind.name) \(value)\(sensor.second.map { "/\($0)" } ?? "") \(kind.entry.unit)")
        }
        parts.append(sensor.time.map(age) ?? (sensor.isConnected ? "connected, no reading" : "not connected, no reading"))
        if let percent = sensor.batteryPercent { parts.append("battery \(percent) %") }
        return parts.joined(separator: ", ") + (sensor.problem.map { ": \($0)" } ?? "")
    }

    private func describe(_ link: ChainLink) -> String {
        var text = link.condition.rawValue
        if let last = link.lastGood { text += ", \(age(last))" }
        if let detail = link.detail { text += ": \(detail)" }
        if let advice = link.advice { text += " (\(advice))" }
        return text
    }

    private func age(_ past: Milliseconds) -> String {
        let seconds = max(0, time - past) / 1000
        if seconds < 120 { return "\(seconds) s ago" }
        if seconds < 7200 { return "\(seconds / 60) min ago" }
        return "\(seconds / 3600) h ago"
    }
}
