import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct CalendarFeedTests {
    @Test("RUN-12: a calendar feed works under its last secret, until its person is gone", arguments: Engine.allCases)
    func feeds(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, ada = PersonID.random()
        #expect(try !store.feeds.hasFeed(ada) && store.feeds.person(ofFeed: [1]) == nil)
        for hash in [1, 2] as [UInt8] { try store.feeds.setFeed([hash], of: ada, now: 1) }
        #expect(try store.feeds.hasFeed(ada) && store.feeds.person(ofFeed: [1]) == nil && store.feeds.person(ofFeed: [2]) == ada)
        try store.feeds.setFeed(nil, of: ada, now: 2)
        #expect(try !store.feeds.hasFeed(ada) && store.feeds.person(ofFeed: [2]) == nil)
        try store.feeds.setFeed([3], of: ada, now: 3)
        _ = try runs.keys.destroy(ada, now: 4)
        #expect(try store.feeds.person(ofFeed: [3]) == nil && store.deletedWithRows() == [ada])
        try store.erase(ada, now: 5)
        #expect(try !store.feeds.hasFeed(ada))
    }
}
