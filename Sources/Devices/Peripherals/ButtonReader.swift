public import Sensing
import SourceThread
public import Vitals

/// Events of the button. Times are in milliseconds of `CLOCK_BOOTTIME`.
public enum ButtonEvent: Sendable, Hashable {
    /// The button is there: what it is called, and the keys that count.
    case connected(name: String, path: String, keys: [UInt16], time: Milliseconds)
    case pressed(ButtonPress, key: UInt16, time: Milliseconds)
    /// Presses are not heard from here on. Told once until it changes.
    case lost(SourceProblem, time: Milliseconds)
}

/// The state that the lights of the button show.
public enum ButtonLight: Sendable, Hashable {
    case off, steady
    /// Half a second lit, half a second dark.
    case blinking

    static let half: Milliseconds = 500

    func isLit(at time: Milliseconds) -> Bool {
        switch self {
        case .off: false
        case .steady: true
        case .blinking: (time / Self.half).isMultiple(of: 2)
        }
    }
}

/// Reads one physical button, by evdev. A button that is pulled out, or sleeps, is found again within about a second.
public final class ButtonReader: Sendable {
    public struct Configuration: Sendable {
        public var device = ButtonChoice.automatic
        /// The keys that count; nil for ``ButtonKeys/usual``, or all keys of a device that was chosen by name or path.
        /// Keys that switch the box off never count.
        public var keys: Set<UInt16>?
        /// Where the input devices are.
        public var directory = "/dev/input"
        /// Held for so many milliseconds, a press is long.
        public var longPress: Milliseconds = 2000

        /// Any button, with the defaults for everything else.
        public init() {}
    }

    private let configuration: Configuration
    private let report: @Sendable (SourceProblem) -> Void
    private let sink: @Sendable (ButtonEvent) -> Void
    private let thread = SourceThread(name: "button")
    private let lights = RequestInbox<ButtonLight>()

    /// - Parameters:
    ///   - report: takes problems that do not end the delivery: a key that is never let go.
    ///   - sink: takes the events, in order. Both closures are called on the reader's thread and must return soon.
    public init(
        configuration: Configuration = Configuration(), report: @escaping @Sendable (SourceProblem) -> Void = { _ in },
        sink: @escaping @Sendable (ButtonEvent) -> Void
    ) {
        self.configuration = configuration
        self.report = report
        self.sink = sink
    }

    /// Starts the thread. Does nothing while it runs. Throws when the process has no file descriptor left.
    public func start() throws(SourceProblem) {
        let (configuration, lights, report, sink) = (configuration, lights, report, sink)
        try thread.start { stop in
            var loop = ButtonLoop(configuration: configuration, lights: lights, report: report, sink: sink, stop: stop)
            loop.run()
        }
    }

    /// Sets the lights of the button from now on, where it has any. One that is plugged in later shows it as well.
    public func show(_ light: ButtonLight) { lights.put(light) }

    /// Ends the thread within milliseconds; it can be started again. The lights stay as they are.
    public func stop() {
        thread.stop()
        lights.wake()
    }
}
