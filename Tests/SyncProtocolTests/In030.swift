import Distress
import Vitals

/// The messages of the wire as version 0.3.0 (commit 70e97bd) decodes them: copied from there, never changed. What this cannot decode, a
/// released box or hub cannot.
enum In030 {
    enum Trigger: String, Codable, CaseIterable { case heartRateLow, heartRateHigh, temperatureLow, temperatureHigh, fall, seizure, help }
    enum Tier: String, Codable, CaseIterable { case warning, critical }
    enum Context: String, Codable, CaseIterable { case rest, exercise, recovery, unknown }
    enum Absence: String, Codable, CaseIterable {
        case switchedOff, paused, charging, notWorn, away, frozen, noSignal, contradictory, waitingForReactivation, ageNotCovered
    }
    enum Provenance: UInt8, Codable, CaseIterable { case live, replay, `import`, drill }
    enum PositionSource: UInt8, Codable, CaseIterable { case gnss, fixed, network }
    enum DataKind: UInt8, Codable, CaseIterable {
        case heartRate = 1
        case position, event, gap, clock
    }
    enum Outcome: Codable {
        case answeredLate, falseAlarm, test
        case finished(Owner)
    }
    enum Channel: String, Codable, CaseIterable { case text, call, sound, hook }
    enum CallState: String, Codable, CaseIterable { case started, sent, acknowledged, failed }
    enum Button: String, Codable, CaseIterable { case ok, help, falseAlarm, reactivate }
    enum Cadence: String, Codable, CaseIterable { case arrival, interval }
    enum RefusalReason: String, Codable, CaseIterable {
        case malformed
        case notBound = "not-bound"
        case deleted, range, time
    }
    enum CheckInKind: String, Codable, CaseIterable { case position, heartRate }
    enum Standing: String, Codable, CaseIterable {
        case open, accepted
        case withoutPosition = "without-position"
    }
    enum Choice: String, Codable, CaseIterable { case accept, refuse }
    enum CheckInOutcome: String, Codable, CaseIterable {
        case accepted
        case withoutPosition = "without-position"
        case refused, no
    }
    enum Why: String, Codable, CaseIterable {
        case lapsed, withdrawn
        case notEnrolled = "not-enrolled"
        case acceptedBefore = "accepted-before"
        case refusedBefore = "refused-before"
        case takenBack = "taken-back"
        case over
        case notHere = "not-here"
        case other
    }

    struct Owner: Codable { var id: String }
    struct SampleKey: Codable {
        var stream: StreamID
        var sequence: UInt64
        var kind: DataKind
        var index: UInt32
    }
    struct Reading: Codable {
        var time: Milliseconds
        var value: Int
        var key: SampleKey
    }
    struct Abnormality: Codable {
        var trigger: Trigger
        var tier: Tier
        var limit: Int?
        var context: Context
        var first: Reading
        var latest: Reading
        var worst: Int
        var count: Int
        var isLost: Bool
        var answerTime: Milliseconds
    }
    struct LastPosition: Codable {
        var time: Milliseconds
        var latitude: Int32, longitude: Int32
        var horizontalError: Int32?
        var source: PositionSource
    }
    struct HistoryPoint: Codable {
        var time: Milliseconds
        var heartRate: Int?
        var speed: Int?
    }
    struct Alarm: Codable {
        var id: IncidentID
        var person: PersonID
        var provenance: Provenance
        var raisedAt: Milliseconds
        var abnormalities: [Abnormality]
        var readings: [Reading]
        var history: [HistoryPoint]
        var position: LastPosition?
        var aliases: [IncidentID]
    }
    struct Question: Codable {
        var id: IncidentID
        var tier: Tier
        var trigger: Trigger
        var askedAt: Milliseconds
        var answerBy: Milliseconds
    }
    struct Warning: Codable {
        var id: IncidentID
        var abnormality: Abnormality
        var at: Milliseconds
    }

    struct SOSReport: Codable {
        var person: PersonID
        var boot: BootID
        var revision: UInt64
        var sentAt: Milliseconds
        var provenance: Provenance
        var isDrill: Bool
        var unprotected: [Absence]
        var detectorDown: Bool
        var weaknesses: [String]?
        var question: Question?
        var warning: Warning?
        var alarm: Alarm?
        var outcome: Outcome?
        var owner: Owner?
        var calls: [LocalCall]
        var isPositionOff: Bool?
    }
    struct LocalCall: Codable {
        var channel: Channel
        var recipient: String
        var state: CallState
        var at: Milliseconds
        var problem: String?
        var why: String?
        var isDelivered: Bool?
    }
    struct SOSAnswer: Codable {
        var utc: Milliseconds
        var isDurable: Bool
        var addresseeReached: Bool
        var incident: IncidentID?
        var owner: Owner?
        var ownerName: String?
        var open: Alarm?
        var coming: Coming?
        var outcome: Outcome?
        var pressed: [Pressed]
        var reachesNobody: Bool?
        var told: [String]?
        var repeatAfter: Milliseconds
        var settingsVersion: Int
    }
    struct Coming: Codable {
        var latitude: Int32, longitude: Int32
        var age: Milliseconds
        var arrivalIn: Milliseconds?
    }
    struct Pressed: Codable {
        var button: Button
        var number: UInt64
        var ago: Milliseconds
    }

    struct SyncAnswer: Codable {
        var hub: HubIncarnation
        var utc: Milliseconds
        var cadence: Cadence
        var streams: [StreamState]
        var questions: Int?
        /// 0.3.0 leaves out those that it cannot read; here each must be readable.
        var checkIns: [CheckIn]?
    }
    struct StreamState: Codable {
        var stream: StreamID
        var received: [[UInt64]]
        var complete: Bool
        var refused: [Refusal]?
        var forked: [UInt64]?
    }
    struct Refusal: Codable {
        var sequence: UInt64
        var reason: RefusalReason
        var detail: String
    }
    struct CheckIn: Codable {
        let id: ConsentID
        let run: String, code: String, organiser: String, purpose: String
        let kinds: [CheckInKind]
        let until: Milliseconds
        let lapses: Milliseconds
        let standing: Standing
    }
    struct CheckInAnswer: Codable {
        let id: ConsentID
        let answer: Choice
    }
    struct CheckInReply: Codable {
        let id: ConsentID
        let utc: Milliseconds
        let outcome: CheckInOutcome
        let why: Why?
    }
}
