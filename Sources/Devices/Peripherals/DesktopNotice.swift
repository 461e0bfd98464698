/// A notification on the desktop, with its words as the person shall read them.
public struct DesktopNotice: Sendable, Hashable {
    /// Desktop Notifications Specification, "Urgency Levels".
    public enum Urgency: UInt8, Sendable, Hashable {
        case low = 0
        case normal = 1
        /// Stays until somebody acts.
        case critical = 2
    }

    /// A button of the notification.
    public struct Action: Sendable, Hashable {
        /// The action that comes back in ``DesktopEvent/action(notice:action:)``.
        public var key: String
        public var label: String

        public init(key: String, label: String) {
            self.key = key
            self.label = label
        }
    }

    /// One notification is shown for each key; a later one replaces it.
    public var key: String
    public var title: String
    /// Plain text.
    public var body: String
    public var urgency: Urgency
    public var actions: [Action]

    public init(key: String, title: String, body: String = "", urgency: Urgency = .normal, actions: [Action] = []) {
        self.key = key
        self.title = title
        self.body = body
        self.urgency = urgency
        self.actions = actions
    }
}

/// An event of the desktop.
public enum DesktopEvent: Sendable, Hashable {
    /// Notifications are shown from here on; those that wait come first. `showsButtons` is false for servers without them.
    case connected(server: String, showsButtons: Bool)
    /// Somebody pressed a button.
    case action(notice: String, action: String)
    /// Somebody put it away without pressing a button. It is not shown again by itself, and it is no answer.
    case dismissed(notice: String)
}
