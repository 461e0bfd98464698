public import Accounts
import Crypto
import Foundation
public import HubStore
import Vitals

/// Links at the end of invitations, by which whoever has the address wants none any more, from anybody. Nothing is stored for a link: it says
/// which address, as a keyed hash, and that this hub made it. It does the same however often it is followed.
public struct UnsubscribeLinks: Sendable {
    private let accounts: AccountStore

    public init(accounts: AccountStore) { self.accounts = accounts }

    /// The last part of a link.
    /// - Parameter mark: ``HubStore/AccountStore/addressMark(_:)``.
    public func token(_ mark: [UInt8]) -> String {
        "\(Hexadecimal.string(mark))-\(Hexadecimal.string(HMAC<SHA256>.authenticationCode(for: mark, using: key)))"
    }

    public func token(_ email: EmailAddress) -> String { token(accounts.deferredWork.addressMark(email.canonical)) }

    /// Whether it is a link of ours.
    public func isGood(_ token: String) -> Bool { mark(token) != nil }

    /// False when it is no link of ours.
    public func refuse(_ token: String) throws -> Bool {
        guard let mark = mark(token) else { return false }
        try accounts.deferredWork.refuseLetters(mark)
        return true
    }

    private var key: SymmetricKey { SymmetricKey(data: accounts.derivedKey("letter link")) }

    private func mark(_ token: String) -> [UInt8]? {
        let parts = token.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let mark = Hexadecimal.bytes(String(parts[0])), let code = Hexadecimal.bytes(String(parts[1])),
            mark.count == 32,
            HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: mark, using: key)
        else { return nil }
        return mark
    }
}
