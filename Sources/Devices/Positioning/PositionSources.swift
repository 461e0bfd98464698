public import Sensing
import SourceThread
import Synchronization
public import Vitals

/// All that can say where the box is: gpsd, and while there is no satellite fix the places of known Wi-Fi networks, GeoClue, and the
/// place that was set for it. ``PositionChoice`` decides between them.
public final class PositionSources: Sendable {
    /// The sources to use. Nothing is used that is not named here.
    public struct Configuration: Sendable {
        /// Satellites; nil for none.
        public var gpsd: GPSDSource.Configuration?
        /// GeoClue; it may ask a server on the Internet which networks stand where.
        public var geoclue: Bool
        /// The place of a box that stays where it is.
        public var fixed: FixedPosition?
        /// Learns the places of Wi-Fi networks from satellite fixes; they stay on the box. nil for not at all.
        public var wifiPlaces: PlaceStorage?
        /// How ``PositionChoice`` decides.
        public var limits = PositionChoice.Limits()
        /// How often the visible networks are looked at, in milliseconds; the kernel forgets one after about 30 s.
        public var wifiInterval: Milliseconds = 20_000

        /// The defaults for everything else.
        public init(
            gpsd: GPSDSource.Configuration? = nil, geoclue: Bool = false, fixed: FixedPosition? = nil, wifiPlaces: PlaceStorage? = nil
        ) {
            self.gpsd = gpsd
            self.geoclue = geoclue
            self.fixed = fixed
            self.wifiPlaces = wifiPlaces
        }
    }

    private let configuration: Configuration
    private let now: @Sendable () -> Milliseconds
    private let report: @Sendable (SourceProblem) -> Void
    private let outlet: PositionOutlet
    private let gpsd: GPSDSource?
    private let geoclue: GeoClueSource?
    private let thread = SourceThread(name: "places")

    /// - Parameters:
    ///   - now: the clock of the samples' times; `CLOCK_BOOTTIME` in milliseconds unless told.
    ///   - report: takes problems that do not end the delivery.
    ///   - receiver: takes those of them that say why satellites give no position although gpsd answers; each holds until a satellite `fix`
    ///     or `noFix`.
    ///   - sink: takes the events to record, one after the other, in order. A position that is no satellite fix says so in its `source`.
    ///     All closures are called on the sources' threads and must return soon, without calling this object.
    public convenience init(
        configuration: Configuration, now: (@Sendable () -> Milliseconds)? = nil,
        report: @escaping @Sendable (SourceProblem) -> Void = { _ in },
        receiver: @escaping @Sendable (SourceProblem) -> Void = { _ in }, sink: @escaping @Sendable (PositionEvent) -> Void
    ) {
        self.init(
            configuration: configuration, geoclue: .init(), now: now ?? Boottime.now, report: report, receiver: receiver, sink: sink)
    }

    init(
        configuration: Configuration, geoclue: GeoClueSource.Configuration, now: @escaping @Sendable () -> Milliseconds,
        report: @escaping @Sendable (SourceProblem) -> Void, receiver: @escaping @Sendable (SourceProblem) -> Void = { _ in },
        sink: @escaping @Sendable (PositionEvent) -> Void
    ) {
        let outlet = PositionOutlet(PositionChoice(limits: configuration.limits, at: now()), sink: sink)
        self.configuration = configuration
        self.now = now
        self.report = report
        self.outlet = outlet
        gpsd = configuration.gpsd.map { gpsd in
            GPSDSource(configuration: gpsd, now: now, report: report, receiver: receiver) { event in outlet.update { $0.gnss(event) } }
        }
        guard configuration.geoclue else {
            self.geoclue = nil
            return
        }
        let isWanted: @Sendable () -> Bool = { outlet.choice.wantsLesser(at: now()) }
        let take: @Sendable (PositionSample) -> Void = { sample in outlet.update { $0.place(sample, from: .geoclue, at: now()) } }
        self.geoclue = GeoClueSource(configuration: geoclue, now: now, isWanted: isWanted, report: report, sink: take)
    }

    /// Starts the threads. Does nothing while they run. Throws when the process has no file descriptor left.
    public func start() throws(SourceProblem) {
        if let fixed = configuration.fixed {
            let time = now()
            outlet.update { $0.place(fixed.sample(at: time), from: .fixed, at: time) }
        }
        try gpsd?.start()
        try geoclue?.start()
        try thread.start { [configuration, now, report, outlet] stop in
            var watch = PlaceWatch(configuration: configuration, now: now, report: report, outlet: outlet)
            watch.run(stop)
        }
    }

    /// Ends the threads within milliseconds, stores what was learned. The sources can be started again.
    public func stop() {
        gpsd?.stop()
        geoclue?.stop()
        thread.stop()
    }

    /// Where the box is by the best source, and how old that is; nil before any source knew.
    public var current: PositionChoice.Current? { outlet.choice.current(at: now()) }
}

/// Lets one thread after the other through to the choice, and what it says to the sink, in one order.
final class PositionOutlet: Sendable {
    private let state: Mutex<PositionChoice>
    private let sink: @Sendable (PositionEvent) -> Void

    init(_ choice: PositionChoice, sink: @escaping @Sendable (PositionEvent) -> Void) {
        state = Mutex(choice)
        self.sink = sink
    }

    var choice: PositionChoice { state.withLock { $0 } }

    func update(_ body: (inout PositionChoice) -> [PositionEvent]) {
        state.withLock { choice in
            for event in body(&choice) { sink(event) }
        }
    }
}
