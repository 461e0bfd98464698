import Credentials
import Crypto
import Testing
import Vitals

@testable import HubWeb

@Suite struct SecurityQRCodeTests {
    @Test("ACC-9: the key of one-time codes is drawn as a QR code that readers read")
    func known() throws {
        let text = "otpauth://totp/TrackMe:ada%40example.org?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=TrackMe"
        let code = try #require(QRCode(text))
        // The browser test reads codes with zbarimg; this one stays the picture that it was.
        #expect(
            Hexadecimal.string(SHA256.hash(data: Array(code.path.utf8)))
                == "44f97870ddd991b5b974e9531d6decee42a8035997837e8c3c2ed09e1b319c24")
        #expect(QRCode(String(repeating: "é", count: 67)) != nil && QRCode(String(repeating: "x", count: 135)) == nil)
    }

    @Test("DATA-13: the settings of a phone's program are drawn as a larger one")
    func large() throws {
        // Held against the codes of two other programs, at 135, 200 and 271 bytes.
        let text = "owntracks:///config?inline=" + String(repeating: "eyJfdHlwZSI6", count: 16)
        let code = try #require(QRCode(text, .large))
        #expect(
            Hexadecimal.string(SHA256.hash(data: Array(code.path.utf8)))
                == "3e3d816b65c30ac0c0c3703a9da7b950bda9d556150ae1582f6cbf42e59d6fe4")
        #expect(QRCode(String(repeating: "x", count: 271), .large) != nil && QRCode(String(repeating: "x", count: 272), .large) == nil)
    }

    @Test("ACC-9: who has a long address has a code to scan too")
    func long() {
        let email = "maria.elisabetta.made-up-family@post.example.org"
        #expect(QRCode(OneTimeSecret.random().address(issuer: "TrackMe", account: email)) != nil)
    }
}
