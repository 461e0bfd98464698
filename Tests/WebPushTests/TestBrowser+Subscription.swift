import TestSupport

@testable import WebPush

extension TestBrowser {
    func subscription() throws -> PushSubscription { try PushSubscription(json: json()) }
}
