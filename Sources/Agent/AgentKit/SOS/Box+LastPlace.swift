internal import Alerts
internal import Distress
internal import Vitals

// Where somebody was last, however long ago, also before the box was started (SOS-6).
extension Box {
    /// The last position that this box knows, in this boot's milliseconds; nil where it knows none, and where the person switched position off.
    func lastPlace(of person: PersonID) -> LastPosition? {
        guard settings[person].kinds.position, let watching = watchings[person] else { return nil }
        let now = clock.boottime()
        let kept = lastPlaces[person]?.position(in: boot, at: now, utc: confirmedUTC)
        guard let seen = watching.watch.detector.position else { return kept }
        return kept.map { $0.isBetter(than: seen, at: now) ? $0 : seen } ?? seen
    }

    /// Of a case: what the hub told of it may be newer than what is known here.
    func place(of alarm: Alarm, _ person: PersonID) -> LastPosition? {
        guard settings[person].kinds.position || watchings[person]?.isAdopted == true else { return nil }
        guard let known = lastPlace(of: person) else { return alarm.position }
        return alarm.position.map { $0.isBetter(than: known, at: clock.boottime()) ? $0 : known } ?? known
    }

    /// With each position. The place that was set for this box stands in its settings, and is not kept here.
    func keepPlace(of person: PersonID) {
        guard let position = watchings[person]?.watch.detector.position, position.source != .fixed else { return }
        let now = clock.boottime(), kept = lastPlaces[person]
        if let kept, kept.boot == boot {
            let pause = position.isNear(kept.position) ? LastPlaceFile.stayedEvery : LastPlaceFile.movedEvery
            // A time that nothing had confirmed is said with the confirmed one as soon as there is one.
            guard position.time - kept.position.time >= pause || kept.utc == nil && confirmedUTC != nil else { return }
        }
        keep(position, of: person, at: now)
        writePlaces()
    }

    private func keep(_ position: LastPosition, of person: PersonID, at now: Milliseconds) {
        lastPlaces[person] = StoredPosition(
            person: person, boot: boot, position: position, utc: confirmedUTC.map { $0 + position.time - now })
    }

    private func writePlaces() { lastPlaceFile.keep(lastPlaces.values.sorted { $0.person < $1.person }) }

    /// Whoever switched position off is nowhere to be found, here either.
    func forgetPlaces() {
        let before = lastPlaces
        for person in lastPlaces.keys where !settings[person].kinds.position { lastPlaces[person] = nil }
        if lastPlaces != before { writePlaces() }
    }

    /// As the agent ends: the newest, whenever one was written last.
    func keepLastPlaces() {
        for person in watchings.keys.sorted() where settings[person].kinds.position {
            guard let position = watchings[person]?.watch.detector.position, position.source != .fixed,
                position.time > lastPlaces[person].map({ $0.boot == boot ? $0.position.time : .min }) ?? .min
            else { continue }
            keep(position, of: person, at: clock.boottime())
        }
        writePlaces()
    }
}

extension LastPosition {
    func isNear(_ other: LastPosition) -> Bool {
        // 1e-7 degrees of latitude are 1.1 cm; a degree of longitude is shorter, which errs towards telling less.
        abs(Int(latitude) - Int(other.latitude)) < 9000 && abs(Int(longitude) - Int(other.longitude)) < 12_000
    }
}
