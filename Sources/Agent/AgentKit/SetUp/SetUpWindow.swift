/// For how long the set-up page of a box is open, and to whom.
struct SetUpWindow: Sendable {
    /// Half an hour.
    static let length = Duration.seconds(1800)
    /// Codes that may be tried before the window must be opened anew.
    static let triesMax = 10

    /// By the machine's uptime.
    let closes: Duration
    /// The secret of the browser that began; nil while nobody has.
    private(set) var owner: String?
    private(set) var tries = 0

    init(at now: Duration) { closes = now + Self.length }

    func isOpen(at now: Duration) -> Bool { now < closes }

    /// Whether a browser with this secret may see and do anything: everybody until one has begun, then that one alone.
    func lets(_ secret: String?) -> Bool { owner == nil || owner == secret }

    /// A browser tries a code. The first becomes the owner.
    /// - Parameter fresh: its secret if it is the first.
    /// - Returns: false when there were too many tries.
    mutating func tryCode(_ fresh: String) -> Bool {
        guard tries < Self.triesMax else { return false }
        tries += 1
        owner = owner ?? fresh
        return true
    }
}
