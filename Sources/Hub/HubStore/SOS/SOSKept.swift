import Distress
import Vitals

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
