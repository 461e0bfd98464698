/// The version of everything that agent and hub say to each other. An agent sends it with each request; a hub answers what it can of an
/// older one and refuses a newer one with 426.
///
/// History:
/// - 1 (2026-11-21): enrolment, tokens, segments of format 1, answers with ranges, refusals, forks and cadence. Since then answers may hold
///   `questions`, which older agents leave unread; and `checkIns`, to agents that send ``SyncRoute/showsHeader``, with the route
///   ``SyncRoute/checkIns`` to answer them. Older hubs send none, so that nobody asks for the route there. Since 2026-11-23 JSON is in the
///   form of `WireForm`: words that version 0.3.0 does not know stand beside those that it knows, and unknown words spoil nothing.
///   Since 2026-11-27 a box's ``BoxCondition`` may hold `settings`, and an ``EnrolmentAnswer`` `kept`, which others leave unread.
///   Since 2026-11-28 a ``BoxCondition`` names `people`, its answer tells which of them are `bound` and which are `gone`, and a refusal may say
///   `left`, which 0.3.0 reads as `not-bound`.
public enum ProtocolVersion {
    public static let current = 1
    /// The request header that carries it.
    public static let header = "TrackMe-Protocol"
}
