import HubServices
import Testing

@testable import HubWeb

struct ConnectionLimitTests {
    @Test(
        "DATA-11: connections leave files for databases, logs and all posts to webhooks, whatever is set",
        arguments: [(0, 524_288, 523_776), (0, 1024, 512), (0, 0, 64), (100, 1024, 100), (5000, 1024, 512), (3, 256, 3)])
    func files(set: Int, files: Int, most: Int) {
        var listen = HubConfiguration.Listen()
        listen.connections = set
        #expect(listen.connectionsMax(files: files) == most)
        #expect(files < 1024 || files - most >= 256 + DeliveryLimits.totalMax)
    }
}
