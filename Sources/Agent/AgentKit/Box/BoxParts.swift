internal import Vitals

/// The parts of the box.
struct BoxParts: Sendable {
    var sources: LiveSources
    var queue: SampleQueue
    var recorder: Recorder
    var sync: SyncService
    var nudges: SyncSignals
    var time: TokenClock
    var announcer: Announcer
    var sos: SOSParts
    var checkIns: any CheckInHub
    /// nil: the hub hears nothing of the box itself.
    var reports: (any BoxConditionHub)?
}
