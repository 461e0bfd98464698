import Credentials
import Crypto
import Foundation
public import HubStore
public import Vitals

/// Links in mails to what a consent lets an organisation download, and to answers about groups (CONS-9). A link holds no data and opens nothing by
/// itself: whoever follows it has to be logged in as that organisation, and the consent has to hold. Nothing is stored for it.
public struct DownloadLinks: Sendable {
    private let accounts: AccountStore

    /// A link works for a day, milliseconds.
    public static let lifetime: Milliseconds = 24 * 3_600_000

    public init(accounts: AccountStore) { self.accounts = accounts }

    /// The last part of a link: when it ends, and a code that says that this hub made it.
    public func token(_ asked: some Identifier128, of account: AccountID, now: Milliseconds) -> String {
        let expires = now + Self.lifetime
        return "\(expires)-\(Hexadecimal.string(code(asked, account, expires)))"
    }

    /// Whether a link works for this account.
    public func isGood(_ token: String, _ asked: some Identifier128, of account: AccountID, now: Milliseconds) -> Bool {
        let parts = token.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let expires = Milliseconds(parts[0]), let sent = Self.bytes(parts[1]), now < expires else { return false }
        return HMAC<SHA256>.isValidAuthenticationCode(sent, authenticating: Self.message(asked, account, expires), using: key)
    }

    private var key: SymmetricKey { SymmetricKey(data: accounts.derivedKey("download link")) }

    private func code(_ asked: some Identifier128, _ account: AccountID, _ expires: Milliseconds) -> HMAC<SHA256>.MAC {
        HMAC<SHA256>.authenticationCode(for: Self.message(asked, account, expires), using: key)
    }

    private static func message(_ asked: some Identifier128, _ account: AccountID, _ expires: Milliseconds) -> [UInt8] {
        asked.bytes + account.bytes + Array("\(expires)".utf8)
    }

    private static func bytes(_ text: Substring) -> [UInt8]? {
        let digits = Array(text)
        guard digits.count == 64 else { return nil }
        let bytes = stride(from: 0, to: 64, by: 2).compactMap { UInt8(String(digits[$0...($0 + 1)]), radix: 16) }
        return bytes.count == 32 ? bytes : nil
    }
}
