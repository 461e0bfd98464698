internal import Crypto

/// The answer to a challenge (RFC 3261, 22.4; algorithms of RFC 8760).
enum SIPDigest {
    /// - Parameter clientNonce: of letters and digits, new for each answer.
    /// - Returns: nil for a challenge that is not understood.
    static func header(for response: SIPIncoming, credentials: SIPCredentials, uri: String, clientNonce: String) -> SIPHeader? {
        let isProxy = response.header("proxy-authenticate") != nil
        let challenges = response.headers.filter { $0.name == (isProxy ? "proxy-authenticate" : "www-authenticate") }
        // SHA-256 before MD5, in whatever order they stand.
        let parsed = challenges.compactMap { parameters($0.value) }
        let known = parsed.filter { algorithm($0) != nil }.sorted { left, _ in algorithm(left) == "SHA-256" }
        guard let challenge = known.first, let realm = challenge["realm"], let nonce = challenge["nonce"] else { return nil }
        let name = algorithm(challenge) ?? "MD5"
        let hash: (String) -> String =
            name == "SHA-256" ? { hex(SHA256.hash(data: Array($0.utf8))) } : { hex(Insecure.MD5.hash(data: Array($0.utf8))) }
        let secret = hash("\(credentials.user):\(realm):\(credentials.password)"), request = hash("MESSAGE:\(uri)")
        var fields = [
            "username=\(quoted(credentials.user))", "realm=\(quoted(realm))", "nonce=\(quoted(nonce))", "uri=\(quoted(uri))",
            "algorithm=\(name)",
        ]
        if let offered = challenge["qop"] {
            guard offered.split(separator: ",").contains(where: { $0.filter { $0 != " " } == "auth" }) else { return nil }
            fields += ["qop=auth", "nc=00000001", "cnonce=\"\(clientNonce)\""]
            fields.append("response=\"\(hash("\(secret):\(nonce):00000001:\(clientNonce):auth:\(request)"))\"")
        } else {
            fields.append("response=\"\(hash("\(secret):\(nonce):\(request)"))\"")
        }
        if let opaque = challenge["opaque"] { fields.append("opaque=\(quoted(opaque))") }
        return SIPHeader(isProxy ? "Proxy-Authorization" : "Authorization", "Digest " + fields.joined(separator: ", "))
    }

    private static func algorithm(_ challenge: [String: String]) -> String? {
        let name = challenge["algorithm"]?.uppercased() ?? "MD5"
        return ["MD5", "SHA-256"].contains(name) ? name : nil
    }

    /// `Digest realm="a", nonce="b, c"`; nil for another scheme.
    static func parameters(_ text: String) -> [String: String]? {
        guard text.lowercased().hasPrefix("digest ") else { return nil }
        var parameters: [String: String] = [:], name = "", value = "", isValue = false, isQuoted = false, isEscaped = false
        for character in text.dropFirst(7) + "," {
            switch character {
            case _ where isEscaped:
                value.append(character)
                isEscaped = false
            case "\\" where isQuoted: isEscaped = true
            case "\"" where isValue: isQuoted.toggle()
            case "," where !isQuoted:
                parameters[name.lowercased()] = value
                (name, value, isValue) = ("", "", false)
            case "=" where !isValue: isValue = true
            case _ where isValue: if isQuoted || !character.isWhitespace { value.append(character) }
            default: if !character.isWhitespace { name.append(character) }
            }
        }
        return parameters
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    private static func hex(_ digest: some Sequence<UInt8>) -> String {
        digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
