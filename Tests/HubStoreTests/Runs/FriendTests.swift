import Foundation
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct FriendTests {
    @Test("RUN-19: a link makes two people friends, once and in its time; either ends it", arguments: Engine.allCases)
    func links(engine: Engine) throws {
        let runs = try RunFixture(engine), store = runs.store, ada = PersonID.random(), bob = PersonID.random(), eve = PersonID.random()
        try store.friends.addFriendLink([1], of: ada, expires: 100, now: 0)
        #expect(try store.friends.person(ofFriendLink: [1], now: 99) == ada && store.friends.person(ofFriendLink: [1], now: 100) == nil)
        #expect(
            try store.friends.befriend([1], ada, now: 1) == nil && store.friends.befriend([1], bob, now: 100) == nil
                && store.friends.befriend([2], bob, now: 1) == nil)
        #expect(try store.friends.befriend([1], bob, now: 1) == ada && store.friends.befriend([1], eve, now: 1) == nil)
        #expect(try store.friends.friends(of: ada) == [bob] && store.friends.friends(of: bob) == [ada])
        for number in 0..<UInt8(FriendStore.friendLinksMax + 1) {
            try store.friends.addFriendLink([100 + number], of: ada, expires: 1000 + Milliseconds(number), now: 2)
        }
        #expect(try store.friends.person(ofFriendLink: [100], now: 3) == nil && store.friends.person(ofFriendLink: [101], now: 3) == ada)
        _ = try runs.keys.destroy(ada, now: 4)
        #expect(
            try store.friends.friends(of: bob).isEmpty && store.friends.befriend([101], eve, now: 5) == nil
                && store.deletedWithRows() == [ada])
        try store.erase(ada, now: 5)
        #expect(try store.deletedWithRows().isEmpty && runs.fixture.count("friend", in: store.pool) == 0)
    }
}
