public import Alerts
import HubStore
public import Languages
import Logging
import Synchronization
public import Telephony
import Vitals

/// The hub's telephone, as alarms use it (SOS-23).
public protocol SOSVoice: Sendable {
    /// The number of calls that it makes at a time.
    var count: Int { get }
    /// Why nobody can be called now; nil when somebody can.
    var problem: String? { get }
    /// Whether the operator lets it call a number.
    func mayCall(_ number: String) -> Bool
    /// - Parameters:
    ///   - isWanted: asked again and again until somebody answers.
    ///   - taken: key 1 was pressed. Returns whether they have the case now.
    func call(
        _ number: String, saying message: SpokenMessage, isWanted: @escaping @Sendable () -> Bool,
        taken: @escaping @Sendable () async -> Bool
    ) async -> CallOutcome
}

/// Lines to a SIP trunk, and which numbers they may call.
public struct TrunkVoice: SOSVoice {
    /// The lines to the trunk.
    public let lines: TelephoneLines
    /// Beginnings of numbers, with the country's code; empty for all numbers.
    let prefixes: [String]

    /// - Parameter prefixes: how numbers that may be called begin; none: all.
    public init(_ lines: TelephoneLines, prefixes: [String]) { (self.lines, self.prefixes) = (lines, prefixes) }

    public var count: Int { lines.count }

    public var problem: String? {
        switch lines.condition {
        case .ready: nil
        case .failed(let why): why
        }
    }

    public func mayCall(_ number: String) -> Bool { prefixes.isEmpty || prefixes.contains(where: number.hasPrefix) }

    public func call(
        _ number: String, saying message: SpokenMessage, isWanted: @escaping @Sendable () -> Bool,
        taken: @escaping @Sendable () async -> Bool
    ) async -> CallOutcome { await lines.call(number, saying: message, isWanted: isWanted, taken: taken) }
}

/// A question of a call under way to its case.
public struct SOSAnswering: Sendable {
    /// Whether it is still to be made.
    let isWanted: @Sendable () -> Bool
    /// Key 1 was pressed. Returns whether they have the case now.
    let take: @Sendable () async -> Bool
}

/// A call that was made in vain. It is tried again.
struct CallFailed: Error, CustomStringConvertible {
    let outcome: CallOutcome
    var description: String { outcome.description }
}

extension SOSVoice {
    /// Calls a number about a case.
    /// - Returns: what proves that somebody heard it.
    /// - Throws: ``CallFailed``.
    func tell(_ record: SOSRecord, to number: String, language: Language, _ answering: SOSAnswering) async throws -> String {
        let outcome = await call(
            number, saying: SpokenMessage(record, language: language), isWanted: answering.isWanted, taken: answering.take)
        switch outcome {
        case .taken, .heard: return outcome.description
        case .noKey, .noAnswer, .busy, .refused, .lineFailed, .recalled: throw CallFailed(outcome: outcome)
        }
    }
}

extension SpokenMessage {
    init(_ record: SOSRecord, language: Language) {
        // All of it, "I repeat", and all of it once more.
        let said = SpokenText.call(record, in: language), half = said.count / 2
        self.init(
            text: said[..<half].joined(separator: " "), between: said[half], thanks: SpokenText.thanks(for: record, in: language),
            late: SpokenText.late(in: language), language: language.rawValue, wantsKey: record.wantsAnswer || record.asksWhoIsThere)
    }
}

/// A control room that is called by telephone.
public struct PhoneRoom: EmergencyChannel {
    public let name: String
    public let area: ControlRoomArea?
    public let language: Language?
    /// It hears the alarm, its repetitions and its end; who has it meanwhile it need not be called for.
    public let hasNews = false
    let number: String
    let voice: any SOSVoice

    /// - Parameter number: as it is dialled at the trunk: digits, with a plus sign before them or without.
    public init(name: String, number: String, area: ControlRoomArea? = nil, language: Language? = nil, voice: any SOSVoice) {
        (self.name, self.number, self.area, self.language, self.voice) = (name, number, area, language, voice)
    }

    public var isCalled: Bool { true }
    public var restsOn: Way? { .voice }

    public func send(_ record: SOSRecord, language: Language, answering: SOSAnswering) async throws -> String {
        try await voice.tell(record, to: number, language: language, answering)
    }

    public func send(_ record: SOSRecord, language: Language) async throws -> String {
        try await send(record, language: language, answering: SOSAnswering(isWanted: { true }, take: { false }))
    }

    public func check() async throws -> String? {
        if let problem = voice.problem { throw StorageFailure(description: problem) }
        return "a telephone line is registered"
    }
}

extension SOSOutlets {
    /// A call is over by itself within this, milliseconds.
    static let callLimit = TelephoneLines.callMax + 30_000

    /// Whether a number could be called now.
    func canCall(_ number: String) -> Bool { voice.map { $0.problem == nil && $0.mayCall(number) } ?? false }

    /// Whether a message takes one of the hub's telephone lines.
    func isSpoken(_ call: SOSCall) -> Bool {
        if call.channel == .voice { return true }
        guard case .room(let name) = call.recipient else { return false }
        return rooms.first { $0.name == name }?.isCalled ?? false
    }
}
