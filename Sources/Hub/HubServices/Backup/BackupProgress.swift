import Seams

/// Says now and then how much of a long work is done.
struct BackupProgress {
    /// Between two lines.
    private static let pause = Duration.seconds(10)
    static let megabyte = 1_000_000

    private let whole: Int, machine: Machine, say: @Sendable (String) -> Void
    private var last: Duration

    init(whole: Int, machine: Machine, say: @escaping @Sendable (String) -> Void) {
        (self.whole, self.machine, self.say) = (whole, machine, say)
        last = machine.uptime
    }

    mutating func reached(_ bytes: Int) {
        let now = machine.uptime
        guard now - last >= Self.pause else { return }
        last = now
        say("\(bytes / Self.megabyte) of \(whole / Self.megabyte) MB")
    }
}
