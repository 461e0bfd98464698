import Distress
import Vitals

/// Words of helpers and crews about a case: whether it counts, and what follows.
extension SOSCase {
    mutating func handle(
        _ act: SOSHelperAct, by helper: SOSHelper, speaksForPerson: Bool, at now: Milliseconds
    ) -> [DispatchEffect] {
        guard isOpen, !isTest else { return [.refused(.gone)] }
        // A contact who answered the box stands there by their number.
        let speaker = isOwned(by: helper.owner) ? owner ?? helper.owner : helper.owner
        let isTheirs = owner == speaker
        switch act {
        case .seen:
            acknowledge(helper, now: now)
            return [.show]
        case .coming, .arrived:
            acknowledge(helper, now: now)
            if isTheirs || act == .arrived { answerOwner(isThere: act == .arrived, now: now) }
            return [.show]
        case .take:
            if let owner, !isTheirs, owner.isProfessional || !speaker.isProfessional { return [.refused(.taken)] }
            acknowledge(helper, now: now)
            let given = give(to: speaker)
            if !isTheirs { ownerName = helper.name }
            return [given]
        case .release:
            guard isTheirs else { return [.refused(.notAllowed)] }
            return [.tell([.released(by: speaker, of: alarm.id)], isHandedOver: false)]
        case .finish:
            let hasAuthority = helper.hasAuthority || speaksForPerson
            guard hasAuthority || isTheirs && (speaker.isProfessional || !hasAmbulance) else { return [.refused(.notAllowed)] }
            // Somebody who speaks for the person ends what nobody had taken as the person would: monitoring goes on (SOS-21).
            let word: DistressEvent =
                owner == nil && !helper.hasAuthority
                ? .ok(about: id, number: UInt64(clamping: now), at: now)
                : .finished(by: speaker, of: alarm.id, withAuthority: hasAuthority)
            return [.tell([word], isHandedOver: false)]
        }
    }

    private mutating func acknowledge(_ helper: SOSHelper, now: Milliseconds) {
        switch helper {
        case .contact(let index, _): calls.acknowledge(contact: index)
        case .account(let account, _): calls.acknowledge(.account(account))
        case .room(let name): calls.acknowledge(.room(name))
        }
        (reachedAt, heldUntil) = (now, nil)
    }

    /// Gives it to somebody; a contact or relative who has it is relieved by a crew or a control room.
    private func give(to owner: Owner) -> DispatchEffect {
        let taken = DistressEvent.taken(by: owner, of: alarm.id)
        guard let helper = self.owner, helper != owner, !helper.isProfessional else { return .tell([taken], isHandedOver: false) }
        return .tell([.released(by: helper, of: alarm.id), taken], isHandedOver: true)
    }

    // MARK: Crews

    mutating func handle(_ event: DispatchEvent.Crew, beside crews: CrewBoard, at now: Milliseconds) -> [DispatchEffect] {
        switch event {
        case .found(let result): return offer(result, beside: crews, at: now)
        case .saw(let crew):
            offers.saw(crew, now: now)
            return []
        case .accepted(let crew): return accept(crew, beside: crews)
        case .rejected(let crew):
            if offers.last(where: { $0.account == crew })?.state == .open {
                offers.set(.rejected, of: crew)
                searchAt = now
            }
            return [.search, .showCrews([crew])]
        case .status(let status, let account, let place): return set(status, of: account, place, at: now)
        case .notified(let crew):
            offers.told(crew)
            return []
        }
    }

    /// Offers it to those who were found; control rooms come in where there are too few.
    private mutating func offer(_ result: SOSSearchResult, beside crews: CrewBoard, at now: Milliseconds) -> [DispatchEffect] {
        guard seeksAmbulance else { return [] }
        let search = CrewSearch(for: self, beside: crews, at: now)
        let left = result.crews.filter { !crews.isBusy($0.account, but: id) }
        // Another case was quicker: it is looked for more at once.
        let isShort = left.count < result.crews.count
        offers.add(
            left.filter { search.isFree($0.account) }, toHome: result.isToHome, watched: result.watched, turnMax: result.turnMax, now: now)
        (searchAt, isSearched) = (isShort ? now : now + DispatchLimits.offerTime, true)
        if offers.open < DispatchLimits.crewsAtOnce, !isShort { callRooms(result.rooms, links: result.links, now: now) }
        let asked = Set(left.map(\.account))
        return (asked.isEmpty ? [] : [.showCrews(asked), .notify([])]) + [.send] + (isShort ? [.search] : [])
    }

    /// The first one gets it.
    private mutating func accept(_ crew: SOSCrew, beside crews: CrewBoard) -> [DispatchEffect] {
        guard isOpen, offers.contains(where: { $0.account == crew.account }) else { return [.refused(.gone)] }
        if let owner, owner.isProfessional { return [.refused(owner == .crew(crew.account) ? .theirs : .taken)] }
        guard !crews.hasCase(crew.account) else { return [.refused(.gone)] }
        let given = give(to: .crew(crew.account))
        self.crew = crew
        ownerName = "\(crew.label.name), \(crew.label.plate)"
        offers.set(.accepted, of: crew.account)
        return [given]
    }

    private mutating func set(
        _ status: SOSCrew.Status?, of account: AccountID, _ place: CrewPlace?, at now: Milliseconds
    ) -> [DispatchEffect] {
        guard isOpen, crew?.account == account else { return [.refused(.notAllowed)] }
        switch status {
        case .done?:
            crew?.status = .done
            return [.tell([.finished(by: .crew(account), of: alarm.id)], isHandedOver: false)]
        case nil: return [.tell([.released(by: .crew(account), of: alarm.id)], isHandedOver: false)]
        case .onTheWay?, .there?:
            crew?.status = status ?? .onTheWay
            crew?.since = now
            if let place { crew?.place = place }
            answerOwner(isThere: status == .there, now: now)
            return [.show]
        }
    }
}
