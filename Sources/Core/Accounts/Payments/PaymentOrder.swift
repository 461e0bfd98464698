public import Vitals

/// One attempt to pay, as a state machine: events carry their time, effects are data.
///
/// All that PayPal tells arrives as what it says of the order now. A webhook that comes twice, late or out of order therefore changes nothing that
/// is not so, and one that is lost is made up for by the next look.
public struct PaymentOrder: Sendable, Hashable, Codable {
    public enum State: String, Sendable, Hashable, Codable, CaseIterable {
        /// PayPal does not know it yet, or its answer was lost.
        case opening
        /// The person has not paid yet.
        case waiting
        /// The person paid; PayPal still looks at it.
        case pending
        case paid
        /// PayPal took no money. Another attempt is another order.
        case failed
        /// Nobody paid in time.
        case over
        case refunded
        /// The payer's bank or PayPal took the money back, or may.
        case reversed
        /// PayPal took another amount than was asked for: somebody has to look at it.
        case mismatched

        /// Somebody may have paid, and nobody knows for sure.
        public var isDoubtful: Bool { [.pending, .reversed, .mismatched].contains(self) }
    }

    public enum Event: Sendable, Hashable {
        /// PayPal has the order.
        /// - Parameter approval: where the person pays.
        case opened(remote: String, approval: String)
        case observed(RemotePayment)
        /// PayPal did not take the person's means of payment. They may try another one.
        case refused
        /// The person, or PayPal, says that there is another try after a refusal.
        case resumed
        /// PayPal does not know the order any more.
        case gone
        /// PayPal's webhook says that the money was taken back.
        case reversed
        /// PayPal could not be asked, for now.
        case unreachable
    }

    public enum Effect: Sendable, Hashable {
        /// The money is to be taken.
        case capture
        /// The feature is the person's for so many days more.
        case extend(days: Int)
        /// So many days fewer.
        case shorten(days: Int)
        /// A line of the book.
        case book(PaymentBookEntry)
        case tell(PaymentNews)
    }

    public let id: PaymentID
    public let offer: PaidOffer
    /// UTC milliseconds, as all times here.
    public let created: Milliseconds
    public private(set) var state = State.opening
    /// PayPal's name of the order.
    public private(set) var remote: String?
    /// PayPal's page where the person pays.
    public private(set) var approval: String?
    /// PayPal's name of the capture.
    public private(set) var capture: String?
    /// The last means of payment was not taken.
    public private(set) var isRefused = false
    /// Means of payment that were tried anew after a refusal. Each has a request number of its own at PayPal.
    public private(set) var retries = 0
    public private(set) var isPartlyRefunded = false
    /// When the present state began.
    public private(set) var since: Milliseconds

    /// Nobody pays later than this after the beginning, milliseconds: 3 days. PayPal itself forgets what nobody approved within hours.
    public static let lifetime: Milliseconds = 3 * 86_400_000
    /// Between two looks at PayPal, milliseconds.
    public static let lookMin: Milliseconds = 120_000, lookMax: Milliseconds = 12 * 3_600_000

    public init(id: PaymentID, offer: PaidOffer, at now: Milliseconds) { (self.id, self.offer, created, since) = (id, offer, now, now) }

    /// Money may still come, or the hub does not know yet.
    public var isOpen: Bool { [.opening, .waiting, .pending].contains(state) }

    /// Somebody may have paid, and nobody knows yet: meanwhile nothing is switched off.
    public var isDoubtful: Bool { state.isDoubtful }

    /// When PayPal is to be asked again, whether a webhook comes or not; nil when all is said.
    public func look(at now: Milliseconds) -> Milliseconds? {
        isOpen ? now + min(max((now - created) / 4, Self.lookMin), Self.lookMax) : nil
    }

