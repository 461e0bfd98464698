/// A stored password hash as text: `$argon2id$v=19$m=65536,t=3,p=1$SALT$TAG`, the form of libargon2 and of most others (PHC string
/// format).
struct EncodedHash: Sendable, Hashable {
    let cost: PasswordCost
    let salt: [UInt8]
    let tag: [UInt8]

    var text: String {
        "$argon2id$v=\(Argon2id.version)$m=\(cost.kibibytes),t=\(cost.passes),p=\(cost.lanes)$\(Base64.plain(salt))$\(Base64.plain(tag))"
    }

    init(cost: PasswordCost, salt: [UInt8], tag: [UInt8]) {
        (self.cost, self.salt, self.tag) = (cost, salt, tag)
    }

    /// nil for anything that ``text`` does not write, and for costs beyond ``PasswordCost/isBounded``.
    init?(_ text: String) {
        guard text.utf8.count <= 256 else { return nil }
        let parts = text.split(separator: "$", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 6, parts[0].isEmpty, parts[1] == "argon2id", parts[2] == "v=\(Argon2id.version)" else { return nil }
        let fields = parts[3].split(separator: ",", omittingEmptySubsequences: false)
        guard fields.count == 3, let kibibytes = Self.number(fields[0], "m="), let passes = Self.number(fields[1], "t="),
            let lanes = Self.number(fields[2], "p="), let salt = Base64.bytes(plain: parts[4]), let tag = Base64.bytes(plain: parts[5])
        else { return nil }
        cost = PasswordCost(kibibytes: kibibytes, passes: passes, lanes: lanes)
        guard cost.isBounded, (8...64).contains(salt.count), (16...64).contains(tag.count) else { return nil }
        (self.salt, self.tag) = (salt, tag)
    }

    private static func number(_ field: Substring, _ name: String) -> UInt32? {
        guard field.hasPrefix(name), let value = UInt32(field.dropFirst(name.count)), field == "\(name)\(value)" else { return nil }
        return value
    }
}
