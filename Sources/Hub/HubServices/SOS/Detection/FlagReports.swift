public import Distress
public import Exchange
public import HubStore
import SyncProtocol
import Synchronization
public import Vitals

/// Flagged events that come from outside: stored first, like all that devices send, then decided about.
public struct FlagReports: Sendable {
    private let devices: DeviceIngest
    private let detection: SOSDetection

    public init(devices: DeviceIngest, sos: SOSService) { (self.devices, detection) = (devices, sos.detection) }

    /// The device with this secret, which may be of any kind; nil for a wrong one.
    public func device(secret: String) throws -> StoredDevice? { try devices.device(secret: secret) }

    /// Takes a flagged event of a detector. The same event at the same time is one, however often it is reported.
    /// - Throws: as ``DeviceIngest/receive(_:from:)``, and where what was stored cannot be read yet: whoever reports it again changes nothing.
    public func report(_ flag: Flag, noticedAt time: Milliseconds, by device: StoredDevice) async throws -> FlagOutcome {
        var reading = SenderReading()
        reading.samples.events = [StateEvent(time: time, code: flag.code)]
        try await devices.receive(reading, from: device)
        return try await detection.flagOutcome(noticedAt: time, of: device.person)
    }

    /// The outcome of the flagged event in a reading that ``DeviceIngest`` has taken; nil where there is none.
    /// - Throws: where it cannot be read yet; it is decided about as soon as it can.
    public func outcome(of reading: SenderReading, from device: StoredDevice) async throws -> (flag: Flag, outcome: FlagOutcome)? {
        let found = reading.samples.events.compactMap { event in Flag(event.code).map { ($0, event.time) } }
        guard let (flag, time) = found.max(by: { $0.1 < $1.1 }) else { return nil }
        return (flag, try await detection.flagOutcome(noticedAt: time, of: device.person))
    }
}

extension SOSEntry {
    /// The hub's own question to the person now.
    var asked: Question? {
        if case .suspecting(let suspicion) = state.watch.incident.state, suspicion.isAsked { suspicion.question } else { nil }
    }

    /// The event that the person's boxes are to ask about as well; nil for nothing.
    var flagged: [SOSAnswer.Flagged]? {
        guard case .suspecting(let suspicion) = state.watch.incident.state else { return nil }
        let found = suspicion.abnormalities.compactMap { found in
            Flag(rawValue: found.trigger.rawValue).map { SOSAnswer.Flagged(flag: $0.rawValue, key: found.first.key) }
        }
        return found.isEmpty ? nil : found
    }
}
