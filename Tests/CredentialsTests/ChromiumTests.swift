import Testing

@testable import Credentials

/// What Chromium 156 with its virtual authenticator answered to the options that ``PasskeyOptions`` wrote, at https://localhost:8755.
@Suite("Passkeys: a real browser's answers")
struct ChromiumTests {
    static let created =
        """
        {"authenticatorAttachment":"platform","clientExtensionResults":{},"id":"elLW1d__o_kDnN9ZaUIV8_4FdBhoVqD_7K4P9xpwB7I","\
        rawId":"elLW1d__o_kDnN9ZaUIV8_4FdBhoVqD_7K4P9xpwB7I","response":{"attestationObject":"o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRo\
        RGF0YVikSZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2NFAAAAAQECAwQFBgcIAQIDBAUGBwgAIHpS1tXf_6P5A5zfWWlCFfP-BXQYaFag_-yuD_\
        cacAeypQECAyYgASFYINUDNgPPxBPoLZOJdFsvjcFV9ZdiwgtjqvvZnphMtdzKIlggMId0vNbKBBAUXTIKX3t-ELJqS3A0FMvSdBORlQSc6dU","authen\
        ticatorData":"SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2NFAAAAAQECAwQFBgcIAQIDBAUGBwgAIHpS1tXf_6P5A5zfWWlCFfP-BXQYaFag\
        _-yuD_cacAeypQECAyYgASFYINUDNgPPxBPoLZOJdFsvjcFV9ZdiwgtjqvvZnphMtdzKIlggMId0vNbKBBAUXTIKX3t-ELJqS3A0FMvSdBORlQSc6dU","\
        clientDataJSON":"eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIiwiY2hhbGxlbmdlIjoiWmNuUkUyU1RKUnp2aUVGVUFwNjVYaWFSU3BsR3drZjlkaHlXQ\
        1dqZTJMMCIsIm9yaWdpbiI6Imh0dHBzOi8vbG9jYWxob3N0Ojg3NTUiLCJjcm9zc09yaWdpbiI6ZmFsc2V9","publicKey":"MFkwEwYHKoZIzj0CAQYI\
        KoZIzj0DAQcDQgAE1QM2A8_EE-gtk4l0Wy-NwVX1l2LCC2Oq-9memEy13Mowh3S81soEEBRdMgpfe34QsmpLcDQUy9J0E5GVBJzp1Q","publicKeyAlgo\
        rithm":-7,"transports":["internal"]},"type":"public-key"}
        """

    static let got =
        """
        {"authenticatorAttachment":"platform","clientExtensionResults":{},"id":"elLW1d__o_kDnN9ZaUIV8_4FdBhoVqD_7K4P9xpwB7I","\
        rawId":"elLW1d__o_kDnN9ZaUIV8_4FdBhoVqD_7K4P9xpwB7I","response":{"authenticatorData":"SZYN5YgOjGh0NBcPZHZgW4_krrmihjLH\
        mVzzuoMdl2MFAAAAAg","clientDataJSON":"eyJ0eXBlIjoid2ViYXV0aG4uZ2V0IiwiY2hhbGxlbmdlIjoid01VYUg0QlVYak4tM1FhZkRMOEdraWFt\
        cE5ZMlE2ckJCTEg2YUI0ZUc4SSIsIm9yaWdpbiI6Imh0dHBzOi8vbG9jYWxob3N0Ojg3NTUiLCJjcm9zc09yaWdpbiI6ZmFsc2V9","signature":"MEQ\
        CIAsyE0BlDQT56KeHhwVDWDGoqu_v1mwXL-DMudrH5gqUAiBoHSqULtI-WTEvGxL2DFsneXHaFhdgIdztWaR2BG2Htw","userHandle":"YWNjb3VudC0\
        x"},"type":"public-key"}
        """

    static func challenge(_ purpose: PasskeyChallenge.Purpose, _ text: String) throws -> PasskeyChallenge {
        PasskeyChallenge(purpose: purpose, bytes: try #require(Base64.bytes(url: text)), expires: 1)
    }

    @Test("ACC-9: Chromium's registration and log-in are taken")
    func answers() throws {
        let party = try RelyingParty(host: "localhost", port: 8755)
        let passkey = try PasskeyRegistration(json: Array(Self.created.utf8)).passkey(
            challenge: Self.challenge(.registration, "ZcnRE2STJRzviEFUAp65XiaRSplGwkf9dhyWCWje2L0"), relyingParty: party,
            requiresVerification: true)
        #expect(passkey.transports == ["internal"])
        #expect(passkey.signCount == 1)
        let assertion = try PasskeyAssertion(json: Array(Self.got.utf8))
        let used = try assertion.check(
            passkey, of: .init(userHandle: Array("account-1".utf8), wasNamed: false),
            challenge: Self.challenge(.assertion, "wMUaH4BUXjN-3QafDL8GkiampNY2Q6rBBLH6aB4eG8I"), relyingParty: party,
            requiresVerification: true)
        #expect(used.signCount == 2)
    }
}
