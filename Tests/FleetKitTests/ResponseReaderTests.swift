import NIOCore
import Testing

@testable import FleetKit

@Suite("Reading a hub's answers")
struct ResponseReaderTests {
    /// All parts of `text`, given in pieces of that many bytes; body parts that follow each other are joined.
    private func parts(_ text: String, piece: Int) throws -> [ResponseReader.Part] {
        var reader = ResponseReader()
        var found: [ResponseReader.Part] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: piece) {
            var buffer = ByteBuffer(bytes: bytes[start..<min(bytes.count, start + piece)])
            reader.append(&buffer)
            while let part = try reader.next() {
                if case .body(var more) = part, case .body(var before)? = found.last {
                    before.writeBuffer(&more)
                    found[found.count - 1] = .body(ByteBuffer(bytes: before.readableBytesView))
                } else if case .body(let body) = part {
                    found.append(.body(ByteBuffer(bytes: body.readableBytesView)))
                } else {
                    found.append(part)
                }
            }
        }
        return found
    }

    @Test("answers with a length, one after the other, in pieces of any size", arguments: [1, 2, 3, 7, 1000])
    func fixed(piece: Int) throws {
        let text = "HTTP/1.1 200 OK\r\nCONTENT-LENGTH: 5\r\nX: y\r\n\r\nhelloHTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n"
        #expect(try parts(text, piece: piece) == [.head(status: 200), .body(ByteBuffer(string: "hello")), .end, .head(status: 404), .end])
    }

    @Test("chunks, as live streams come", arguments: [1, 4, 1000])
    func chunks(piece: Int) throws {
        let text = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\ndata\r\nA;x=y\r\n: 12345678\r\n0\r\n\r\n"
        #expect(try parts(text, piece: piece) == [.head(status: 200), .body(ByteBuffer(string: "data: 12345678")), .end])
    }

    @Test("what is no HTTP is an error", arguments: ["SSH-2.0-OpenSSH_9.2\r\n\r\n", "HTTP/1.1 abc\r\n\r\n", "\r\n\r\n"])
    func garbage(text: String) {
        #expect(throws: FleetError.self) { try parts(text, piece: 1000) }
    }

    @Test("an endless head is an error")
    func endless() {
        #expect(throws: FleetError.self) { try parts("HTTP/1.1 200 OK\r\n" + String(repeating: "x", count: 20_000), piece: 1000) }
    }

    @Test("the times of a live event are found")
    func liveEvent() {
        let line = Array(
            "data: {\"utc\":1,\"provenance\":\"live\",\"hr\":[[17,60,0],[18,61,2]],\"pos\":[[19,47.1,8.2,null,null,null,null]]}".utf8)
        #expect(LiveEvent.times(of: "hr", in: line) == [17, 18])
        #expect(LiveEvent.times(of: "pos", in: line) == [19])
        #expect(LiveEvent.times(of: "events", in: line) == [])
        #expect(LiveEvent.times(of: "hr", in: Array("\"hr\":[[5".utf8)) == [5])
    }
}
