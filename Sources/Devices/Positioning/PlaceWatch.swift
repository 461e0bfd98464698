import Sensing
import SourceThread
import Vitals

/// The thread's part of ``PositionSources``: keeps the choice's time, looks at the Wi-Fi networks, learns and answers their places.
struct PlaceWatch: ~Copyable {
    /// How far the next look at the clock may be.
    private static let waitMax: Milliseconds = 60_000

    private let now: @Sendable () -> Milliseconds
    private let report: @Sendable (SourceProblem) -> Void
    private let outlet: PositionOutlet
    private let interval: Milliseconds
    private var memory: PlaceMemory?
    private var nextLook: Milliseconds
    private var told: SourceProblem?

    init(
        configuration: PositionSources.Configuration, now: @escaping @Sendable () -> Milliseconds,
        report: @escaping @Sendable (SourceProblem) -> Void, outlet: PositionOutlet
    ) {
        self.now = now
        self.report = report
        self.outlet = outlet
        interval = configuration.wifiInterval
        memory = configuration.wifiPlaces.map { PlaceMemory($0, report: report) }
        nextLook = now()
    }

    mutating func run(_ stop: StopSignal) {
        while true {
            let time = now()
            if memory != nil, time >= nextLook {
                nextLook = time + interval
                look(at: time)
            }
            // A place that is due and was said brings the next deadline; one that is in the future is left alone.
            outlet.update { choice in choice.deadline.map { time >= $0 } == true ? choice.tick(at: time) : [] }
            let next = min(outlet.choice.deadline ?? .max, memory == nil ? .max : nextLook, time + Self.waitMax)
            guard stop.wait(milliseconds: max(1, next - now())) == .timedOut else { break }
        }
        memory?.save(at: now())
    }

    private mutating func look(at time: Milliseconds) {
        let heard: [VisibleNetwork]
        do throws(SourceProblem) {
            var networks = try VisibleNetworks()
            heard = try networks.read()
            told = nil
        } catch {
            if error != told { report(error) }
            told = error
            return
        }
        guard let current = outlet.choice.current(at: time), current.isCurrent, current.sample.source == .gnss else {
            let place = memory?.places.place(of: heard, at: time)
            return outlet.update { $0.place(place, from: .wifi, at: time) }
        }
        memory?.learn(heard, at: current.sample)
    }
}
