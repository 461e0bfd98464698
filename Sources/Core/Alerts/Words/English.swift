internal import Vitals

struct English: Words {
    let drill = "TEST, no emergency, send nobody"
    let drillSpoken = "This is a test. There is no emergency. Please do not send anybody"
    let event = "Medical emergency"
    let update = "Update"
    let backDated = "The readings reached the sender late: they show the past"
    let clockUnsure = "The clock of the sending box was never set: its times are wrong, the ages are right"
    let repeated = "I repeat"
    let thanks = "Thank you. You have taken this alarm. Please help now"
    let thereThanks = "Thank you. We know now that somebody is there"
    let drillThanks = "Thank you. The test has reached you. There is nothing else to do"
    let late = "Thank you. Somebody else has taken this alarm already, or it is over. There is nothing else to do"
    let instruction = "Send help to the position, call the person back, and acknowledge the alarm"
    let homeInstruction =
        "Call the person to learn where they are. Without an answer send help to where they live. Acknowledge the alarm"
    let heartbeatEvent = "Sign of life of the line"
    let heartbeat =
        "TEST, no emergency: this message comes at intervals and shows that the line stands. Call the sender when it stops coming"
    let drillInstruction = "Do nothing but acknowledge that the test arrived"
    let standDown = "Nobody needs to go there any more"

    let isSomebodyThere = "Is somebody with the person now? Please answer: otherwise others are called again"

    func yes(_ way: AnswerWay) -> String {
        switch way {
        case .key: "If so, press 1"
        case .reply: "If so, answer OK"
        case .page(let address): "Please answer here: \(address)"
        }
    }

    func answer(_ way: AnswerWay, isDrill: Bool) -> String {
        switch way {
        case .key: isDrill ? "Press 1 to confirm this test" : "Press 1 to help"
        case .reply: isDrill ? "To confirm this test, answer OK" : "To help, answer OK"
        case .page(let address): isDrill ? "To confirm this test: \(address)" : "To help: \(address)"
        }
    }

    func letter(_ part: LetterPart, _ name: String) -> String {
        switch part {
        case .subject: "SOS: \(name) needs help"
        case .subjectOfTest: "TEST, no emergency: \(name)"
        case .subjectOfPlace: "SOS: where \(name) is now"
        case .greeting: name.isEmpty ? "Hello," : "Dear \(name),"
        case .needsHelp: "\(name) needs help"
        case .test:
            "This is a test. There is no emergency and there is nothing to do for \(name). In an emergency you would be told like this"
        case .newPlace: "We know where \(name) is now"
        case .since: "Since"
        case .reason: "Reason"
        case .toDo: "What to do"
        case .call: "Call \(name)"
        case .take: "Open this page and tap “I see to it”. Then the others know that you are on it"
        case .go: "Go there. If you cannot, or if nobody answers, call 112 and say where it is"
        case .confirm: "Open this page and confirm that the test arrived"
        case .place: "Where"
        case .map: "Map"
        case .placeFollows: "You get another mail as soon as the position is known"
        case .why: "You get this because \(name) wants you to be told in an emergency"
        }
    }

    func ending(_ ending: SOSRecord.Ending?) -> String {
        switch ending {
        case .falseAlarm: "Stand down, false alarm"
        case .testOver: "The test is over"
        case .over, nil: "Stand down, the emergency is over"
        }
    }

    func cause(_ cause: SOSCause) -> String {
        switch cause {
        case .heartRateHigh: "heart rate too high"
        case .heartRateLow: "heart rate too low"
        case .heartPause: "the heart pauses for seconds"
        case .criticalThenLost: "heart rate critical, then the signal was lost"
        case .bodyTemperatureHigh: "body temperature too high"
        case .bodyTemperatureLow: "body temperature too low"
        case .fall: "a fall"
        case .seizure: "a seizure"
        case .help: "the person asks for help"
        case .unknown: "an alarm, the cause is not known here"
        }
    }

    func pause(of person: String, seconds: Int) -> String {
        "\(person): the heart paused for about \(seconds) seconds, and \(person) did not answer the question. Nobody else was called: please ask how they are"
    }

    func inactivity(of person: String, _ missing: InactivityText.Missing, hours: Int) -> String {
        let what =
            switch missing {
            case .movement: "no movement and no other sign of \(person) for about \(self.hours(hours))"
            case .sensors:
                "for about \(self.hours(hours)) no position and no step sensor of \(person) was heard, so nobody can say whether they moved"
            case .box: "the box of \(person) has not been heard for about \(self.hours(hours)), so nobody can say whether they moved"
            }
        return "TrackMe: \(what). \(person) was asked and did not answer. No ambulance was called: please ask how they are"
    }

