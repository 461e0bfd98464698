internal import Distress
internal import SyncProtocol
internal import Vitals

/// The settings of AutomatedSOS, also against those of a hub that was restored, and their file.
@BoxActor
final class SOSSettingsStore {
    private(set) var held: HeldSettings
    /// They were made for a detector of before: fetched anew once, whatever their version.
    private(set) var areOld: Bool
    private let file: NewestFile<SOSSettings>

    /// - Parameter kept: nil where nobody has turned AutomatedSOS on yet.
    init(_ context: BoxContext, kept: SOSSettings?) {
        held = HeldSettings(kept)
        areOld = kept.map { $0.detector == nil } ?? false
        file = SOSSettingsFile.writer(context.directory, logger: context.logger)
    }

    /// Takes what the hub sent.
    func take(_ new: SOSSettings, of people: [PersonID]) -> HeldSettings.Taken {
        let taken = held.take(new, of: people)
        areOld = taken.isPending
        file.keep(held.kept)
        return taken
    }

    /// Whether the hub has others than these, as its answer says. A restored one may have come to the same version by other changes: whether
    /// it knows what is held here counts as well.
    func isBehind(_ answer: SOSAnswer, of person: PersonID) -> Bool {
        let isDispute = answer.wantsSettings != nil, isNews = isDispute != (held.other(person) != nil)
        return answer.settingsVersion != held.kept.version || areOld || isNews
    }

    /// The conflict that is shown while box and hub disagree; nil otherwise.
    func dispute(of person: PersonID) -> BoxStatus.Dispute? {
        guard let own = held.own(person), let hub = held.other(person) else { return nil }
        return BoxStatus.Dispute(
            here: .init(isOn: own.distress.isOn, contacts: own.contacts.map(\.name), by: own.origin?.by, time: own.origin?.time),
            hub: .init(
                isOn: hub.atHub?.isOn ?? hub.distress.isOn, contacts: hub.atHub?.contacts ?? hub.contacts.map(\.name), by: hub.origin?.by,
                time: hub.origin?.time))
    }
}
