public import Processes
public import Sensing
import SourceThread
public import SystemBus
public import Vitals

/// Texts and calls by the box's own modems, through ModemManager (1.18 or newer, over D-Bus). Without policy: whom to call, in what order
/// and how often is its caller's.
///
/// A thread of its own watches all modems from the start and switches on those that are off, so that nothing has to be prepared when a call
/// for help is to go out. It needs no disk, no name service and no clock. All calls return at once.
public final class ModemCaller: Sendable {
    public struct Configuration: Sendable {
        /// Short numbers that may be called. All others are refused: 112 is no number to be called by accident.
        public var allowedShortNumbers: Set<PhoneNumber> = []
        /// The ALSA device that the modem's voice comes and goes through, such as "plughw:CARD=Android", where it has one.
        public var audioDevice: String?
        /// The longest time to hand a text to the network, in milliseconds.
        public var textLimit: Milliseconds = 120_000
        /// How long the network's report that a text has arrived is waited for, in milliseconds.
        public var reportLimit: Milliseconds = 600_000
        /// A text that was read stays so long, so that the loops of other people on this box read it as well.
        public var readTextKept: Milliseconds = 60_000
        /// The longest wait for a line that another call holds, in milliseconds.
        public var lineLimit: Milliseconds = 60_000
        /// The longest time from dialling until it rings, in milliseconds. For a modem that does not tell when it rings: until an answer.
        public var dialLimit: Milliseconds = 30_000
        /// The longest time that it rings, in milliseconds: most mailboxes answer later.
        public var ringLimit: Milliseconds = 30_000
        /// From the answer on, without the key "1", in milliseconds: then it was a mailbox, or somebody who does not understand.
        public var keyLimit: Milliseconds = 60_000
        /// The longest time on the phone with somebody who pressed the key, in milliseconds from the answer on.
        public var callLimit: Milliseconds = 180_000
        /// Speaks into a file: `-v LANGUAGE -w FILE -- TEXT` is added.
        public var speaker = ["espeak-ng"]
        /// Plays into ``audioDevice``: its name and that of a file are added.
        public var player = ["aplay", "-q", "-D"]
        /// Those that start both.
        public var programs = Programs.system

        public init() {}
    }

    /// Why something did not get through.
    public struct Failure: Error, Sendable, Hashable {
        public var problem: SourceProblem
        /// The other side may have it all the same: what follows is an update.
        public var mayHaveArrived: Bool
    }

    /// How a call was.
    public enum CallEnd: Sendable, Hashable {
        /// The key "1" was pressed.
        case acknowledged
        /// Somebody, or an answering machine, took it and pressed nothing.
        case answered
        case notAnswered
        case busy
        case failed(SourceProblem)
        case cancelled
    }

    public enum Event: Sendable, Hashable {
        /// All modems as they are now, good ones first. `problem`: why there is none that could text or call.
        case modems([ModemStatus], problem: SourceProblem?)
        /// The network has taken all parts of the text.
        case textSent(UInt64)
        /// The network says that the recipient's phone has it.
        case textDelivered(UInt64)
        case textFailed(UInt64, Failure)
        case ringing(UInt64)
        /// Somebody, or an answering machine, took the call.
        case answered(UInt64)
        /// Why the other side hears nothing, or only the alarm's tone. The call goes on: it has rung.
        case silent(UInt64, SourceProblem)
        /// The key "1" was pressed. The call goes on.
        case acknowledged(UInt64)
        /// The last event of each call.
        case ended(UInt64, CallEnd)
        /// A text came in. `sentAt`: UTC milliseconds, as the network says; nil where it does not. `wasThere`: it lay on the modem before texts
        /// went out, for who knows how long.
        case reply(from: PhoneNumber, text: String, sentAt: Int64? = nil, wasThere: Bool = false)
    }

    enum Request: Sendable {
        case text(UInt64, PhoneNumber, String)
        case call(UInt64, PhoneNumber, Voice.Prompt)
        case cancel(UInt64)
    }

    private let bus: BusAddress
    private let configuration: Configuration
    private let sink: @Sendable (Event) -> Void
    private let inbox = RequestInbox<Request>()
    private let thread = SourceThread(name: "modem")

    /// - Parameter sink: takes the events, in order for each text and call, on threads of its own; it must return soon.
    public init(
        bus: BusAddress = .system, configuration: Configuration = Configuration(), sink: @escaping @Sendable (Event) -> Void
    ) {
        self.bus = bus
        self.configuration = configuration
        self.sink = sink
    }

    deinit { stop() }

    /// Starts the thread. Does nothing while it runs. Throws when the process has no file descriptor or thread left.
    public func start() throws(SourceProblem) {
        let (bus, configuration, inbox, sink) = (bus, configuration, inbox, sink)
        try thread.start { stop in ModemLoop(bus: bus, configuration: configuration, inbox: inbox, stop: stop, sink: sink).run() }
    }

    /// Ends the thread. A call that goes on is hung up; a text that the modem has is sent.
    public func stop() {
        thread.stop()
        inbox.wake()
    }

    /// Sends a text. One of ``Event/textSent(_:)`` and ``Event/textFailed(_:_:)`` follows, whatever happens.
    ///
    /// - Parameter text: Longer ones go as several parts, which the recipient's phone shows as one; ModemManager splits them.
    public func text(_ id: UInt64, to number: PhoneNumber, _ text: String) { inbox.put(.text(id, number, text)) }

    /// Calls, and says `prompt` again and again until the other side hangs up or the time is over.
    /// ``Event/ended(_:_:)`` follows, whatever happens.
    public func call(_ id: UInt64, to number: PhoneNumber, saying prompt: Voice.Prompt) { inbox.put(.call(id, number, prompt)) }

    /// Hangs up, or gives the text up where it has not gone out.
    public func cancel(_ id: UInt64) { inbox.put(.cancel(id)) }
}
