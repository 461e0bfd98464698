import Vitals

/// The words of a scenario file.
extension ScenarioParser {
    mutating func setting(_ name: Substring, _ words: Words) throws(ScenarioProblem) {
        switch name {
        case "age": scenario.settings.age = Int(try number(words.first, "The age", in: 0...150))
        case "question": scenario.settings.asksFirst = try isOn(words.first)
        case "sos": scenario.settings.isOn = try isOn(words.first)
        case "strict": scenario.settings.strict = try isOn(words.first)
        case "side": scenario.side = try choice(words.first, ["box": .box, "hub": .hub])
        case "provenance":
            scenario.provenance = try choice(words.first, ["live": .live, "replay": .replay, "import": .import, "drill": .drill])
        case "baseline":
            let values = Array(words)
            guard (2...3).contains(values.count) else {
                throw problem("A baseline has two or three numbers", "Write the resting median, its deviation and, if known, the maximum")
            }
            scenario.settings.personal = PersonalLimits(
                version: 1, computedAt: 0, restingMedian: Int(try number(values[0], "The median", in: 25...240)),
                restingDeviation: Int(try number(values[1], "The deviation", in: 0...100)), days: 14,
                maximum: values.count == 3 ? Int(try number(values[2], "The maximum", in: 25...240)) : nil)
        case "limits":
            scenario.settings.overrides.criticalLow = Int(try number(words.first, "The low limit", in: 0...250))
            scenario.settings.overrides.criticalHigh = Int(try number(words.dropFirst().first, "The high limit", in: 0...250))
        default:
            throw problem(
                "`\(name)` is neither a time nor a setting",
                "Settings are age, question, sos, strict, side, provenance, baseline and limits; events begin with a time, such as 0:05")
        }
    }

    func isOn(_ word: Substring?) throws(ScenarioProblem) -> Bool { try choice(word, ["on": true, "off": false]) }

    func choice<Value>(_ word: Substring?, _ values: [Substring: Value]) throws(ScenarioProblem) -> Value {
        guard let word, let value = values[word] else {
            throw problem("`\(word ?? "")` cannot be used here", "Write one of: \(values.keys.sorted().joined(separator: ", "))")
        }
        return value
    }

    // MARK: - Events

    mutating func made(
        _ name: String, _ words: Words, at time: Milliseconds, _ share: Double
    ) throws(ScenarioProblem) -> DistressEvent {
        switch name {
        case "heart": return try heart(words, at: time, share)
        case "speed":
            let speed = try value(words.first, "The speed in m/s", in: 0...150, share)
            return .position(PositionSample(time: time, latitude: 450_000_000, longitude: 70_000_000, speed: Int32(speed * 100)))
        case "fix": return .position(try fix(words, at: time))
        case "place": return .place(try fix(words, at: time))
        case "box": return .box(Self.stream, isFixed: try choice(words.first, ["fixed": true, "carried": false]))
        case "cadence": return .cadence(perMinute: Int(try value(words.first, "The cadence", in: 0...300, share)))
        case "temperature":
            let degrees = try value(words.first, "The temperature in degrees Celsius", in: -50...100, share)
            return .temperature(hundredths: Int((degrees * 100).rounded()), key(.event))
        case "fall": return .flagged(.fall, key(.event))
        case "seizure": return .flagged(.seizure, key(.event))
        case "hub":
            return .otherSide(
                try choice(
                    words.first,
                    ["reachable": .reachable, "unreachable": .unreachable, "reached": .addresseeReached, "nobody": .nobodyReached]))
        case "reported": return .reported(reported(at: time))
        case "taken": return .taken(by: try owner(words))
        case "released": return .released(by: try owner(words))
        case "finished": return .finished(by: try owner(words))
        case "question":
            let isOn = try isOn(words.first)
            return .settings(change { $0.asksFirst = isOn })
        case "sos":
            let isOn = try isOn(words.first)
            return .settings(change { $0.isOn = isOn })
        case "strict":
            let isOn = try isOn(words.first)
            return .settings(change { $0.strict = isOn })
        default: return try state(name, words, at: time)
        }
    }

    private mutating func change(_ body: (inout DistressSettings) -> Void) -> DistressSettings {
        var settings = changed ?? scenario.settings
        body(&settings)
        changed = settings
        return settings
    }

    /// An alarm that the other side raised: too fast a heart, seen in readings that did not come here.
    private mutating func reported(at time: Milliseconds) -> Alarm {
        let reading = Reading(time: time, value: 180, key: key(.heartRate))
        let found = Abnormality(
            trigger: .heartRateHigh, tier: .critical, limit: 131, context: .unknown, first: reading, latest: reading, worst: 180, count: 3)
        return Alarm(
            id: IncidentID(person: scenario.person, first: reading.key), person: scenario.person, provenance: scenario.provenance,
            raisedAt: time, abnormalities: [found])
    }

    private func owner(_ words: Words) throws(ScenarioProblem) -> Owner {
        guard let word = words.first else { throw problem("Nobody is named", "Write who, such as `taken medic-1`") }
        return Owner(String(word))
    }

