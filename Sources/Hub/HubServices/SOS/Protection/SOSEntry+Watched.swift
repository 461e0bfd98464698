import Distress
import HubStore
import Vitals

/// Whether somebody watches a person, as boxes and the hub's own watch say.
extension SOSEntry {
    /// Why nobody watches now; empty where somebody does.
    /// - Parameter listeningSince: nobody could be heard before this: until a report is due, what was whole then counts as whole.
    func unwatched(_ isWaiting: Bool, _ time: Milliseconds, listeningSince: Milliseconds = .min) -> [String] {
        var reasons = isWaiting ? [Absence.waitingForReactivation.rawValue] : []
        let wasWhole = state.link?.told == nil && state.reminder == nil, since = wasWhole ? listeningSince : .min
        let heard = state.boxes.values.filter { time - max($0.received, since) < SOSTimings.linkSilentAfter }
        let alive = heard.filter { !$0.isDetectorDown }
        func named(_ found: [String]) -> [String] { Self.named(found, heard) }
        if !alive.isEmpty {
            // One box that watches is enough.
            guard !alive.contains(where: \.unprotected.isEmpty) else { return reasons }
            for absence in Absence.allCases where alive.contains(where: { $0.unprotected.contains(absence) }) {
                if !reasons.contains(absence.rawValue) { reasons.append(absence.rawValue) }
            }
            return named(reasons)
        }
        // Readings are as old as they are now, whenever the watch was told last.
        var watch = state.watch
        _ = watch.handle(.tick, at: time)
        let own = watch.protection.reasons.filter { $0 != .waitingForReactivation }
        guard own.contains(.noSignal), !state.boxes.isEmpty else { return reasons + own.map(\.rawValue) }
        // A box that says that it does not watch is not silent: it says why, or that it stands still.
        let said = Absence.allCases.filter { absence in
            absence != .waitingForReactivation && heard.contains { $0.unprotected.contains(absence) }
        }
        return reasons + (heard.isEmpty ? ["silent"] : said.isEmpty ? ["detectorDown"] : named(said.map(\.rawValue)))
    }

    /// Where every box that is heard has no strap, that is why nothing arrives, and why a new box seems to be off.
    private static func named(_ reasons: [String], _ heard: [SOSWatchState.Box]) -> [String] {
        let replaced = [Absence.noSignal, .switchedOff].map(\.rawValue)
        guard !heard.isEmpty, heard.allSatisfy({ $0.weaknesses?.contains(SOSChain.noSensor) == true }),
            let first = reasons.firstIndex(where: replaced.contains)
        else { return reasons }
        var named = reasons
        named[first] = SOSChain.noSensor
        return named.filter { !replaced.contains($0) }
    }

    /// None of them watches, and one waits.
    static func isWaiting(_ boxes: [SOSWatchState.Box]) -> Bool {
        let alive = boxes.filter { !$0.isDetectorDown }
        return alive.contains { $0.unprotected.contains(.waitingForReactivation) } && !alive.contains(where: \.unprotected.isEmpty)
    }

    /// What a second box makes up for is none.
    func weaknesses(at time: Milliseconds) -> [String] {
        guard choice.isOn, isConsented else { return [] }
        let said = state.boxes.values.filter { time - $0.received < SOSTimings.linkSilentAfter }.map { $0.weaknesses ?? [] }
        let found = SOSChain.shownWeaknesses.filter { name in
            [SOSChain.noPosition, "noOwnMeans"].contains(name)
                ? !said.isEmpty && said.allSatisfy { $0.contains(name) } : said.contains { $0.contains(name) }
        }
        return found + (waitsLonger(at: time) ? ["waitsLonger"] : [])
    }

    /// A box that watches knows neither ``Distress/DistressSettings/strict`` nor the waits at home: it waits up to 3 minutes.
    func waitsLonger(at time: Milliseconds) -> Bool {
        state.boxes.values.contains { $0.isOld == true && !$0.isDetectorDown && time - $0.received < SOSTimings.linkSilentAfter }
    }
}
