import Accounts
import Foundation
import HubStore
import NIOHTTP1
import Testing

@testable import HubWeb

@Suite struct PhoneCodeTests {
    @Test("DATA-13: OwnTracks is set up by an address with its settings, Traccar Client by the hub's with the secret")
    func addresses() throws {
        let url = "https://hub.example.org:8443"
        let own = try #require(PhoneCode.address(.ownTracks, url: url + "/owntracks", user: "12", secret: "ABCD-EFGH"))
        let text = try #require(own.split(separator: "=", maxSplits: 1).last).replacingOccurrences(of: "%2B", with: "+")
        let bytes = try #require(Data(base64Encoded: text))
        let json = try #require(JSONSerialization.jsonObject(with: bytes) as? [String: Any])
        #expect(own.hasPrefix("owntracks:///config?inline=") && !own.contains("+"))
        #expect(json["_type"] as? String == "configuration" && json["mode"] as? Int == 3 && json["auth"] as? Bool == true)
        #expect(json["url"] as? String == url + "/owntracks" && json["username"] as? String == "12")
        #expect(json["password"] as? String == "ABCD-EFGH")
        #expect(PhoneCode.address(.osmAnd, url: url + "/osmand", user: "12", secret: "ABCD") == url + "/osmand?id=ABCD")
        #expect(PhoneCode.address(.detector, url: url, user: "12", secret: "ABCD") == nil)
    }

    @Test("DATA-13: the page of a new phone shows the code and, on the phone itself, the link", arguments: ["ownTracks", "osmAnd"])
    func page(kind: String) async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org")
            let page = try await web.post("/boxes/devices", ["deviceName": "Phone", "deviceKind": kind], cookie: person.cookie).body
            #expect(page.contains("Settings of the program as a QR code") && page.contains("<svg viewBox=\"-4 -4 65 65\""))
            #expect(page.contains("owntracks:///config?inline=") == (kind == "ownTracks"))
            let secrets = page.matches(of: /<code>((?:[A-Z0-9]{1,4}-)+[A-Z0-9]{1,4})<\/code>/)
            let secret = try #require(secrets.last?.output.1)
            guard kind == "osmAnd" else { return }
            let address = try #require(PhoneCode.address(.osmAnd, url: "/osmand", user: "", secret: String(secret)))
            #expect(try await web.send(.GET, address + "&lat=45.5&lon=9.5&accuracy=5&timestamp=\(Cast.now / 1000)").status == 200)
        }
    }
}
