import Logging
import Synchronization

/// Whether control rooms can be reached is looked at before anybody needs them.
extension SOSService {
    static let roomsEvery: Duration = .seconds(600)
    /// One that is silent may be the only addressee of many.
    static let silentRoomsEvery: Duration = .seconds(60)

    /// What was found of a control room.
    enum RoomState: Sendable, Hashable {
        case answers
        /// By a way that says nothing before something is sent.
        case unknown
        case silent(String)

        var isSilent: Bool { if case .silent = self { true } else { false } }
    }

    /// One line in the log for each room, and another one for each change.
    func checkRooms(_ known: inout [String: RoomState]) async {
        let found = await withTaskGroup(of: (String, RoomState).self) { group -> [String: RoomState] in
            for room in outlets.rooms {
                group.addTask {
                    do { return (room.name, try await room.check() == nil ? .unknown : .answers) } catch {
                        return (room.name, .silent(String("\(error)".prefix(300))))
                    }
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
