public import Distress
public import Exchange
public import HubStore
import SyncProtocol
import Synchronization
public import Vitals

/// Falls and seizures that phones and other systems flag (SOS-2, SOS-24).
extension SOSService {
    /// A person is told so often at most that nobody was asked about a flagged event.
    static let unheardEvery: Milliseconds = 3_600_000

    /// What became of a flagged event that was stored a moment ago.
    /// - Parameter time: when it was noticed, UTC.
    public func flagOutcome(noticedAt time: Milliseconds, of person: PersonID) async -> FlagOutcome {
        // What waits to be looked at is looked at first.
        await detect(in: [person])
        guard now() - time <= Self.helpAgeMax else { return .late }
        return state.withLock { $0.entries[person]?.state.watch.flagOutcome } ?? .unheard(.switchedOff)
    }

    /// What the hub itself asks the person now.
    static func asked(_ entry: Entry) -> Question? {
        if case .suspecting(let suspicion) = entry.state.watch.incident.state, suspicion.isAsked { suspicion.question } else { nil }
    }

    /// What the person's boxes are to ask about as well; nil for nothing.
    static func flagged(_ entry: Entry) -> [SOSAnswer.Flagged]? {
        guard case .suspecting(let suspicion) = entry.state.watch.incident.state else { return nil }
        let found = suspicion.abnormalities.compactMap { found in
            Flag(rawValue: found.trigger.rawValue).map { SOSAnswer.Flagged(flag: $0.rawValue, key: found.first.key) }
        }
        return found.isEmpty ? nil : found
    }

    /// The person hears of a flagged event about which nobody was asked: the program that reported it may show no answer. Under the lock.
    func tellUnheard(_ noticed: Milliseconds, of person: PersonID, _ state: inout State) {
        let time = now()
        guard var entry = state.entries[person], time - entry.unheardTold >= Self.unheardEvery else { return }
        if time - noticed <= Self.helpAgeMax {
            guard case .unheard = entry.state.watch.flagOutcome else { return }
        }
        entry.unheardTold = time
        owe(.sosUnheard, isForCaregivers: false, about: person, &entry, &state)
    }
}

/// Flagged events that come from outside: stored first, like all that devices send, then decided about.
public struct FlagReports: Sendable {
    private let devices: DeviceIngest
    private let sos: SOSService

    public init(devices: DeviceIngest, sos: SOSService) { (self.devices, self.sos) = (devices, sos) }

    /// The device with this secret, which may be of any kind; nil for a wrong one.
    public func device(secret: String) throws -> StoredDevice? { try devices.device(secret: secret) }

    /// Takes a flagged event of a detector. The same event at the same time is one, however often it is reported.
    /// - Throws: as ``DeviceIngest/receive(_:from:)``.
    public func report(_ flag: Flag, noticedAt time: Milliseconds, by device: StoredDevice) async throws -> FlagOutcome {
        var reading = SenderReading()
        reading.samples.events = [StateEvent(time: time, code: flag.code)]
        try await devices.receive(reading, from: device)
        return await sos.flagOutcome(noticedAt: time, of: device.person)
    }

    /// What became of the flagged event in a reading that ``DeviceIngest`` has taken; nil where there is none.
    public func outcome(of reading: SenderReading, from device: StoredDevice) async -> (flag: Flag, outcome: FlagOutcome)? {
        let found = reading.samples.events.compactMap { event in Flag(event.code).map { ($0, event.time) } }
        guard let (flag, time) = found.max(by: { $0.1 < $1.1 }) else { return nil }
        return (flag, await sos.flagOutcome(noticedAt: time, of: device.person))
    }
}
