/// The sender or recipient of a message: an address, with the name that mail programs show.
public struct MailAddress: Sendable, Hashable {
    public let address: String
    public let name: String?

    /// RFC 5321, 4.5.3.1.3.
    private static let addressMaximum = 254
    private static let nameMaximum = 100
    /// What would begin or end something else in a header's list of addresses.
    private static let special = Set("()<>[]:;,\\\"".utf8)

    /// - Throws: ``MailProblem/unfit(_:)`` for an address that is not one local part, @ and one domain of printable ASCII without the
    ///   signs that have a meaning in a header, and for a name with control characters or more than 100 characters.
    public init(_ address: String, name: String? = nil) throws(MailProblem) {
        let bytes = Array(address.utf8)
        let parts = bytes.split(separator: UInt8(ascii: "@"), omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), bytes.count <= Self.addressMaximum,
            bytes.allSatisfy({ (0x21...0x7E).contains($0) && !Self.special.contains($0) })
        else { throw .unfit(.address) }
        if let name { guard HeaderText.isClean(name), name.count <= Self.nameMaximum else { throw .unfit(.name) } }
        (self.address, self.name) = (address, name)
    }

    var header: String {
        guard let name, !name.isEmpty else { return address }
        return HeaderText.encoded(name) + "\n <" + address + ">"
    }
}
