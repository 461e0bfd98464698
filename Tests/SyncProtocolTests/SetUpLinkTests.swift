import SyncProtocol
import Testing

/// The link from the hub's page to the page of a box that is set up.
struct SetUpLinkTests {
    private static let fingerprint = (0..<32).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 200) }

    @Test(
        "EDGE-14: a link holds code, fingerprint and hub behind the #, and gives them back",
        arguments: ["https://hub.example", "https://hub.example:8443", "https://[2001:db8::1]:8443", "http://127.0.0.1:8080"],
        [fingerprint, nil])
    func thereAndBack(hub: String, fingerprint: [UInt8]?) throws {
        let link = SetUpLink(code: "ABCDEFGH", fingerprint: fingerprint, hub: hub)
        #expect(SetUpLink(fragment: link.fragment) == link)
        let parts = link.address.split(separator: "#", maxSplits: 1)
        #expect(parts[0] == "http://trackme.local:7358/" && parts[1] == link.fragment, "the server of the page learns nothing")
    }

    @Test("the fingerprint is written in base64url (RFC 4648, section 5)")
    func base64() {
        // printf of the 32 bytes, through: base64 | tr +/ -_ | tr -d =
        let bytes = [0xFB, 0xFF, 0xBF] + [UInt8](repeating: 0, count: 29)
        let link = SetUpLink(code: "ABCDEFGH", fingerprint: bytes, hub: "https://hub.example")
        #expect(link.fragment == "ABCDEFGH.-_-_" + String(repeating: "A", count: 39) + ".hub.example")
    }

    @Test(
        "what is no link is refused",
        arguments: [
            "", "ABCDEFGH", "ABCDEFGH.hub.example", "ABCDEFGH..", ".AAAA.hub.example", "ABCDEFGH.AAAA.hub.example",
            "ABCDEFGH.+/+/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA.hub.example", "ABCDEFGH..\(String(repeating: "h", count: 600))",
        ])
    func refused(fragment: String) { #expect(SetUpLink(fragment: fragment) == nil) }
}
