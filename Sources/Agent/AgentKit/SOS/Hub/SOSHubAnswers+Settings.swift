internal import Distress
internal import Logging
internal import Seams
internal import Sensing
internal import SyncProtocol
internal import Vitals

// The settings of AutomatedSOS: what the hub sends, and what is kept here against a hub that was restored from a backup.
extension SOSHubAnswers {
    func fetchSettings() {
        guard !isFetchingSettings else { return }
        isFetchingSettings = true
        context.clock.machine.start(priority: .medium) { [weak self, hub] in
            let settings = await hub.settings()
            await self?.take(settings)
        }
    }

    private func take(_ result: Result<SOSSettings, SourceProblem>) {
        isFetchingSettings = false
        switch result {
        // Asked for again with the next answer.
        case .failure(let problem): context.logger.warning("the settings of AutomatedSOS were not fetched: \(problem)")
        case .success(let new): take(new)
        }
    }

    private func take(_ new: SOSSettings) {
        let taken = settings.take(new, of: context.people)
        context.logger.notice("the settings of AutomatedSOS are version \(new.choicesVersion)")
        for _ in taken.missing {
            context.logger.warning("the hub sent no settings of AutomatedSOS for one of this box's people: the last ones hold")
        }
        for person in context.people where !taken.missing.contains(person) {
            guard let own = settings.held.inForce(person) else { continue }
            for contact in own.contacts where !own.recipients.contains(where: { $0.contact == contact }) {
                context.logger.error("a contact has no telephone number that can be dialled: correct it on the hub")
            }
            stations.all[person]?.settings = own
            stations.all[person]?.isSettingsLost = false
            sos.feed(.settings(own.distress), of: person)
            calls.changePlan(of: person)
        }
        for _ in taken.disputed {
            context.logger.error(
                "the hub was restored from a backup and does not know the settings that are kept here: both hold until somebody decides at the hub"
            )
            context.say(prompt: "prompt.sos.dispute")
        }
        for _ in taken.agreed { context.logger.notice("box and hub have the same settings of AutomatedSOS again") }
        publisher.publish()
    }

    /// A hub that was restored gets what is kept here, at once where it asks for the first time.
    func handBack(_ isWanted: Bool, of person: PersonID) {
        guard let before = stations.all[person]?.hub.wantsSettings, before != isWanted else { return }
        stations.all[person]?.hub.wantsSettings = isWanted
        if isWanted { reports.tell(of: person, isNews: true) }
    }
}
