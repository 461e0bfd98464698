internal import Vitals

/// The known facts of half a minute.
struct FinderSlot: Hashable, Sendable {
    static let length: Milliseconds = 30_000
    /// Multiples of ``length`` since 1970.
    let number: Int64
    var movingSeconds = 0.0, metres = 0.0
    /// The first and the last moment in motion.
    var first: Milliseconds?, last: Milliseconds?
    var heartSum = 0, heartCount = 0
    var cadenceSum = 0.0, cadenceCount = 0

    init(_ number: Int64) { self.number = number }

    var start: Milliseconds { number * Self.length }
    var end: Milliseconds { (number + 1) * Self.length }

    /// Metres a second while in motion.
    var speed: Double { movingSeconds > 0 ? metres / movingSeconds : 0 }
    /// Beats a minute.
    var heartRate: Double? { heartCount > 0 ? Double(heartSum) / Double(heartCount) : nil }
    /// Steps or turns a minute.
    var cadence: Double? { cadenceCount > 0 ? cadenceSum / Double(cadenceCount) : nil }

    enum Mode: Hashable, Sendable {
        case foot, wheels, indoors
    }

    /// Seconds of half a minute in motion that make it one of movement, and metres a second of somebody who goes.
    static let movingMin = 15.0, speedMin = 0.7
    /// Metres a second that runners seldom have, and cyclists mostly.
    static let fast = 4.5
    /// Steps or turns a minute of somebody who exerts themselves.
    static let cadenceMin = 60.0
    /// Turns a minute of a crank. Runners take 140 steps and more.
    static let crank = 30.0..<130.0

    /// The activity in it; nil for nothing that counts.
    /// - Parameter current: what they did before: between ``fast`` and the speed of wheels, and up hills on a bicycle, it goes on.
    func mode(after current: Mode?, _ rules: FinderRules) -> Mode? {
        if movingSeconds >= Self.movingMin, speed >= Self.speedMin {
            if speed >= MotionLimits.wheels { return .wheels }
            if let cadence, cadence >= Self.crank.upperBound { return .foot }
            if current == .wheels { return speed >= MotionLimits.running ? .wheels : .foot }
            if speed >= Self.fast, let cadence, Self.crank.contains(cadence) { return .wheels }
            return .foot
        }
        if let cadence, cadence >= Self.cadenceMin { return .indoors }
        // Behind a run the heart stays up: alone it is an effort of those who have not just moved.
        if let effort = rules.effort, let heartRate, heartRate >= Double(effort), current == nil || current == .indoors { return .indoors }
        return nil
    }
}

/// Slots taken together.
struct FinderSum: Hashable, Sendable {
    var slots = 0
    var activeSeconds = 0.0, runningSeconds = 0.0, metres = 0.0
    var heartSum = 0, heartCount = 0
    /// Slots with a cadence that a crank can have.
    var crankSlots = 0
    var start: Milliseconds?, end: Milliseconds?

    mutating func add(_ slot: FinderSlot, _ mode: FinderSlot.Mode) {
        slots += 1
        activeSeconds += mode == .indoors ? Double(FinderSlot.length) / 1000 : slot.movingSeconds
        if slot.speed >= MotionLimits.running { runningSeconds += slot.movingSeconds }
        metres += slot.metres
        addHeart(of: slot)
        if let cadence = slot.cadence, FinderSlot.crank.contains(cadence) { crankSlots += 1 }
        start = start ?? slot.first ?? slot.start
        end = slot.last ?? slot.end
    }

    mutating func addHeart(of slot: FinderSlot) {
        heartSum += slot.heartSum
        heartCount += slot.heartCount
    }

    mutating func add(_ other: FinderSum) {
        slots += other.slots
        activeSeconds += other.activeSeconds
        runningSeconds += other.runningSeconds
        metres += other.metres
        heartSum += other.heartSum
        heartCount += other.heartCount
        crankSlots += other.crankSlots
        start = start ?? other.start
        end = other.end ?? end
    }

    /// Its kind; nil for a ride in a vehicle, and for less than the rules ask for.
    func workout(_ mode: FinderSlot.Mode, _ rules: FinderRules) -> FoundWorkout? {
        guard let start, let end, end > start else { return nil }
        let heartRate = heartCount > 0 ? Double(heartSum) / Double(heartCount) : nil
        let speed = activeSeconds > 0 ? metres / activeSeconds : 0
        let kind: WorkoutKind, least: FinderRules.Least
        switch mode {
        case .indoors: (kind, least) = (.other, rules.other)
        case .foot where speed < Self.footMax:
            let isRun = runningSeconds * 3 >= activeSeconds
            (kind, least) = isRun ? (.running, rules.running) : (.walking, rules.walking)
        case .foot, .wheels:
            let isRidden = rules.cycler.flatMap { cycler in heartRate.map { $0 >= Double(cycler) } } ?? false
            guard isRidden || crankSlots * 2 >= slots else { return nil }
            (kind, least) = (.cycling, rules.cycling)
        }
        guard activeSeconds >= least.seconds, metres >= least.metres else { return nil }
        return FoundWorkout(kind: kind, span: start...end, metres: metres, activeSeconds: activeSeconds, heartRate: heartRate)
    }

    /// Metres a second on average beyond which it was no foot: the hour's record is 5.9.
    private static let footMax = 5.5
}
