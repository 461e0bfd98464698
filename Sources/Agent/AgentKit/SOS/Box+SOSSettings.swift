internal import Distress
internal import Logging
internal import Seams
internal import Sensing
internal import SyncProtocol
internal import Vitals

// The settings of AutomatedSOS: what the hub sends, and what is kept here against a hub that was restored from a backup.
extension Box {
    func fetchSOSSettings() {
        guard !isFetchingSettings else { return }
        isFetchingSettings = true
        let hub = parts.sos.hub
        clock.machine.start(priority: .medium) { [weak self] in
            let settings = await hub.settings()
            await self?.take(settings)
        }
    }

    private func take(_ result: Result<SOSSettings, SourceProblem>) {
        isFetchingSettings = false
        switch result {
        // Asked for again with the next answer.
        case .failure(let problem): logger.warning("the settings of AutomatedSOS were not fetched: \(problem)")
        case .success(let new): take(new)
        }
    }

    private func take(_ new: SOSSettings) {
        let taken = heldSettings.take(new, of: identity.persons.map(\.person))
        areSettingsOld = taken.isPending
        sosSettingsFile.write(heldSettings.kept)
        logger.notice("the settings of AutomatedSOS are version \(new.choicesVersion)")
        for _ in taken.missing {
            logger.warning("the hub sent no settings of AutomatedSOS for one of this box's people: the last ones hold")
        }
        for person in identity.persons.map(\.person) where !taken.missing.contains(person) {
            guard let own = heldSettings.inForce(person) else { continue }
            for contact in own.contacts where !Self.recipients(of: own).contains(where: { $0.contact == contact }) {
                logger.error("a contact has no telephone number that can be dialled: correct it on the hub")
            }
            watchings[person]?.settings = own
            watchings[person]?.isSettingsLost = false
            feed(.settings(own.distress), of: person)
            changePlan(of: person)
        }
        for _ in taken.disputed {
            logger.error(
                "the hub was restored from a backup and does not know the settings that are kept here: both hold until somebody decides at the hub"
            )
            say(prompt: "prompt.sos.dispute")
        }
        for _ in taken.agreed { logger.notice("box and hub have the same settings of AutomatedSOS again") }
        publish()
    }

    /// A hub that was restored gets what is kept here, at once where it asks for the first time.
    func handBack(_ isWanted: Bool, of person: PersonID) {
        guard let before = watchings[person]?.hub.wantsSettings, before != isWanted else { return }
        watchings[person]?.hub.wantsSettings = isWanted
        if isWanted { tellHub(of: person, isNews: true) }
    }

    /// What is shown while box and hub disagree; nil otherwise.
    func dispute(of person: PersonID) -> BoxStatus.Dispute? {
        guard let own = heldSettings.own(person), let hub = heldSettings.other(person) else { return nil }
        return BoxStatus.Dispute(
            here: .init(isOn: own.distress.isOn, contacts: own.contacts.map(\.name), by: own.origin?.by, time: own.origin?.time),
            hub: .init(
                isOn: hub.atHub?.isOn ?? hub.distress.isOn, contacts: hub.atHub?.contacts ?? hub.contacts.map(\.name), by: hub.origin?.by,
                time: hub.origin?.time))
    }
}
