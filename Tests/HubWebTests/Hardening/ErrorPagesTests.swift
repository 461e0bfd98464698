import HubServices
import HubStore
import Hummingbird
import HummingbirdTesting
import Logging
import Testing
import Vitals

@testable import HubWeb

@Suite struct ErrorPagesTests {
    @Test("RUN-10: where too many look at results at once a page says so, and when to come again")
    func crowded() async throws {
        let router = Router(context: HubContext.self)
        router.add(middleware: ErrorPages(templates: try Templates(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
        router.get("/results") { _, _ -> Response in throw ReadPoolBusy.everybody }
        try await Application(router: router).test(.router) { client in
            for (language, word) in [("en", "Too many at once"), ("it", "Troppi insieme")] {
                try await client.execute(uri: "/results", method: .get, headers: [.acceptLanguage: language]) { response in
                    #expect(response.status == .serviceUnavailable && response.headers[.retryAfter] == "5")
                    #expect(String(buffer: response.body).contains(word))
                }
            }
        }
    }
}
