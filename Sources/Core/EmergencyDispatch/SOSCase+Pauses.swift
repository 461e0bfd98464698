import Distress
package import Vitals

/// What others had to do while the hub did not listen, what rooms and callers hear next, and tests that arrived.
extension SOSCase {
    /// The hub did not listen for so long: what others had to do, and what was under way, has as much more time.
    package mutating func postpone(by missed: Milliseconds) {
        for index in offers.indices where offers[index].state == .open {
            offers[index].answerBy += missed
            offers[index].tellAt = offers[index].tellAt.map { $0 + missed }
        }
        for index in calls.indices where calls[index].state == .waiting {
            calls[index].due += missed
            if calls[index].lease > 0 { calls[index].lease += missed }
        }
        reachedAt = reachedAt.map { $0 + missed }
        heldUntil = heldUntil.map { $0 + missed }
        askAt = askAt.map { $0 + missed }
        answerOwnerBy = answerOwnerBy.map { $0 + missed }
    }

    /// - Parameter rooms: for which an update is one more alarm: not while somebody else has it.
    /// - Returns: whether a control room is told: not one that was told a moment ago.
    package mutating func updateRooms(now: Milliseconds, without rooms: Set<String>) -> Bool {
        guard !isTest, !alertedRooms.isEmpty else { return false }
        let last = calls.last?.number
        for room in alertedRooms where owner?.isProfessional != true || owner == .room(room) || !rooms.contains(room) {
            call(.room(room), .room, .update, due: now)
        }
        return calls.last?.number != last
    }

    /// Somebody did not take it on the telephone: the next one who waits to be called is called now.
    package mutating func callNext(now: Milliseconds) {
        let waiting = calls.indices.filter { calls[$0].channel == .voice && calls[$0].state == .waiting && calls[$0].tries == 0 }
        guard let next = waiting.min(by: { calls[$0].due < calls[$1].due }), calls[next].due > now else { return }
        calls[next].due = now
    }

    /// Whether a recipient of a test has said that it arrived.
    public func isConfirmed(by helper: SOSHelper) -> Bool {
        calls.contains { $0.recipient.owner == helper.owner && $0.state == .acknowledged }
    }

    /// Also where the message did not leave as far as this hub knows: whoever has the link has the message.
    package mutating func confirmTest(by helper: SOSHelper, now: Milliseconds) {
        for place in calls.indices where calls[place].recipient.owner == helper.owner && [.sent, .waiting].contains(calls[place].state) {
            calls[place].state = .acknowledged
            calls[place].sentAt = calls[place].sentAt ?? now
        }
    }

    package func isHeld(at time: Milliseconds) -> Bool { isOpen && (heldUntil.map { $0 > time } ?? false) }
}

extension SOSCall {
    /// Waits, and nobody works at it.
    package func isDue(_ time: Milliseconds) -> Bool { state == .waiting && due <= time && lease <= time }
}
