internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// The failure on the way, for the person who set it up.
enum SIPProblem {
    static func text(_ error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError:
            if let first = error.connectionErrors.first { return text(first.error) }
            return error.dnsAError == nil && error.dnsAAAAError == nil ? "no connection" : "there is no such name"
        case is ChannelError: return "no connection within \(SIPSender.connectSeconds) s"
        case is SocketAddressError, is SocketAddressError.UnknownHost: return "there is no such name"
        case let error as NIOSSLExtraError:
            return error == .failedToValidateHostname ? "its certificate is for another name" : String(error.description.prefix(120))
        case NIOSSLError.handshakeFailed(let inner): return handshake("\(inner)")
        case let error as IOError:
            switch error.errnoCode {
            case 111: return "nobody listens there"
            case 101, 113: return "there is no way there"
            case 90: return "the message is too large for a datagram"
            default: return String(error.description.prefix(120))
            }
        default: return String("\(error)".prefix(120))
        }
    }

    private static func handshake(_ words: String) -> String {
        if words.contains("CERTIFICATE_VERIFY_FAILED") {
            return "its certificate is not from an authority that is trusted here, or has run out"
        }
        return "no TLS: \(words.prefix(100))"
    }

    static func advice(_ text: String) -> String {
        switch text {
        case "nobody listens there": "check address, port and transport, and that the control room's server runs"
        case "there is no way there": "check this machine's network"
        case "there is no such name": "check the name, or set an address, which needs no name service"
        case "its certificate is for another name": "set the name that its certificate has"
        case _ where text.contains("certificate"): "set the file with the control room's authority"
        default: "check address, port and transport; it is tried again"
        }
    }
}
