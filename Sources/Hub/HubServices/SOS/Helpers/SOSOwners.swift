import Distress
import EmergencyDispatch
import HubStore
import Logging
import Vitals

/// Owners of cases: they are asked whether somebody is with the person, and lose it when they are gone (SOS-20).
public struct SOSOwners: SOSSubject {
    let sos: SOSService

    /// Time that the owner of a case has to answer when asked, minutes.
    public static let answerMinutes = Int(DispatchLimits.answerTime / 60_000)

    /// A crew on its way of which there was no sign for so long is gone: no place, no page, no button.
    static let crewSilentAfter: Milliseconds = 300_000

    /// Whoever has a case is asked after a time whether somebody is with the person; without an answer it goes on to the next (SOS-20).
    func askDue() async {
        let time = now()
        let due = sos.state.withLock { state in state.cases.values.filter { $0.ownerDue.map { $0 <= time } ?? false } }
        guard !due.isEmpty else { return }
        var left = SOSWork()
        for item in due {
            let work = sos.dispatch(.hub(.ownerDue(crew: item.crew.flatMap { sight(of: $0, in: item) })), to: item.id)
            guard work.lostOwner else { continue }
            logger.critical(
                "whoever has a case did not say whether somebody is with the person: it goes on", metadata: ["incident": "\(item.id)"])
            await sos.act(work)
            crews.search(item.id)
            left.add(work)
        }
        sending.sendDue()
        await sos.keep(left)
    }

    /// Where a crew is, and how far from the person; nil where its place is not known.
    private func sight(of crew: SOSCrew, in item: SOSCase) -> CrewSight? {
        guard let seen = crewIndex.place(of: crew.account) else { return nil }
        let way = sos.state.withLock { $0.way(to: item) }
        func metres(_ place: CrewPlace) -> Int? {
            way.map {
                Int(CrewIndex.metres(Double(place.latitude) / 1e7, Double(place.longitude) / 1e7, $0.latitude, $0.longitude))
            }
        }
        return CrewSight(
            at: seen.time, place: seen.rounded, metres: metres(seen.rounded), metresBefore: crew.place.flatMap(metres),
            personAccuracy: item.alarm.position?.horizontalError.map { Int($0 / 10) })
    }

    /// Whether this hub sees to it that the contact who has a case is asked if somebody is with the person; nil where no contact has it.
    func isAsked(in item: SOSCase) -> Bool? {
        guard let owner = item.owner?.id, owner.hasPrefix("tel:") || owner.hasPrefix("contact:") else { return nil }
        return item.ownerDue == nil
            || (item.contacts ?? []).enumerated().contains {
                item.isOwned(by: .contact($0)) && outlets.works(for: $1).values.contains(true)
            }
    }

    /// A caregiver whose consent ended, or a crew that went off duty or vanished on its way, has a case no more: it is offered to others.
    func releaseGone() async {
        let taken = sos.state.withLock { state in
            let taken = state.cases.values.filter { $0.isOpen && $0.owner != nil }
            let crews = Set(taken.compactMap { $0.crew?.account })
            state.crewsSeen = state.crewsSeen.filter { crews.contains($0.key) }
            return taken
        }
        var left = SOSWork()
        for item in taken where isGone(item) {
            guard let owner = item.owner else { continue }
            logger.critical("whoever had a case is gone: it is given to others", metadata: ["incident": "\(item.id)"])
            let work = sos.state.withLock { sos.handle([(.released(by: owner, of: item.alarm.id), now())], of: item.person, &$0) }
            await sos.act(work)
            crews.search(item.id)
            left.add(work)
        }
        // Nobody of them waits for the disk.
        await sos.keep(left)
    }

    /// Where that cannot be read, nobody is.
    private func isGone(_ item: SOSCase) -> Bool {
        do {
            if let crew = item.crew, item.owner == .crew(crew.account) {
                guard crew.status == .onTheWay else { return false }
                return try isSilent(crew) || !accounts.care.onDuty([crew.account]).contains(crew.account)
            }
            guard let text = item.owner?.id, text.hasPrefix("account:"), let account = AccountID(String(text.dropFirst(8))) else {
                return false
            }
            return try !item.people.contains(account.person) && addressees.cared(in: item, by: account) == nil
        } catch { return false }
    }

    /// By the hub's clock, and since it listens: a crew's phone may have another one.
    private func isSilent(_ crew: SOSCrew) -> Bool {
        let time = now(), isWatched = pages.isWatched(crew.account.person), place = crewIndex.place(of: crew.account)?.time
        let (seen, listeningSince) = sos.state.withLock { state in
            if isWatched { state.crewsSeen[crew.account] = time }
            return (state.crewsSeen[crew.account], state.listening.since)
        }
        return [crew.since, seen, place].compactMap(\.self).allSatisfy { time - max($0, listeningSince) >= Self.crewSilentAfter }
    }
}