    public mutating func handle(_ event: Event, at now: Milliseconds) -> [Effect] {
        switch event {
        case .opened(let remote, let approval):
            guard state == .opening else { return [] }
            (self.remote, self.approval) = (remote, approval)
            enter(.waiting, now)
            return []
        case .observed(let payment): return observe(payment, now)
        case .refused:
            guard state == .waiting, !isRefused else { return [] }
            isRefused = true
            return [.tell(.refused)]
        case .resumed:
            if state == .waiting, isRefused { (isRefused, retries) = (false, retries + 1) }
            return []
        case .gone: return lapse(now, at: nil)
        case .unreachable: return state == .opening ? lapse(now, at: Self.lifetime) : []
        case .reversed:
            guard state == .paid else { return [] }
            enter(.reversed, now)
            return [.book(.reversed), .tell(.doubtful)]
        }
    }

    private mutating func enter(_ next: State, _ now: Milliseconds) { (state, since) = (next, now) }

    /// Ends what nobody paid; never what somebody may have paid.
    /// - Parameter age: from which on; nil for at once.
    private mutating func lapse(_ now: Milliseconds, at age: Milliseconds?) -> [Effect] {
        guard state == .opening || state == .waiting, age.map({ now - created >= $0 }) ?? true else { return [] }
        enter(.over, now)
        return []
    }

    private mutating func observe(_ payment: RemotePayment, _ now: Milliseconds) -> [Effect] {
        // Of another order nothing is believed.
        guard payment.custom == id.description, remote == nil || remote == payment.remote else { return [] }
        remote = payment.remote
        if let capture = payment.capture { return observe(capture, now) }
        switch payment.status {
        case .approved:
            // What was refused is not tried over and over: the person chooses another means of payment first.
            let lapsed = lapse(now, at: Self.lifetime)
            return state == .waiting && !isRefused ? [.capture] : lapsed
        case .voided: return lapse(now, at: nil)
        case .created, .saved, .payerActionRequired: return lapse(now, at: Self.lifetime)
        case .completed: return []
        }
    }

    private mutating func observe(_ capture: RemotePayment.Capture, _ now: Milliseconds) -> [Effect] {
        switch capture.status {
        case .pending:
            guard [.opening, .waiting, .over].contains(state) else { return [] }
            self.capture = capture.id
            enter(.pending, now)
            return [.tell(.pending)]
        case .declined, .failed:
            guard isOpen else { return [] }
            self.capture = capture.id
            enter(.failed, now)
            return [.tell(.failed)]
        case .completed: return pay(capture, now)
        case .partiallyRefunded:
            let paid = pay(capture, now)
            guard state == .paid, !isPartlyRefunded else { return paid }
            isPartlyRefunded = true
            return paid + [.book(.partlyRefunded)]
        case .refunded: return refund(capture, now)
        }
    }

    private mutating func pay(_ capture: RemotePayment.Capture, _ now: Milliseconds) -> [Effect] {
        switch state {
        case .paid, .refunded, .mismatched, .reversed: return []
        case .opening, .waiting, .pending, .failed, .over: break
        }
        self.capture = capture.id
        guard capture.amount == offer.price else {
            enter(.mismatched, now)
            return [.book(.mismatched), .tell(.doubtful)]
        }
        enter(.paid, now)
        return [.book(.paid), .extend(days: offer.days), .tell(.paid)]
    }

    private mutating func refund(_ capture: RemotePayment.Capture, _ now: Milliseconds) -> [Effect] {
        guard state != .refunded else { return [] }
        let wasPaid = state == .paid || state == .reversed, wasTold = wasPaid || state == .mismatched
        self.capture = capture.id
        enter(.refunded, now)
        // Where the payment itself was never seen, nothing was granted that could be taken back.
        return (wasTold ? [] : [.book(.paid)]) + [.book(.refunded)] + (wasPaid ? [.shorten(days: offer.days)] : []) + [.tell(.refunded)]
    }
}

/// What a line of the book tells. The raw values are stored.
public enum PaymentBookEntry: String, Sendable, Hashable, Codable, CaseIterable {
    case paid, refunded, partlyRefunded, reversed, mismatched
}

/// What the person is told of a payment. The raw values name texts.
public enum PaymentNews: String, Sendable, Hashable, CaseIterable {
    case paid, pending, refused, failed, refunded, doubtful
}
