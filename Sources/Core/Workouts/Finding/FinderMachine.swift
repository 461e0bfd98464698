internal import Vitals

/// Finds workouts in events that come in the order of time.
struct FinderMachine: Sendable {
    let rules: FinderRules
    private(set) var filter: MotionFilter
    /// Those that are over, and that no later event changes.
    private(set) var found: [FoundWorkout] = []
    /// Rides without a sign that somebody pedalled.
    private(set) var rides = 0
    private var open: Open?
    /// Half minutes that may still get something, by their numbers.
    private var slots: [Int64: FinderSlot] = [:]
    /// All before these were closed: of those that had something, and of all.
    private var next: Int64?, closed = Int64.min

    /// A span that may become a workout.
    private struct Open {
        var mode: FinderSlot.Mode
        var sum = FinderSum()
        /// Half minutes without movement, since the beginning.
        var idle = 0
        /// The end of the last half minute with movement.
        var activeUntil: Milliseconds
        /// The activity since the mode changed, and its sums.
        var tail: (mode: FinderSlot.Mode, sum: FinderSum)?
    }

    /// Legs come so much later than the time that they tell of: a window, and the half minute between two fixes.
    private static let delay: Milliseconds = 120_000
    /// Half minutes of something else that end a workout: five minutes; two of driving, and of motion behind an effort without fixes.
    private static let change = 10, changeQuick = 4
    /// A beginning with so many idle half minutes before as many with movement was none.
    private static let beginning = 4

    init(_ rules: FinderRules, motion: MotionRules) { (self.rules, filter) = (rules, MotionFilter(motion)) }

    mutating func take(_ event: MotionEvent) {
        switch event {
        case .fix(let fix):
            var legs: [MotionLeg] = []
            filter.take(fix) { legs.append($0) }
            for leg in legs { note(leg) }
        case .heartRate(let time, let rate):
            change(time) {
                $0.heartSum += rate
                $0.heartCount += 1
            }
        case .cadence(let time, let perMinute):
            change(time) {
                $0.cadenceSum += perMinute
                $0.cadenceCount += 1
            }
        }
        close(before: event.time - Self.delay)
    }

    mutating func finish() {
        var legs: [MotionLeg] = []
        filter.finish { legs.append($0) }
        for leg in legs { note(leg) }
        close(before: .max)
        end()
    }

    // MARK: Half minutes

    private mutating func change(_ time: Milliseconds, _ body: (inout FinderSlot) -> Void) {
        let number = time / FinderSlot.length
        if let next, number < next { return }
        body(&slots[number, default: FinderSlot(number)])
    }

    /// Divides a leg among the half minutes that it touches.
    private mutating func note(_ leg: MotionLeg) {
        guard leg.isMoving, leg.span > 0, leg.span <= MotionLimits.forgotten else { return }
        var from = leg.start.time
        while from < leg.end.time {
            let to = min(leg.end.time, (from / FinderSlot.length + 1) * FinderSlot.length), share = Double(to - from) / Double(leg.span)
            change(from) {
                $0.metres += leg.metres * share
                $0.movingSeconds += leg.seconds * share
                $0.first = $0.first ?? from
                $0.last = to
            }
            from = to
        }
    }

    private mutating func close(before time: Milliseconds) {
        let first = time / FinderSlot.length
        guard first > closed else { return }
        closed = first
        for number in slots.keys.filter({ $0 < first }).sorted() {
            guard let slot = slots.removeValue(forKey: number) else { continue }
            take(slot)
            next = number + 1
        }
    }

    // MARK: Spans

    private mutating func take(_ slot: FinderSlot) {
        if let open, slot.start - open.activeUntil >= rules.pauseMax { end() }
        // A person who began to move moves: a heart without fixes is a rest of that.
        let current = open?.mode == .indoors ? open?.tail?.mode ?? .indoors : open?.mode
        guard let mode = slot.mode(after: current, rules) else { return rest(slot) }
        guard var open else {
            begin(slot, mode)
            return
        }
        open.activeUntil = slot.end
        if mode == open.mode {
            if let tail = open.tail { open.sum.add(tail.sum) }
            open.tail = nil
            open.sum.add(slot, mode)
            self.open = open
            return
        }
        var tail = open.tail?.mode == mode ? open.tail?.sum ?? FinderSum() : FinderSum()
        if let other = open.tail, other.mode != mode { open.sum.add(other.sum) }
        tail.add(slot, mode)
        open.tail = (mode, tail)
        self.open = open
        guard tail.slots >= (mode == .wheels || open.mode == .indoors ? Self.changeQuick : Self.change) else { return }
        self.open?.tail = nil
        end()
        self.open = Open(mode: mode, sum: tail, activeUntil: slot.end)
    }

    private mutating func begin(_ slot: FinderSlot, _ mode: FinderSlot.Mode) {
        var begun = Open(mode: mode, activeUntil: slot.end)
        begun.sum.add(slot, mode)
        open = begun
    }

    private mutating func rest(_ slot: FinderSlot) {
        guard var open else { return }
        open.idle += 1
        // The heart of a rest belongs to the workout that goes on behind it; of one that ends nobody knows yet.
        self.open = open.idle > Self.beginning && open.sum.slots < Self.beginning ? nil : open
    }

    private mutating func end() {
        guard var last = open else { return }
        open = nil
        if let tail = last.tail { last.sum.add(tail.sum) }
        if let workout = last.sum.workout(last.mode, rules) {
            found.append(workout)
        } else if last.mode == .wheels {
            rides += 1
        }
    }
}
