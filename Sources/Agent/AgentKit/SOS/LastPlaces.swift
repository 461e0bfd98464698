internal import Alerts
internal import Distress
internal import SyncProtocol
internal import Vitals

/// Where somebody was last, however long ago, also before the box was started (SOS-6).
@BoxActor
final class LastPlaces {
    private let context: BoxContext
    private let choices: BoxChoices
    private let stations: SOSStations
    private(set) var all: [PersonID: StoredPosition]
    private let file: NewestFile<[StoredPosition]>

    /// - Parameter kept: where people were as the agent ended.
    init(_ context: BoxContext, _ choices: BoxChoices, _ stations: SOSStations, kept: [StoredPosition]) {
        (self.context, self.choices, self.stations) = (context, choices, stations)
        all = kept.reduce(into: [:]) { $0[$1.person] = $1 }
        file = LastPlaceFile.writer(context.directory, logger: context.logger)
    }

    /// The last position that this box knows, in this boot's milliseconds; nil where it knows none, and where the person switched position off.
    func lastPlace(of person: PersonID) -> LastPosition? {
        guard choices[person].kinds.position, let watching = stations.all[person] else { return nil }
        let now = context.clock.boottime()
        let kept = all[person]?.position(in: context.boot, at: now, utc: context.confirmedUTC)
        guard let seen = watching.watch.detector.position else { return kept }
        return kept.map { $0.isBetter(than: seen, at: now) ? $0 : seen } ?? seen
    }

    /// Of a case: what the hub told of it may be newer than what is known here.
    func place(of alarm: Alarm, _ person: PersonID) -> LastPosition? {
        guard choices[person].kinds.position || stations.all[person]?.isAdopted == true else { return nil }
        guard let known = lastPlace(of: person) else { return alarm.position }
        return alarm.position.map { $0.isBetter(than: known, at: context.clock.boottime()) ? $0 : known } ?? known
    }

    /// With each position. The place that was set for this box stands in its settings, and is not kept here.
    func keep(of person: PersonID) {
        guard let position = stations.all[person]?.watch.detector.position, position.source != .fixed else { return }
        let now = context.clock.boottime(), kept = all[person]
        if let kept, kept.boot == context.boot {
            let pause = position.isNear(kept.position) ? LastPlaceFile.stayedEvery : LastPlaceFile.movedEvery
            // A time that nothing had confirmed is said with the confirmed one as soon as there is one.
            guard position.time - kept.position.time >= pause || kept.utc == nil && context.confirmedUTC != nil else { return }
        }
        keep(position, of: person, at: now)
        write()
    }

    private func keep(_ position: LastPosition, of person: PersonID, at now: Milliseconds) {
        all[person] = StoredPosition(
            person: person, boot: context.boot, position: position, utc: context.confirmedUTC.map { $0 + position.time - now })
    }

    private func write() { file.keep(all.values.sorted { $0.person < $1.person }) }

    /// Whoever switched position off is nowhere to be found, here either.
    func forgetSwitchedOff() {
        let before = all
        for person in all.keys where !choices[person].kinds.position { all[person] = nil }
        if all != before { write() }
    }

    /// As the agent ends: the newest, whenever one was written last.
    func keepNewest() {
        for person in stations.people where choices[person].kinds.position {
            guard let position = stations.all[person]?.watch.detector.position, position.source != .fixed,
                position.time > all[person].map({ $0.boot == context.boot ? $0.position.time : .min }) ?? .min
            else { continue }
            keep(position, of: person, at: context.clock.boottime())
        }
        write()
    }

    /// Everything so far was written, or refused.
    func written() -> Pending<Void> { file.written() }
}

extension LastPosition {
    func isNear(_ other: LastPosition) -> Bool {
        // 1e-7 degrees of latitude are 1.1 cm; a degree of longitude is shorter, which errs towards telling less.
        abs(Int(latitude) - Int(other.latitude)) < 9000 && abs(Int(longitude) - Int(other.longitude)) < 12_000
    }
}
