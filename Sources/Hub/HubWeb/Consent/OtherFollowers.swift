import HubStore
import Vitals

/// Who may read a person without a consent of the register: friends in a workout that goes on, and whom AutomatedSOS may tell (CONS-7). Each is
/// ended where it was begun.
struct OtherFollowers: Sendable {
    let accounts: AccountStore
    let runs: RunsStore
    let sos: SOSStore

    func list(of person: PersonID, _ texts: Texts) throws -> [FollowersPage.Other] {
        try [friends(of: person, texts), helpers(of: person, texts)].compactMap(\.self)
    }

    private func friends(of person: PersonID, _ texts: Texts) throws -> FollowersPage.Other? {
        let names = try runs.friends.friends(of: person).compactMap { try accounts.person($0)?.name }.sorted()
        guard !names.isEmpty else { return nil }
        let shared = try runs.workouts.openWorkout(of: person).flatMap { $0.isShared ? $0 : nil }
        return .init(
            name: texts["followers.friends"], kinds: texts.kinds([.heartRate, .position]), purpose: texts["followers.friendsPurpose"],
            lines: [
                names.joined(separator: ", "),
                shared.map { texts.filled("followers.friendsNow", ["time": texts.instant($0.began)]) } ?? texts["followers.friendsLater"],
            ], href: "/runs/friends", action: texts["followers.friendsEnd"])
    }

    private func helpers(of person: PersonID, _ texts: Texts) throws -> FollowersPage.Other? {
        let choice = try sos.choice(of: person), consent = try sos.consent(of: person)
        let isOn = choice.isOn && consent != nil
        guard isOn || !choice.contacts.isEmpty else { return nil }
        var lines: [String] = []
        if !choice.contacts.isEmpty {
            lines.append(texts.filled("followers.contacts", ["names": choice.contacts.map(\.name).joined(separator: ", ")]))
        }
        if isOn {
            lines.append(texts["followers.helpers"])
            if let consent { lines.append(texts.filled("followers.since", ["time": texts.instant(consent.given)])) }
        }
        lines.append(texts[isOn ? "followers.helpersSpan" : "followers.helpersAsked"])
        return .init(
            name: "AutomatedSOS", kinds: texts.kinds([.heartRate, .position]), purpose: texts["followers.helpersPurpose"], lines: lines,
            href: "/protection", action: texts["followers.helpersEnd"])
    }
}
