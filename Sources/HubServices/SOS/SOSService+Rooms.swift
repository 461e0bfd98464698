import Logging
import Synchronization

/// Whether control rooms can be reached is looked at before anybody needs them.
extension SOSService {
    /// A room that falls silent may be the only addressee of many: with the time that a look takes, and the next look at the links, they are told
    /// within a minute.
    static let roomsEvery: Duration = .seconds(20)
    /// While one does not answer: with its second look in a row it counts as silent. A line that is away for a moment, or is not there yet when
    /// the hub starts, is no news.
    static let silentRoomsEvery: Duration = .seconds(10)

    /// What was found of a control room.
    enum RoomState: Sendable, Hashable {
        case answers
        /// By a way that says nothing before something is sent.
        case unknown
        /// It did not answer once.
        case missed(String)
        case silent(String)

        var isSilent: Bool { if case .silent = self { true } else { false } }
        var isMissing: Bool { if case .missed = self { true } else { isSilent } }
    }

    private static func look(at room: any EmergencyChannel) async -> RoomState {
        do { return try await room.check() == nil ? .unknown : .answers } catch { return .missed(String("\(error)".prefix(300))) }
    }

    /// One line in the log for each room, and another one for each change.
    func checkRooms(_ known: inout [String: RoomState]) async {
        let before = known
        let found = await withTaskGroup(of: (String, RoomState).self) { group -> [String: RoomState] in
            for room in outlets.rooms {
                group.addTask {
                    let found = await Self.look(at: room)
                    guard case .missed(let why) = found, before[room.name]?.isMissing == true else { return (room.name, found) }
                    return (room.name, .silent(why))
                }
            }
            return await group.reduce(into: [String: RoomState]()) { $0[$1.0] = $1.1 }
        }
        // One that hub and room stop together with is no news.
        guard !Task.isCancelled else { return }
        for (name, state) in found.sorted(by: { $0.key < $1.key }) where known[name] != state {
            switch state {
            case .answers: logger.notice("self-check: the control room answers", metadata: ["room": "\(name)"])
            case .unknown: logger.notice("self-check: the control room can be tried by a test alone", metadata: ["room": "\(name)"])
            case .missed: break
            case .silent(let why):
                logger.error(
                    "self-check: the control room cannot be reached: no alarm would get there",
                    metadata: ["room": "\(name)", "error": "\(why)"])
            }
        }
        known = found
        let silent = Set(found.filter(\.value.isSilent).keys)
        state.withLock { state in
            guard state.silentRooms != silent else { return }
            state.silentRooms = silent
            for person in state.entries.keys { state.entries[person]?.addresseesSeen = .min / 2 }
        }
    }
}
