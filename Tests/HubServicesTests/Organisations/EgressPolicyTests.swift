import Testing

@testable import HubServices

struct OutsideAddressTests {
    @Test(
        "CONS-5: the hub connects to no address of its own network, in whatever form it comes",
        arguments: [
            "0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.255.255.254", "169.254.169.254", "172.16.0.1", "172.31.255.255",
            "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9",
            "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
            "::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1",
            "100::1", "2001::1", "2001:db8::1", "2002:7f00:1::", "2002:808:808::1", "3fff::1", "4000::1", "5f00::1", "fc00::1", "fd12::1",
            "fe80::1", "fec0::1", "ff02::1",
        ])
    func inside(text: String) throws {
        #expect(!EgressPolicy().isOutside(try #require(IPAddress(text))))
    }

    @Test(
        "CONS-5: public addresses are outside",
        arguments: [
            "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0", "172.15.255.255",
            "172.32.0.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255",
            "2606:4700:4700::1111", "2a00:1450::1", "2001:4860:4860::8888", "::ffff:1.1.1.1", "64:ff9b::101:101",
        ])
    func outside(text: String) throws {
        #expect(EgressPolicy().isOutside(try #require(IPAddress(text))))
    }

    @Test("CONS-5: what the operator lets in is let in, and nothing beside it")
    func allowed() throws {
        let networks = ["10.8.0.0/14", "127.0.0.1", "fd00::/8"].compactMap { IPNetwork($0) }
        #expect(networks.count == 3)
        let addresses = EgressPolicy(allowed: networks)
        for text in ["10.8.0.0", "10.11.255.255", "127.0.0.1", "::ffff:127.0.0.1", "fdff::1", "1.1.1.1"] {
            #expect(addresses.isOutside(try #require(IPAddress(text))))
        }
        for text in ["10.7.255.255", "10.12.0.0", "127.0.0.2", "::1", "fc00::1", "192.168.0.1"] {
            #expect(!addresses.isOutside(try #require(IPAddress(text))))
        }
        for text in ["", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/x", "::/129", "example.org", "10.0.0/8", "1.1.1.1/8/8"] {
            #expect(IPNetwork(text) == nil)
        }
    }

    @Test("CONS-5: an address on the web is https, names a host fully, and carries nothing else")
    func urls() {
        func problem(_ text: String) -> OutsideURL.Problem? {
            do {
                _ = try OutsideURL(text)
                return nil
            } catch { return error }
        }
        for text in [
            "https://a.example", "https://a.example:8443/x?y=1", "https://1.1.1.1/", "https://[2606:4700::1]/", "HTTPS://A.Example/X",
        ] {
            #expect(problem(text) == nil)
        }
        #expect(problem("http://a.example") == .notHTTPS)
        #expect(problem("ftp://a.example") == .notHTTPS)
        #expect(problem("https+unix://%2Frun%2Fx") == .notHTTPS)
        for text in ["https://u@a.example", "https://u:p@a.example", "https://a.example/#x", "https://1.1.1.1@127.0.0.1/"] {
            #expect(problem(text) == .extras)
        }
        for text in [
            "https://", "https:///x", "https://localhost", "https://127.1", "https://2130706433", "https://0x7f.1", "https://0177.0.0.1",
            "https://a.example.", "https://-a.example", "https://a..example", "https://a.example:0", "https://a.example:99999",
            "https://[fe80::1%25lo]/", "https://127.0.0.1.",
        ] {
            let found = problem(text)
            #expect(found == .host || found == .unreadable, "\(text)")
        }
        for text in ["https://a.example/ x", "https://a.example\\@b.example", "https://\u{e4}.example", "https://a.example/\r\nx"] {
            #expect(problem(text) == .unreadable)
        }
        #expect(problem("") == .notHTTPS)
        #expect((try? OutsideURL("https://a%2eexample/"))?.text == "https://a.example/")
        #expect((try? OutsideURL("HTTPS://A.Example/X"))?.text == "https://a.example/X")
    }

    @Test("CONS-5: the signature is HMAC-SHA256 over the time, a point and the body")
    func signature() {
        // printf '1700000000.{}' | openssl dgst -sha256 -hmac key
        #expect(
            Webhooks.signature(of: Array("{}".utf8), secret: "key", seconds: 1_700_000_000)
                == "t=1700000000,v1=9d713ed406bb7076d4123f0dc2c39d2df5c654ed4b0cd56b52c8b4c940bd63ae")
    }

    @Test("CONS-5: pauses grow from 5 s to an hour, and a day has more than 20 tries")
    func pauses() {
        #expect([0, 1, 2, 9, 10, 1000].map(WebhookService.pause) == [5000, 10_000, 20_000, 2_560_000, 3_600_000, 3_600_000])
    }
}
