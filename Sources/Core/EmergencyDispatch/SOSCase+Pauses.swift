import Distress
package import Vitals

/// The time that others lost while the hub did not listen, what rooms and callers hear next, and tests that arrived.
extension SOSCase {
    /// The hub did not listen for so long: what others had to do, and what was under way, has as much more time.
    package mutating func postpone(by missed: Milliseconds) {
        offers.postpone(by: missed)
        calls.postpone(by: missed)
        reachedAt = reachedAt.map { $0 + missed }
        heldUntil = heldUntil.map { $0 + missed }
        askAt = askAt.map { $0 + missed }
        answerOwnerBy = answerOwnerBy.map { $0 + missed }
    }

    /// - Parameter rooms: for which an update is one more alarm: not while somebody else has it.
    /// - Returns: whether a control room is told: not one that was told a moment ago.
    package mutating func updateRooms(now: Milliseconds, without rooms: Set<String>) -> Bool {
        guard !isTest, !calls.alertedRooms.isEmpty else { return false }
        let last = calls.last?.number
        for room in calls.alertedRooms where owner?.isProfessional != true || owner == .room(room) || !rooms.contains(room) {
            calls.add(.room(room), .room, .update, due: now)
        }
        return calls.last?.number != last
    }

    /// Whether a recipient of a test has said that it arrived.
    public func isConfirmed(by helper: SOSHelper) -> Bool {
        calls.contains { $0.recipient.owner == helper.owner && $0.state == .acknowledged }
    }

    package func isHeld(at time: Milliseconds) -> Bool { isOpen && (heldUntil.map { $0 > time } ?? false) }
}

extension SOSCall {
    /// Waits, and nobody works at it.
    package func isDue(_ time: Milliseconds) -> Bool { state == .waiting && due <= time && lease <= time }
}
