import Foundation
import NIOHTTP1
import TestSupport
import Testing

@testable import HubServices
@testable import HubWeb

struct EmbeddedFilesTests {
    @Test("every file of Assets is embedded as it lies there; packaging/assets lists them")
    func whole() throws {
        let folder = Repository.url("Sources/Hub/HubWeb/Assets")
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).map { folder.appending(path: $0) }
            .filter { !$0.pathExtension.isEmpty }
        #expect(files.map(\.lastPathComponent).sorted() == EmbeddedFiles.all.keys.sorted(), "run packaging/assets")
        for file in files {
            #expect(try EmbeddedFiles.all[file.lastPathComponent] == [UInt8](Data(contentsOf: file)), "\(file.lastPathComponent)")
        }
    }

    @Test("a script goes out packed to whoever takes gzip, and as it is to others")
    func packed() async throws {
        let name = "trackme.css", plain = try #require(EmbeddedFiles.all[name])
        // RFC 1952, 2.3: ten bytes of header without a name.
        let packed = try #require(Gzip.packed(plain))
        var unpacked: [UInt8] = []
        #expect(try Inflate().unpack(Array(packed.dropFirst(10))) { unpacked += $0 })
        #expect(unpacked == plain && packed.count * 3 < plain.count)
        try await WebFixture.run { web in
            let taken = try await web.send(.GET, "/assets/" + name, headers: [("accept-encoding", "br, gzip")])
            #expect(taken.header("content-encoding") == "gzip" && taken.header("vary") == "Accept-Encoding")
            let other = try await web.send(.GET, "/assets/" + name)
            #expect(other.header("content-encoding") == nil && Array(other.body.utf8) == plain)
        }
    }
}
