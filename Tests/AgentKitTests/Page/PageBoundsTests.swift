import Foundation
import Languages
import Logging
import NIOCore
import Seams
import Testing

@testable import AgentKit

@Suite("The page's stream of states, and its bounds", .timeLimit(.minutes(1)))
struct PageBoundsTests {
    @Test("SOS-18: the page hears of each change, afresh while nothing changes, and nothing from a box that hangs")
    func events() async throws {
        var limits = PageServer.Limits()
        limits.quiet = .milliseconds(50)
        let page = try await ServedPage(limits: limits)
        try await page.connection { inbound, outbound in
            try await outbound.write(ByteBuffer(string: "GET /events HTTP/1.1\r\nHost: \(page.host)\r\n\r\n"))
            var iterator = inbound.makeAsyncIterator(), text = ""
            func read(until condition: (String) -> Bool) async throws {
                while !condition(text) { text += String(buffer: try #require(try await iterator.next())) }
            }
            try await read { $0.contains("\"heartRate\":72") }
            #expect(text.contains("content-type: text/event-stream") && text.contains("retry: 1000"))
            page.box.change { $0.persons[0].heartRate = 99 }
            try await read { $0.contains("\"heartRate\":99") }
            try await read { $0.components(separatedBy: "data: ").count > 6 }
            page.box.hang(true)
            // What was under way may still come; then it is silent.
            try await Task.sleep(for: .milliseconds(300))
            page.box.change { $0.version = "marks the silence" }
            try await read { $0.contains("marks the silence") }
            let heard = text.components(separatedBy: "data: ").count
            page.box.hang(false)
            try await read { $0.components(separatedBy: "data: ").count > heard }
            #expect(heard < 30)
        }
        await page.stop()
    }

    @Test("SOS-18: a box that is well says something more often than the page takes silence for its end, however slow its disk is")
    func silence() async throws {
        let script = String(decoding: PackageResources.page_js, as: UTF8.self)
        let match = try #require(script.firstMatch(of: /SILENCE_MAX = (\d+)/))
        let silenceMax = Duration.milliseconds(try #require(Int(match.1)))
        #expect(StatusFeed.quietMax + DeliveryChain.lookMax < silenceMax)
        var heard: [ContinuousClock.Instant] = []
        struct Enough: Error {}
        let box = ScriptedBox()
        do {
            try await StatusFeed.run(box, on: .system) { _ in
                heard.append(ContinuousClock.now)
                // The first two are news, the one after them is asked for.
                if heard.count == 1 { box.change { $0.time += 1 } }
                if heard.count == 3 { throw Enough() }
            }
        } catch is Enough {}
        let gap = try #require(heard.last) - heard[1]
        #expect(gap + DeliveryChain.lookMax < silenceMax, "\(gap)")
    }

    @Test("One connection serves several requests")
    func keepAlive() async throws {
        let page = try await ServedPage()
        try await page.connection { inbound, outbound in
            var iterator = inbound.makeAsyncIterator(), text = ""
            for count in 1...3 {
                try await outbound.write(ByteBuffer(string: "GET /status HTTP/1.1\r\nHost: \(page.host)\r\n\r\n"))
                while text.components(separatedBy: "\"version\"").count <= count {
                    text += String(buffer: try #require(try await iterator.next()))
                }
            }
            #expect(text.components(separatedBy: "HTTP/1.1 200 OK").count == 4)
        }
        await page.stop()
    }

    @Test("A body that is too long, what is no HTTP, and who says nothing, are not kept")
    func bounds() async throws {
        var limits = PageServer.Limits()
        limits.idle = .seconds(1)
        limits.slow = .seconds(1)
        let page = try await ServedPage(limits: limits)
        #expect(try await page.post(String(repeating: "x", count: 5000)).status == 413)
        #expect(try await page.raw("what is this\r\n\r\n").status == 400)
        #expect(try await page.raw("").status == 0)
        let head = "POST /act HTTP/1.1\r\nHost: \(page.host)\r\nOrigin: http://\(page.host)\r\nContent-Type: application/json\r\n"
        #expect(try await page.raw(head + "Content-Length: 15\r\n\r\n{\"acti").status == 0)
        #expect(page.box.requests == [])
        await page.stop()
    }

    @Test("One connection too many is told so, and leaves the others alone")
    func crowd() async throws {
        var limits = PageServer.Limits()
        limits.connections = 1
        let page = try await ServedPage(limits: limits)
        try await page.connection { inbound, outbound in
            var iterator = inbound.makeAsyncIterator()
            try await outbound.write(ByteBuffer(string: "GET /events HTTP/1.1\r\nHost: \(page.host)\r\n\r\n"))
            #expect(try await iterator.next() != nil)
            #expect(try await page.get("/").status == 503)
            #expect(try await iterator.next() != nil)
        }
        #expect(try await eventually { try await page.get("/").status == 200 })
        await page.stop()
    }

    @Test("A port that is taken is told, and the page comes when it is free")
    func taken() async throws {
        let page = try await ServedPage()
        let (told, continuation) = AsyncStream.makeStream(of: String.self)
        let second = PageServer(
            control: page.box, port: page.port, language: .english, group: ServedPage.group,
            logger: .init(label: "test", factory: { _ in ToldLog(continuation) }))
        let served = Served { try await second.run() }
        for await message in told {
            #expect(message.contains("http://127.0.0.1:\(page.port)") && message.contains("ss -ltnp"))
            break
        }
        await served.stop()
        await page.stop()
    }
}
