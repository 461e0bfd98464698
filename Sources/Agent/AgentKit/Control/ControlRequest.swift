public import Languages
internal import Sensing

/// A request of a person next to the box (EDGE-12), by any way: one JSON object on a line of the control socket.
public struct ControlRequest: Codable, Sendable, Hashable {
    public enum Action: String, Codable, Sendable, Hashable, CaseIterable {
        case status
        /// Answers with the status now and again whenever it changes, until the connection is closed.
        case watch
        case ok
        case help
        case falseAlarm = "false-alarm"
        case reactivate
        /// A detector beside the agent noticed ``ControlRequest/flag``: the person is asked, and without an answer in 30 s help is called.
        case flag
        /// A test of the alarm's whole way (SOS-19).
        case drill
        /// For ``ControlRequest/minutes``.
        case pause
        case resume
        /// Send now; the answer says why when that cannot be done.
        case sync
        /// Record what the live sensors deliver into ``ControlRequest/path``.
        case record
        case recordStop = "record-stop"
        /// Keeps ``ControlRequest/entry`` as entered by hand.
        case enter = "record-value"
        /// Look for sensors for ``ControlRequest/seconds``.
        case scan = "sensors-scan"
        /// ``ControlRequest/address`` for ``ControlRequest/person``.
        case use = "sensors-use"
        /// ``ControlRequest/address`` beside the heart rate of ``ControlRequest/person``.
        case add = "sensors-add"
        case forget = "sensors-forget"
        /// Sets ``ControlRequest/kinds``.
        case kinds
        /// Says ``ControlRequest/answer`` to ``ControlRequest/checkIn``.
        case checkIn = "check-in"
        /// Opens the set-up page of a box that belongs to no hub.
        case setUp = "set-up"
    }

    /// To a check-in.
    public enum Answer: String, Codable, Sendable, Hashable, CaseIterable {
        case accept, refuse
    }

    public var action: Action
    /// Identifier or name; needed where the box looks after several, except for what a person presses. Without one "OK" and "false alarm" are of
    /// the person who is asked, or whose case is open; help names everybody; "reactivate" is for everybody.
    public var person: String?
    public var minutes: Int?
    public var seconds: Int?
    public var address: String?
    public var path: String?
    public var kinds: KindsChoice?
    public var answer: Answer?
    /// Code of the run, or identifier of the question; needed where there are several.
    public var checkIn: String?
    /// With ``Action/ok``: a short press of the box's own button. While nobody is asked and no case is open it reactivates monitoring, and ends a
    /// pause (SOS-21).
    public var isButton: Bool?
    /// With ``Action/flag``: `fall` or `seizure`. An answer of "not done" means that nobody is asked.
    public var flag: String?
    /// With ``Action/enter``.
    public var entry: EnteredValue?

    public init(
        _ action: Action, person: String? = nil, minutes: Int? = nil, seconds: Int? = nil, address: String? = nil, path: String? = nil,
        kinds: KindsChoice? = nil, answer: Answer? = nil, checkIn: String? = nil, isButton: Bool? = nil,
        flag: String? = nil, entry: EnteredValue? = nil
    ) {
        self.action = action
        self.person = person
        self.minutes = minutes
        self.seconds = seconds
        self.address = address
        self.path = path
        self.kinds = kinds
        self.answer = answer
        self.checkIn = checkIn
        self.isButton = isButton
        self.flag = flag
        self.entry = entry
    }
}

/// The kinds to collect from now on; nil: as it is.
public struct KindsChoice: Codable, Sendable, Hashable {
    public var heartRate: Bool?
    public var position: Bool?

    public init(heartRate: Bool? = nil, position: Bool? = nil) {
        self.heartRate = heartRate
        self.position = position
    }
}

/// The box's answer, one line.
public struct ControlReply: Codable, Sendable, Hashable {
    /// Whether it was done.
    public var isDone: Bool
    /// The result or the problem, in English.
    public var message: String
    /// The remedy when it was not done.
    public var advice: String?
    public var status: BoxStatus?
    /// Of a scan.
    public var found: [FoundSensor]?
    /// Of a box that belongs to no hub yet: the language of those next to it.
    public var unenrolled: Language?
    /// Key in the language files, for pages: what was done, or why it was not. nil where the action says it, or only ``message``.
    public var words: String?
    /// Likewise: what to know although it was done. nil for nothing.
    public var caution: String?

    public init(
        isDone: Bool, message: String, advice: String? = nil, status: BoxStatus? = nil, found: [FoundSensor]? = nil, words: String? = nil
    ) {
        self.isDone = isDone
        self.message = message
        self.advice = advice
        self.status = status
        self.found = found
        self.words = words
    }

    /// It was not done, and why.
    init(_ problem: AgentProblem, status: BoxStatus? = nil) {
        self.init(isDone: false, message: problem.what, advice: problem.advice, status: status, words: problem.words)
    }

    /// Likewise, where a source says why.
    init(_ problem: SourceProblem, status: BoxStatus? = nil) {
        self.init(isDone: false, message: problem.what, advice: problem.advice, status: status, words: problem.words)
    }

    public struct FoundSensor: Codable, Sendable, Hashable {
        public var address: String
        public var name: String?
        /// dBm: -40 is beside the box, -90 barely heard.
        public var signal: Int?
        /// 0 to 100, where it is known.
        public var batteryPercent: Int?
        /// Why it cannot be used; nil when it can.
        public var unsupported: String?
        /// Its measured kind instead of a heart rate: it can be used beside one. nil for a heart-rate sensor.
        public var besides: [String]?

        public init(
            address: String, name: String?, signal: Int?, batteryPercent: Int?, unsupported: String?, besides: [String]? = nil
        ) {
            self.besides = besides
            self.address = address
            self.name = name
            self.signal = signal
            self.batteryPercent = batteryPercent
            self.unsupported = unsupported
        }
    }
}

/// The executor of requests: the running agent.
public protocol BoxControl: Sendable {
    func perform(_ request: ControlRequest) async -> ControlReply
    /// The status now and at each change, at most once a second; it ends with the agent.
    func statuses() async -> AsyncStream<BoxStatus>
}
