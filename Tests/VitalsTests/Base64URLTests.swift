import Testing
import Vitals

struct Base64URLTests {
    @Test(
        "the examples of RFC 4648, section 10, without padding, and the two characters of base64url",
        arguments: [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"), ("foobar", "Zm9vYmFy"),
            ("?>~", "Pz5-"), ("??>", "Pz8-"), ("???", "Pz8_"),
        ])
    func examples(plain: String, text: String) {
        #expect(Base64URL.text(plain.utf8) == text)
        #expect(Base64URL.bytes(text) == Array(plain.utf8))
    }

    @Test("every byte at every place comes back, with padding as well")
    func thereAndBack() {
        for count in 1...4 {
            for byte in UInt8.min...UInt8.max {
                let bytes = [UInt8](repeating: byte, count: count), text = Base64URL.text(bytes)
                #expect(Base64URL.bytes(text) == bytes)
                #expect(Base64URL.bytes(text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)) == bytes)
            }
        }
    }

    @Test("what no bytes are written as is refused", arguments: ["+/+/", "A", "AAAAA", "Zh", "Zm9", "Zg==Zg", "Zm 9", "Zé", "Zm\n"])
    func refused(text: String) { #expect(Base64URL.bytes(text) == nil) }
}
