import BlueZ
import Foundation
import NIOCore
import SyncProtocol
import TestSupport
import Testing
import Vitals

@testable import AgentKit

@Suite("The set-up page of a box", .timeLimit(.minutes(1)))
struct SetUpTests {
    @Test("EDGE-14, EDGE-16: the page leads from the link over the words to the sensors, and closes when the person is done")
    func wholeWay() async throws {
        let page = try await ServedSetUp()
        let shown = try await page.get("/", "Accept-Language: it\r\n")
        #expect(shown.status == 200 && shown.body.contains("<html lang=\"it\">") && !shown.body.contains("{{"))
        #expect(shown.headers["content-security-policy"]?.contains("default-src 'none'") == true)
        for name in ["setup.js", "words.js", "style.css"] { #expect(try await page.get("/\(name)").status == 200) }
        let cookie = try await page.begin()
        #expect(try await page.reaches(.compare, cookie: cookie))
        #expect(try await page.shown(cookie: cookie).words == "babab-dodod")
        #expect(try await page.get("/sensors", "Cookie: \(cookie)\r\n").status == 503, "not enrolled")
        #expect(try await page.post("/confirm", "{\"words\":\"other-words\"}", cookie: cookie).status == 200)
        #expect(try await page.shown(cookie: cookie).stage == "compare", "not these words")
        _ = try await page.post("/confirm", "{\"words\":\"babab-dodod\"}", cookie: cookie)
        #expect(try await page.shown(cookie: cookie).stage == "waiting", "confirmed at the box alone")
        _ = try await page.post("/finish", "{}", cookie: cookie)
        #expect(try await page.shown(cookie: cookie).stage == "waiting")
        page.pairing.confirm()
        #expect(try await page.reaches(.enrolled, cookie: cookie))
        let scan = try await page.post("/sensors", "{\"action\":\"sensors-scan\"}", cookie: cookie)
        #expect(scan.status == 200 && scan.body.contains("\"isDone\":false"), "no agent runs here")
        _ = try await page.post("/finish", "{}", cookie: cookie)
        try await page.closed()
    }

    @Test("EDGE-16: settings of an earlier box are offered once the words were confirmed, and taken over when the person says so")
    func takenOver() async throws {
        let page = try await ServedSetUp(kept: [.sample])
        let cookie = try await page.begin()
        #expect(try await page.reaches(.compare, cookie: cookie))
        _ = try await page.post("/take", "{\"offer\":0}", cookie: cookie)
        _ = try await page.post("/confirm", "{\"words\":\"babab-dodod\"}", cookie: cookie)
        #expect(try await !page.get("/state", "Cookie: \(cookie)\r\n").body.contains("Kitchen"), "not before both sides confirmed")
        page.pairing.confirm()
        #expect(try await page.reaches(.offered, cookie: cookie))
        let shown = try await page.get("/state", "Cookie: \(cookie)\r\n").body
        #expect(shown.contains("Kitchen") && shown.contains("Strap of Ada") && shown.contains("kept.not.button"))
        #expect(try await page.get("/state").status == 403)
        var isOffering = await page.setUp.isOffering
        #expect(isOffering, "the agent waits with its start")
        _ = try await page.post("/take", "{\"offer\":7}", cookie: cookie)
        #expect(try await page.shown(cookie: cookie).stage == "offered")
        _ = try await page.post("/take", "{\"offer\":0}", cookie: cookie)
        #expect(try await page.shown(cookie: cookie).stage == "enrolled")
        isOffering = await page.setUp.isOffering
        #expect(!isOffering)
        let settings = BoxSettings.load(from: try StateDirectory(page.directory.url.path)).settings[PersonID(high: 1, low: 1)]
        #expect(settings.sensorName == "Strap of Ada" && settings.kinds == Kinds(heartRate: true, position: false))
        await page.stop()
    }

    @Test("EDGE-16: who begins anew takes over nothing")
    func begunAnew() async throws {
        let page = try await ServedSetUp(kept: [.sample])
        let cookie = try await page.begin()
        #expect(try await page.reaches(.compare, cookie: cookie))
        _ = try await page.post("/confirm", "{\"words\":\"babab-dodod\"}", cookie: cookie)
        page.pairing.confirm()
        #expect(try await page.reaches(.offered, cookie: cookie))
        _ = try await page.post("/take", "{}", cookie: cookie)
        #expect(try await page.shown(cookie: cookie).stage == "enrolled")
        #expect(try FileManager.default.contentsOfDirectory(atPath: page.directory.url.path).filter { $0.hasSuffix(".json") }.isEmpty)
        await page.stop()
    }

    @Test("EDGE-14, EDGE-16: once a browser has begun all others are sent away, until the page is opened anew")
    func strangers() async throws {
        let page = try await ServedSetUp()
        let cookie = try await page.begin()
        #expect(try await page.reaches(.compare, cookie: cookie))
        for stranger in ["", "Cookie: trackme-setup=00000000000000000000000000000000\r\n"] {
            for path in ["/", "/state", "/sensors", "/setup.js"] { #expect(try await page.get(path, stranger).status == 403, "\(path)") }
            let own = "Origin: http://\(page.host)\r\n" + stranger
            for path in ["/begin", "/confirm", "/refuse", "/sensors", "/finish"] {
                let body = "{\"words\":\"babab-dodod\",\"link\":\"ABCDEFGH..hub.example\",\"action\":\"sensors-scan\"}"
                #expect(try await page.post(path, body, own).status == 403, "\(path)")
            }
        }
        #expect(try await page.shown(cookie: cookie).stage == "compare")
        await page.setUp.open()
        #expect(try await page.get("/").status == 200)
        #expect(try await page.shown(cookie: "none=1").stage == "open", "what was begun before is forgotten")
        await page.stop()
    }

    @Test("EDGE-14, EDGE-16: what the hub refuses is said, and can be tried again, ten times at most")
    func refused() async throws {
        let page = try await ServedSetUp(refusal: AgentProblem("used", advice: "Again", kind: .setUpCode))
        let cookie = try await page.begin()
        #expect(try await page.reaches(.open, cookie: cookie))
        #expect(try await page.shown(cookie: cookie).problem == "refusal.setUpCode")
        for _ in 1...SetUpWindow.triesMax {
            _ = try await page.post("/begin", "{\"hub\":\"hub.example\",\"code\":\"ABCDEFGH\"}", cookie: cookie)
        }
        #expect(try await page.shown(cookie: cookie).problem == "refusal.setUpTries")
        await page.stop()
    }

    @Test("EDGE-14, EDGE-16: \"no, stop\" ends it, and the hub's confirmation comes too late")
    func stopped() async throws {
        let page = try await ServedSetUp()
        let cookie = try await page.begin()
        #expect(try await page.reaches(.compare, cookie: cookie))
        _ = try await page.post("/confirm", "{\"words\":\"babab-dodod\"}", cookie: cookie)
        _ = try await page.post("/refuse", "{}", cookie: cookie)
        page.pairing.confirm()
        #expect(try await page.shown(cookie: cookie).stage == "open")
        await page.stop()
    }
}

@Suite("What keeps others out of the set-up page", .timeLimit(.minutes(1)))
struct SetUpGuardTests {
    @Test("DNS rebinding: another name for this machine is refused", arguments: ["evil.example", "evil.example:{port}", "127.0.0.1:1", ""])
    func hosts(host: String) async throws {
        let page = try await ServedSetUp()
        let name = host.split(separator: "{port}", omittingEmptySubsequences: false).joined(separator: "\(page.port)")
        for path in ["/", "/state"] { #expect(try await page.get(path, host: name).status == 421, "\(path)") }
        #expect(try await page.get("/", host: "\(SetUpLink.host):\(page.port)").status == 200)
        await page.stop()
    }

    @Test("Another page's request does nothing, and what cannot be read neither")
    func foreign() async throws {
        let page = try await ServedSetUp()
        let begin = "{\"link\":\"ABCDEFGH..hub.example\"}"
        for headers in ["", "Origin: http://evil.example\r\n", "Origin: null\r\n", "Origin: https://\(page.host)\r\n"] {
            #expect(try await page.post("/begin", begin, headers).status == 403)
        }
        #expect(try await page.get("/state", "Origin: http://evil.example\r\n").status == 403)
        #expect(try await page.get("/", "Origin: http://evil.example\r\n").status == 200, "a link may lead here")
        for type in ["text/plain", "application/x-www-form-urlencoded"] {
            #expect(try await page.post("/begin", begin, type: type).status == 415)
        }
        for (path, body) in [
            ("/begin", "{\"link\":\"what\"}"), ("/begin", "{}"), ("/begin", "["), ("/other", "{}"),
            ("/sensors", "{\"action\":\"help\"}"), ("/sensors", "{\"action\":\"sensors-use\",\"address\":\"what\"}"),
            ("/sensors", "{\"action\":\"sensors-use\"}"),
        ] { #expect(try await page.post(path, body).status == 400, "\(path) \(body)") }
        #expect(try await page.post("/begin", String(repeating: " ", count: 5000)).status == 413)
        #expect(try await page.get("/../etc/passwd").status == 404)
        #expect(try await page.shown(cookie: "none=1").stage == "open")
        await page.stop()
    }

    @Test(
        "Only networks that are not the Internet's are answered",
        arguments: [
            ("192.168.1.20", true), ("10.0.0.1", true), ("172.16.0.1", true), ("172.31.255.1", true), ("169.254.3.4", true),
            ("127.0.0.1", true), ("172.32.0.1", false), ("8.8.8.8", false), ("192.169.0.1", false), ("::1", false),
        ])
    func networks(address: String, isNear: Bool) throws {
        #expect(try SetUpServer.isNear(SocketAddress(ipAddress: address, port: 1)) == isNear)
        #expect(!SetUpServer.isNear(nil))
    }

    @Test("EDGE-14, EDGE-16: the page is open for half an hour, and for ten codes of the browser that began")
    func window() {
        var window = SetUpWindow(at: .seconds(100))
        #expect(window.isOpen(at: .seconds(100)) && window.isOpen(at: .seconds(1899)) && !window.isOpen(at: .seconds(1900)))
        #expect(window.lets(nil) && window.lets("ada"))
        let taken = ["ada", "eve"].map { window.tryCode($0) }
        #expect(taken == [true, true] && window.owner == "ada")
        #expect(window.lets("ada") && !window.lets("eve") && !window.lets(nil))
        let more = (3...SetUpWindow.triesMax + 1).map { _ in window.tryCode("ada") }
        #expect(more.dropLast().allSatisfy(\.self) && more.last == false)
    }

    @Test(
        "EDGE-14: code and hub are taken from the link or from what was typed",
        arguments: [
            ("{\"link\":\"ABCDEFGH..hub.example\",\"name\":\" my box \"}", "https://hub.example", "my box"),
            ("{\"hub\":\" hub.example:8443 \",\"code\":\"ABCDEFGH\"}", "https://hub.example:8443", "this"),
            ("{\"hub\":\"https://hub.example\",\"code\":\"ABCDEFGH\"}", "https://hub.example", "this"),
        ])
    func acts(body: String, hub: String, name: String) {
        let request = BoxPairing.Request(hub: hub, code: "ABCDEFGH", fingerprint: nil, name: name)
        #expect(SetUpAct(path: "/begin", body: Array(body.utf8), name: "this") == .begin(request))
    }

    @Test("EDGE-1: of what the sensors measure the page shows the heart rate alone")
    func sensors() throws {
        var status = BoxStatus.sample
        status.persons[0].sensor = .init(address: try #require(SensorAddress("C4:01:02:03:04:05")), name: "Strap", isConnected: true)
        status.persons[0].heartRate = 72
        let sensors = SetUpSensors(status).sensors
        #expect(sensors.first { !$0.isBeside }?.heartRate == 72 && sensors.first?.name == "Strap")
        let text = String(decoding: try JSONEncoder().encode(SetUpSensors(status)), as: UTF8.self)
        #expect(!text.contains("latitude") && !text.contains(status.persons[0].name))
    }
}
