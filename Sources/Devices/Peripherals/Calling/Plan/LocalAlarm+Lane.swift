internal import Vitals

extension LocalAlarm {
    /// A sequence of attempts: one channel, or all calls.
    struct Lane: Sendable {
        /// Those that still have something to say, in turn.
        var channels: [Channel]
        var turn = 0
        /// The attempt that goes on, and the time when it is given up; nil for never.
        var running: Attempt?
        var until: Milliseconds?
        /// The one that ran last.
        var last: Attempt?
        /// When the next one starts; nil for never.
        var due: Milliseconds?
        /// When the last one started.
        var started: Milliseconds = 0
        /// What is being said is no longer all that is to be said.
        var isOld = false
        /// It carries ``Content/question``.
        var isQuestion = false
        /// In a row.
        var failures = 0
        /// How often something went out.
        var count = 0
        var tries: [Channel: Int] = [:]
        /// The calls whose addressee was told, or may have been.
        var told: Set<Channel> = []
        var worked: Set<Channel> = []

        init(_ channels: [Channel], due: Milliseconds) { (self.channels, self.due) = (channels, due) }

        var next: Channel? { channels.isEmpty ? nil : channels[turn % channels.count] }

        var deadline: Milliseconds? { running == nil ? due : until }

        mutating func begin(_ attempt: Attempt, _ now: Milliseconds, until: Milliseconds?) {
            (running, last, self.until, due, started) = (attempt, attempt, until, nil, now)
        }

        /// From here on there is one thing to say, to those who were told, where it can be said in writing.
        mutating func standDown(_ now: Milliseconds) {
            channels = channels.filter { channel in
                switch channel {
                case .sound, .call: false
                case .hooks, .text: told.contains(channel)
                }
            }
            (running, until, last, due) = (nil, nil, nil, channels.isEmpty ? nil : now)
            (turn, failures, tries) = (0, 0, [:])
        }
    }
}
