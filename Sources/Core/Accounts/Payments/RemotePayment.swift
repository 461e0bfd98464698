/// What PayPal says of an order now (Orders v2, "Show order details").
public struct RemotePayment: Sendable, Hashable {
    /// PayPal's name of the order.
    public let remote: String
    public let status: Status
    /// The identifier that the hub gave to it (`custom_id`).
    public let custom: String?
    /// The newest capture; nil before there is one.
    public let capture: Capture?

    public enum Status: String, Sendable, Hashable {
        case created = "CREATED"
        case saved = "SAVED"
        case approved = "APPROVED"
        case voided = "VOIDED"
        case completed = "COMPLETED"
        case payerActionRequired = "PAYER_ACTION_REQUIRED"
    }

    /// Money that was taken, or is being taken.
    public struct Capture: Sendable, Hashable {
        public let id: String
        public let status: Status
        /// nil for an amount or currency that the hub does not know.
        public let amount: Money?

        public enum Status: String, Sendable, Hashable {
            case completed = "COMPLETED"
            case declined = "DECLINED"
            case partiallyRefunded = "PARTIALLY_REFUNDED"
            case pending = "PENDING"
            case refunded = "REFUNDED"
            case failed = "FAILED"
        }

        public init(id: String, status: Status, amount: Money?) { (self.id, self.status, self.amount) = (id, status, amount) }
    }

    public init(remote: String, status: Status, custom: String?, capture: Capture?) {
        (self.remote, self.status, self.custom, self.capture) = (remote, status, custom, capture)
    }
}
