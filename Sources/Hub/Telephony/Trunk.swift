/// A mistake in the account of a SIP trunk, with what to write instead.
public struct TrunkProblem: Error, Sendable, Hashable, CustomStringConvertible {
    public let description: String
}

/// An account at a SIP trunk: a telephone company, or a telephone system of the operator's own.
public struct Trunk: Sendable, Hashable {
    public enum Transport: String, Sendable, Hashable, CaseIterable { case udp, tcp }

    /// The caller and the domain, as in `sip:USER@DOMAIN`.
    public let user: String
    /// `HOST` or `HOST:PORT`.
    public let domain: String
    /// The name that goes with the password; ``user`` where the trunk wants no other.
    public let login: String
    public let password: String
    /// Where registration and calls go, as `HOST` or `HOST:PORT`; nil for the domain.
    public let registrar: String?
    public let transport: Transport
    /// False for a trunk that knows the hub by its address.
    public let registers: Bool
    /// The name that is sent beside the number; nil for none.
    public let caller: String?

    /// - Parameters:
    ///   - account: `sip:USER@DOMAIN` or `sip:USER@DOMAIN:PORT`.
    ///   - password: empty only where nothing is registered.
    /// - Throws: ``TrunkProblem`` for the first mistake.
    public init(
        account: String, login: String? = nil, password: String, registrar: String? = nil, transport: Transport = .udp,
        registers: Bool = true, caller: String? = nil
    ) throws(TrunkProblem) {
        let parts = account.split(separator: "@", omittingEmptySubsequences: false)
        guard account.hasPrefix("sip:"), parts.count == 2, Self.isName(parts[0].dropFirst(4)), Self.isPlace(parts[1]) else {
            throw TrunkProblem(
                description:
                    "hub.voice.account is `\(account)`. Write sip:USER@HOST or sip:USER@HOST:PORT, as the trunk's provider names it.")
        }
        (user, domain) = (String(parts[0].dropFirst(4)), String(parts[1]))
        self.login = login ?? user
        guard Self.isName(self.login[...]) else {
            throw TrunkProblem(
                description: "hub.voice.user holds a character that a SIP account cannot have. Write the name that goes with the password.")
        }
        guard registers || !password.isEmpty || login == nil else {
            throw TrunkProblem(description: "hub.voice.user is set, but there is no password. Name its file in hub.voice.passwordFile.")
        }
        guard !registers || !password.isEmpty else {
            throw TrunkProblem(
                description:
                    "hub.voice.account has no password. Name a file that holds it in hub.voice.passwordFile, or set hub.voice.register to false where the trunk knows this hub by its address."
            )
        }
        guard password.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !Self.markup.contains($0) }), password.utf8.count <= 200 else {
            throw TrunkProblem(
                description:
                    "The password of hub.voice.account holds a blank, a letter with an accent, or one of \" ; < > , which baresip cannot take. Ask the trunk's provider for one of other characters."
            )
        }
        self.password = password
        if let registrar, !Self.isPlace(registrar[...]) {
            throw TrunkProblem(
                description:
                    "hub.voice.registrar is `\(registrar)`. Write HOST or HOST:PORT, or leave it out where it is the account's host.")
        }
        (self.registrar, self.transport, self.registers) = (registrar, transport, registers)
        if let caller,
            !caller.utf8.allSatisfy({ (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
                || !(1...50).contains(caller.utf8.count)
        {
            throw TrunkProblem(description: "hub.voice.caller is `\(caller)`. Write at most 50 letters without accents and quotes.")
        }
        self.caller = caller
    }

    /// The SIP address of a telephone number. baresip adds the account's transport.
    /// - Parameter number: digits, with a plus sign before them or without.
    func uri(of number: String) -> String { "sip:\(number)@\(domain)" }

    /// The target of a probe: host and port.
    var probed: String { "sip:\(registrar ?? domain);transport=\(transport.rawValue)" }

    /// Host and port of whoever is spoken to; no port where the name service may know it.
    var peer: (host: String, port: String?) {
        let place = registrar ?? domain
        if place.hasPrefix("["), let end = place.firstIndex(of: "]") {
            let rest = place[place.index(after: end)...]
            return (String(place[..<end].dropFirst()), rest.isEmpty ? nil : String(rest.dropFirst()))
        }
        let parts = place.split(separator: ":")
        return (String(parts[0]), parts.count > 1 ? String(parts[1]) : nil)
    }

    private static let markup = Array("\";<>,".utf8)

    private static func isName(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.count <= 100
            && text.utf8.allSatisfy { byte in
                (0x21...0x7E).contains(byte) && !"\"@:;<>,?&=/\\".utf8.contains(byte)
            }
    }

    /// A host, with a port behind it or without; an address of IPv6 in brackets.
    private static func isPlace(_ text: Substring) -> Bool {
        guard text.utf8.count <= 253 else { return false }
        var rest = text
        if rest.hasPrefix("["), let end = rest.firstIndex(of: "]") {
            let address = rest[rest.index(after: rest.startIndex)..<end]
            guard address.contains(":"), address.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else { return false }
            rest = rest[rest.index(after: end)...]
        } else {
            let host = rest.prefix { $0 != ":" }
            let isHost = host.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
            guard !host.isEmpty, isHost else { return false }
            rest = rest[host.endIndex...]
        }
        guard !rest.isEmpty else { return true }
        return rest.hasPrefix(":") && Int(rest.dropFirst()).map { (1...65_535).contains($0) } ?? false
    }
}
