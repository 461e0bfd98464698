public import Accounts
import HubStore
import Privacy
import Vitals

/// How an asker names a person: what was typed, read as an e-mail address or a tax identifier (CONS-1).
public enum ConsentAddress: Sendable, Hashable {
    case email(EmailAddress)
    case identifier(TaxIdentifier)

    /// - Parameters:
    ///   - text: an address, or an identifier with its country before it (`US:123-45-6789`) or none.
    ///   - country: of an identifier that names none.
    /// - Throws: the ``Accounts/FieldError`` of what it is read as: it says something of what was typed and nothing of anybody.
    public init(_ text: String, country: Country = .italy) throws(FieldError) {
        if text.utf8.contains(UInt8(ascii: "@")) {
            self = .email(try EmailAddress(text))
        } else {
            let parts = text.split(separator: ":", maxSplits: 1)
            if parts.count == 2, let named = try? Country(parts[0].uppercased().filter { !$0.isWhitespace }) {
                self = .identifier(try TaxIdentifier(String(parts[1]), country: named))
            } else {
                self = .identifier(try TaxIdentifier(text, country: country))
            }
        }
    }

    /// For the asker's own lists.
    var label: String {
        switch self {
        case .email(let address): address.address
        case .identifier(let identifier): identifier.text
        }
    }

    func whom(in accounts: AccountStore) -> ConsentRequest.Addressee {
        switch self {
        case .email(let address): accounts.consents.whom(email: address.canonical)
        case .identifier(let identifier): accounts.consents.whom(identifier: identifier.canonical)
        }
    }
}
