public import Vitals

/// Parameters in which the uses of the one state machine differ. A consent keeps those that it was asked with.
public struct ConsentParameters: Sendable, Hashable, Codable {
    public enum Expiry: Sendable, Hashable, Codable {
        /// Milliseconds after the person was asked.
        case after(Milliseconds)
        /// At an instant, in UTC milliseconds.
        case at(Milliseconds)
    }

    /// When an unanswered request is denied by itself (CONS-3).
    public var expiry: Expiry
    /// Whether an operator checks the first request of a kind before it leaves (CONS-11).
    public var needsOperator: Bool
    /// Number of denials that block the asker (CONS-10); nil where refusals don't count against the asker.
    public var denialsUntilBlocked: Int?
    /// For how long an accepted "once" waits to be delivered, in milliseconds.
    public var deliveryWait: Milliseconds

    public init(expiry: Expiry, needsOperator: Bool, denialsUntilBlocked: Int?, deliveryWait: Milliseconds = 7 * 86_400_000) {
        self.expiry = expiry
        self.needsOperator = needsOperator
        self.denialsUntilBlocked = denialsUntilBlocked
        self.deliveryWait = deliveryWait
    }

    /// An organisation asks: an operator looks first, 72 h to answer, three denials block.
    public static let data4Help = ConsentParameters(expiry: .after(72 * 3_600_000), needsOperator: true, denialsUntilBlocked: 3)

    /// A relative asks to look after somebody: the same without the operator.
    public static let caregiver = ConsentParameters(expiry: .after(72 * 3_600_000), needsOperator: false, denialsUntilBlocked: 3)

    /// The check-in of a run (RUN-5): who has not agreed when it starts has not agreed, and nothing is held against the organiser.
    /// - Parameter start: of the run, in UTC milliseconds.
    public static func runCheckIn(start: Milliseconds) -> ConsentParameters {
        ConsentParameters(expiry: .at(start), needsOperator: false, denialsUntilBlocked: nil)
    }
}
