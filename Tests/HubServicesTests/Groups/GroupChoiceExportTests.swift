import HubStore
import Testing
import Vitals

@testable import HubServices

@Suite struct GroupChoiceExportTests {
    @Test("DATA-9: the download of all own data has what was said about statistics about groups")
    func exported() throws {
        let own = try OwnDataFixture(), ada = try own.addAccount(email: "ada@example.org"), accounts = own.hub.accounts
        #expect(try ProfileExport(ada, accounts: accounts, now: 0).groups == nil)
        try accounts.consents.groups.choose(isCounted: false, of: ada.id.person, by: ada.id, now: 0)
        let groups = try #require(try ProfileExport(ada, accounts: accounts, now: 0).groups)
        #expect(groups == .init(isCounted: false, time: "1970-01-01T00:00:00Z", by: ada.id.description))
    }
}