    private mutating func state(_ name: String, _ words: Words, at time: Milliseconds) throws(ScenarioProblem) -> DistressEvent {
        let code: StateEvent.Code
        var value: Int64 = 0
        switch name {
        case "ok": code = .ok
        case "help": code = .help
        case "false-alarm": code = .falseAlarm
        case "reactivate": code = .reactivated
        case "pause": code = .paused
        case "resume": code = .resumed
        case "lost": code = .sensorLost
        case "connected": code = .sensorConnected
        case "worn": (code, value) = (.sensorContact, try isOn(words.first) ? 1 : 0)
        case "charging": (code, value) = (.sensorCharging, try isOn(words.first) ? 1 : 0)
        case "frozen": (code, value) = (.sensorFrozen, try isOn(words.first) ? 1 : 0)
        case "away": (code, value) = (.sensorAway, try isOn(words.first) ? 1 : 0)
        case "kinds": (code, value) = (.kindsChosen, Int64(try number(words.first, "The sum of the kinds", in: 0...3)))
        default:
            throw problem(
                "`\(name)` is no event",
                "Events are heart, speed, fix, box, cadence, temperature, fall, seizure, ok, help, false-alarm, reactivate, pause, resume, worn, "
                    + "charging, frozen, away, lost, connected, kinds, hub, reported, taken, released, finished, question, sos, strict, again and end"
            )
        }
        return .state(StateEvent(time: time, code: code, value: value), key(.event))
    }

    /// `72`, or `70>150` over the line's times.
    private func value(
        _ text: Substring?, _ what: String, in range: ClosedRange<Double>, _ share: Double
    ) throws(ScenarioProblem) -> Double {
        let ends = (text ?? "").split(separator: ">", omittingEmptySubsequences: false)
        let from = try number(ends.first, what, in: range)
        guard ends.count == 2 else { return from }
        return from + (try number(ends[1], what, in: range) - from) * share
    }

    /// `heart 72`, `heart 0 off`, `heart 180 rr 333 330`.
    private mutating func heart(_ words: Words, at time: Milliseconds, _ share: Double) throws(ScenarioProblem) -> DistressEvent {
        let rate = try value(words.first, "The heart rate", in: 0...300, share)
        var sample = HeartRateSample(time: time, beatsPerMinute: UInt16(rate.rounded()))
        var rest = words.dropFirst(), source: UInt64?
        while let word = rest.popFirst() {
            switch word {
            case "off": sample.contact = .notDetected
            case "from": source = UInt64(try number(rest.popFirst(), "The number of the sensor", in: 1...9))
            case "contact": sample.contact = .detected
            case "rr":
                for interval in rest {
                    sample.rrIntervals.append(UInt16(try number(interval, "The RR interval in ms", in: 1...60_000) * 1.024))
                }
                rest = []
            default:
                throw problem(
                    "`\(word)` cannot follow a heart rate", "Write off, contact, from with a number, or rr with its intervals in ms")
            }
        }
        var key = key(.heartRate)
        if let source { key.stream = StreamID(high: 1, low: source) }
        return .heartRate(sample, key)
    }

    private func fix(_ words: Words, at time: Milliseconds) throws(ScenarioProblem) -> PositionSample {
        let values = Array(words)
        guard values.count >= 2 else {
            throw problem("A fix has a latitude and a longitude", "Write `fix 45.07 7.68`, and `speed 3.1` if known")
        }
        var sample = PositionSample(
            time: time, latitude: Int32((try number(values[0], "The latitude", in: -90...90) * 1e7).rounded()),
            longitude: Int32((try number(values[1], "The longitude", in: -180...180) * 1e7).rounded()))
        var rest = values.dropFirst(2)
        while let word = rest.popFirst() {
            let value = rest.popFirst()
            switch word {
            case "speed": sample.speed = Int32(try number(value, "The speed in m/s", in: 0...150) * 100)
            case "error": sample.horizontalError = Int32(try number(value, "The error in m", in: 0...100_000) * 10)
            default: throw problem("`\(word)` cannot follow a fix", "Write speed or error, each with a number")
            }
        }
        return sample
    }

    // MARK: - Expectations

    /// `expect 0:36 raised [words]`, `expect end calm`, `expect end protected`, `expect end unprotected paused`.
    mutating func expect(_ words: Words) throws(ScenarioProblem) {
        let values = Array(words)
        guard values.count >= 2 else { throw problem("Nothing is expected", "Write `expect 0:36 raised` or `expect end calm`") }
        let claim: Expectation.Claim
        if values[0] == "end" {
            switch values[1] {
            case "protected": claim = .protection(nil)
            case "unprotected":
                let known = Dictionary(uniqueKeysWithValues: Absence.allCases.map { (Substring($0.rawValue), $0) })
                claim = .protection(try choice(values.dropFirst(2).first, known))
            default:
                claim = .final(try choice(values[1], Dictionary(uniqueKeysWithValues: Self.states.map { (Substring($0), $0) })))
            }
        } else {
            let kinds = Dictionary(uniqueKeysWithValues: Decision.Kind.allCases.map { (Substring($0.rawValue), $0) })
            let text = values.dropFirst(2).joined(separator: " ")
            claim = .decision(try time(values[0]), try choice(values[1], kinds), words: text)
        }
        scenario.expectations.append(Expectation(line: number, claim: claim))
    }

    private static let states = ["calm", "suspecting", "raised", "delivering", "taken", "waiting"]
}
