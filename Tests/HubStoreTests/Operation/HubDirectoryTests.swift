import Foundation
import TestSupport
import Testing

@testable import HubStore

@Suite(.timeLimit(.minutes(1)))
struct HubDirectoryTests {
    @Test(
        "OPS-2: a directory belongs to one hub, and is free as soon as that is over, though a program that is being started has the descriptor"
    )
    func lock() throws {
        let directory = try TemporaryDirectory(), files = try HubDirectory(directory.url)
        var held: DirectoryLock? = try files.lock()
        #expect(throws: HubStoreError.self) { try files.lock() }
        let inherited = dup(try #require(openDescriptor(of: files.path("lock"))))
        defer { close(inherited) }
        #expect(held != nil && inherited >= 0)
        held = nil
        _ = try files.lock()
    }
}
