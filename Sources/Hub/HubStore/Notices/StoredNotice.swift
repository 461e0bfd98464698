public import Vitals

/// A notice as the store keeps it. What it says is made when it is shown, in its reader's language.
public struct StoredNotice: Sendable, Hashable {
    public let row: Int64
    /// nil for a mail to somebody without a mailbox, and for a kind of another version of the hub.
    public let kind: NoticeKind?
    /// Names the text: of ``kind``, or of the mail.
    public let name: String
    /// Values that the text names.
    public let arguments: [String: String]
    public let created: Milliseconds
    /// When its reader opened it.
    public let seen: Milliseconds?
}
