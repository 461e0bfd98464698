import Distress
import Vitals

/// What of a case is read where the rest is of another version.
extension SOSCase {
    struct Kept: Decodable {
        let item: SOSCase

        private enum CodingKeys: String, CodingKey {
            case alarm, isTest, opened, ended, outcome, owner, ownerName, contacts, isConsented, links
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            func read<Value: Decodable>(_ key: CodingKeys) -> Value? { try? container.decode(Value.self, forKey: key) }
            let alarm = try container.decode(Alarm.self, forKey: .alarm)
            var item = SOSCase(alarm, isTest: read(.isTest) ?? alarm.isTest, opened: read(.opened) ?? alarm.raisedAt)
            (item.ended, item.outcome, item.owner, item.ownerName) = (read(.ended), read(.outcome), read(.owner), read(.ownerName))
            (item.contacts, item.isConsented, item.links) = (read(.contacts), read(.isConsented), read(.links) ?? [])
            self.item = item
        }
    }
}

extension SOSWatchState {
    /// What of the state of a person's detection is read where the rest is of another version.
    struct Kept: Decodable {
        let state: SOSWatchState

        private enum CodingKeys: String, CodingKey { case watch, boxes, presses, pressNumber, last, journal, owed, toldWarnings, rhythm }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            func read<Value: Decodable>(_ key: CodingKeys) -> Value? { try? container.decode(Value.self, forKey: key) }
            var state = SOSWatchState(watch: try container.decode(DistressWatch.self, forKey: .watch))
            (state.boxes, state.presses, state.pressNumber) = (read(.boxes) ?? [:], read(.presses) ?? [], read(.pressNumber) ?? 0)
            (state.last, state.journal) = (read(.last), read(.journal) ?? 0)
            (state.owed, state.toldWarnings, state.rhythm) = (read(.owed), read(.toldWarnings), read(.rhythm))
            self.state = state
        }
    }
}
