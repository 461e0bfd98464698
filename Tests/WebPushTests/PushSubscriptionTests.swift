import Crypto
import Foundation
import TestSupport
import Testing

@testable import WebPush

@Suite("Push subscriptions")
struct PushSubscriptionTests {
    @Test("ACC-15: a browser's subscription is read")
    func good() throws {
        var browser = TestBrowser()
        let subscription = try browser.subscription()
        #expect(subscription.endpoint == browser.endpoint)
        #expect(subscription.origin == "https://push.example.net")
        #expect(subscription.publicKey == Array(browser.key.publicKey.x963Representation))
        #expect(subscription.secret == browser.secret)
        #expect(subscription.expires == nil)
        #expect(try PushSubscription(json: browser.json("")).expires == nil)
        #expect(try PushSubscription(json: browser.json(",\"expirationTime\":1800000000000.5,\"more\":[]")).expires == 1_800_000_000_001)
        #expect("\(subscription) \([subscription])".contains("PushSubscription(https://push.example.net)"))
        #expect(!"\(subscription) \([subscription])".contains("abc"), "who has the endpoint can send")
        browser.endpoint = "https://localhost:8443/push"
        #expect(try browser.subscription().origin == "https://localhost:8443")
        browser.endpoint = "https://Push.Example.NET:443/x"
        #expect(try browser.subscription().origin == "https://push.example.net")
    }

    @Test(
        "ACC-15: an endpoint that is none is refused",
        arguments: [
            "", "push", "http://push.example.net/x", "ftp://push.example.net/x", "javascript:alert(1)", "https:///x", "https://",
            "https://user@push.example.net/x", "https://user:word@push.example.net/x", "https://push.example.net/x#y",
            "https://push.example.net:0/x", "https://push.example.net:70000/x", "https://push.example.net/a b", "https://pùsh.example/x",
            "https://push%2eexample.net/x", "https://push.example.net\\\\@evil.example/x",
            "https://push.example.net/" + String(repeating: "a", count: 2048),
        ])
    func endpoints(endpoint: String) {
        var browser = TestBrowser()
        browser.endpoint = endpoint
        expectRefused("endpoint") { try browser.subscription() }
    }

    @Test("ACC-15: keys that are none are refused")
    func keys() throws {
        let good = try TestBrowser().subscription()
        func with(key: [UInt8]? = nil, secret: [UInt8]? = nil) throws -> PushSubscription {
            try PushSubscription(endpoint: good.endpoint, publicKey: key ?? good.publicKey, secret: secret ?? good.secret)
        }
        #expect(try with() == good)
        var offCurve = good.publicKey
        offCurve[64] ^= 1
        let compressed = Array(P256.KeyAgreement.PrivateKey().publicKey.compressedRepresentation)
        for key in [[], offCurve, compressed, Array(good.publicKey.dropLast()), good.publicKey + [0], [UInt8](repeating: 0, count: 65)] {
            expectRefused("p256dh") { try with(key: key) }
        }
        for count in [0, 15, 17, 1000] { expectRefused("auth") { try with(secret: [UInt8](repeating: 1, count: count)) } }
    }

    @Test("ACC-15: JSON that is no subscription, or too much of it, is refused")
    func json() {
        let browser = TestBrowser()
        for text in ["", "{}", "[]", #"{"endpoint":"https://push.example.net/x"}"#, #"{"endpoint":1,"keys":{}}"#] {
            expectRefused("JSON") { try PushSubscription(json: Array(text.utf8)) }
        }
        expectRefused("JSON") { try PushSubscription(json: browser.json(",\"more\":\"\(String(repeating: "x", count: 8192))\"")) }
        let text = String(decoding: browser.json(), as: UTF8.self).replacing("\"auth\":\"", with: "\"auth\":\"+/")
        expectRefused("keys") { try PushSubscription(json: Array(text.utf8)) }
    }

    private func expectRefused(_ field: String, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> PushSubscription) {
        #expect(sourceLocation: sourceLocation) {
            _ = try body()
        } throws: { error in
            guard case .badSubscription(let refused, _) = error as? PushProblem else { return false }
            return refused == field
        }
    }
}