    private func hours(_ count: Int) -> String { count == 1 ? "1 hour" : "\(count) hours" }

    func activity(of person: String) -> String { "TrackMe: there is a sign of \(person) again, who moved or answered" }

    func limit(_ text: String) -> String { "limit \(text)" }

    func value(_ value: SOSReading.Value) -> String {
        switch value {
        case .heartRate(let rate): "\(rate) per minute"
        case .bodyTemperature(let tenths): "\(tenths.tenthsText) degrees Celsius"
        }
    }

    func before(_ rates: ClosedRange<Int>, _ duration: Milliseconds) -> String {
        "In the \(self.duration(duration)) before, the heart rate was between \(rates.lowerBound) and \(rates.upperBound)"
    }

    func question(_ question: SOSRecord.Question) -> String? {
        switch question {
        case .notAsked: nil
        case .unanswered: "The person was asked and did not answer"
        case .help: "The person was asked and wants help"
        }
    }

    func years(_ age: Int) -> String { age == 1 ? "1 year old" : "\(age) years old" }

    func duration(_ milliseconds: Milliseconds) -> String { Span(milliseconds).text(.init("second", "minute", "hour", "day") { "\($0)s" }) }

    func ago(_ duration: String) -> String { "\(duration) ago" }

    func ageUnknown(atLeast duration: String) -> String { "age unknown, at least \(duration)" }

    func lives(at address: String) -> String { "Where the person lives, perhaps not where they are: \(address)" }

    func accuracy(_ metres: Int?) -> String { metres.map { $0 == 1 ? "within 1 metre" : "within \($0) metres" } ?? "accuracy unknown" }

    func noPosition(_ reason: SOSPlace.Reason) -> String {
        switch reason {
        case .noFix: "The position is not known"
        case .switchedOff: "The position is not known: the person switched it off"
        case .receiverLost: "The position is not known: the receiver does not answer"
        }
    }

    func position(_ source: PositionSource) -> String {
        switch source {
        case .gnss: "satellites"
        case .fixed: "place that was set for the box"
        case .network: "from networks nearby"
        }
    }

    func late(_ duration: String) -> String { "This is late: the alarm was raised \(duration) ago" }

    func raised(_ ago: String) -> String { "The alarm was raised \(ago)" }

    func taken(_ name: String, isRecipient: Bool) -> String {
        (isRecipient ? "You have" : name.isEmpty ? "Somebody has" : "\(name) has") + " taken this alarm, nobody else is called"
    }

    func opening(_ kind: SOSRecord.Kind, _ person: String, _ ending: SOSRecord.Ending?) -> String {
        switch kind {
        case .alert: "This is an automatic emergency call for \(person)"
        case .update: "This is news of the emergency of \(person)"
        case .cancel: "\(self.ending(ending)). It was about \(person)"
        }
    }

    func spokenCause(_ cause: SOSCause, _ reading: SOSReading?, ago: String?) -> String {
        let verb = ago == nil ? "is" : "was", age = ago.map { ", \($0)" } ?? ""
        let limit = cause.limitText.map { ". The limit is \($0)" } ?? ""
        switch (cause, reading) {
        case (.heartRateHigh, let reading?): return "The heart rate \(verb) too high: \(value(reading.value))\(age)\(limit)"
        case (.heartRateLow, let reading?): return "The heart rate \(verb) too low: \(value(reading.value))\(age)\(limit)"
        case (.bodyTemperatureHigh, let reading?), (.bodyTemperatureLow, let reading?):
            return "The body temperature \(verb) \(value(reading.value))\(age)\(limit)"
        default: return "The reason is: \(self.cause(cause))"
        }
    }

    func spokenDegrees(_ whole: String, _ digits: String, _ direction: Direction) -> String {
        switch direction {
        case .north: "latitude \(whole) point \(digits) north"
        case .south: "latitude \(whole) point \(digits) south"
        case .east: "longitude \(whole) point \(digits) east"
        case .west: "longitude \(whole) point \(digits) west"
        }
    }

    func label(_ label: Label) -> String {
        switch label {
        case .person: "Person"
        case .born: "Born"
        case .phone: "Phone"
        case .languages: "Speaks"
        case .address: "Home address"
        case .position: "Position"
        case .readings: "Readings"
        case .firstReading: "First reading"
        case .raised: "Raised"
        case .incident: "Incident"
        case .page: "Page"
        case .unknown: "a person whose name is not known"
        }
    }
}
