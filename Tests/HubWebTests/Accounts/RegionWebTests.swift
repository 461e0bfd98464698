import Accounts
import Foundation
import HubServices
import HubStore
import NIOHTTP1
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// Where somebody counts in statistics, as their pages show it.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct RegionWebTests {
    private func move(_ web: WebFixture, _ member: Member, to residence: String) throws {
        let account = try #require(try web.hub.accounts.account(member.account.id))
        var details = account.details
        details[Field.residence.rawValue] = residence
        details[Field.taxCountry.rawValue] = "IT"
        try web.hub.accounts.setDetails(details, of: account, now: 0)
    }

    private func home(_ web: WebFixture, _ member: Member) throws -> HomeRegions.Home {
        let account = try #require(try web.hub.accounts.account(member.account.id))
        return HomeRegions(accounts: web.hub.accounts, list: Regions.list, now: { 0 }).home(of: account)
    }

    @Test("GRP-1: the hub's list has Italy's municipalities, provinces and regions, and the parts of other countries")
    func list() throws {
        let list = Regions.list
        func count(_ level: RegionLevel) -> Int { list.regions.count { $0.level == level } }
        #expect(count(.municipality) == 7896 && count(.province) == 107 && count(.country) == 249 && count(.region) > 3000)
        #expect(Set(list.regions.map(\.code)).count == list.regions.count)
        #expect(list.children(of: try #require(RegionCode("IT"))).count == 20)
        let milan = try #require(RegionCode("IT-015146"))
        #expect(list.path(of: milan).map(\.name) == ["Milano", "Milano", "Lombardia", "Italy"])
        #expect(list.regions.count { ($0.population ?? 0) >= 20_000 } > 400)
        #expect(!list.credits.isEmpty)
        // Each municipality is found by its own name and province, in a street of another one.
        let lost = list.regions.filter { region in
            guard region.level == .municipality, let province = region.parent else { return false }
            let residence = "Via Roma 1, \(region.name) (\(province.text.suffix(2)))"
            return list.home(of: residence, country: "IT") != .found(region.code)
        }
        #expect(lost.isEmpty, "\(lost.map(\.name))")
    }

    @Test("GRP-1, ACC-8: the profile says where somebody counts; a choice holds until the address changes")
    func choice() async throws {
        try await WebFixture.run { web in
            let ada = try web.member(.person, "ada@example.org")
            func page(_ path: String) async throws -> String { try await web.send(.GET, path, cookie: ada.cookie).body }
            #expect(try await page("/profile").contains("does not say clearly"))
            try move(web, ada, to: "Via Roma 1, 20121 Milano")
            #expect(try await page("/profile").contains("Milano, Lombardia, Italy. Your address says so."))
            #expect(try await page("/profile/region").contains("value=\"IT-015146\" checked"))

            let found = try await page("/profile/region?place=forl%C3%AC")
            #expect(found.contains("value=\"IT-040012\"") && found.contains("Forlì-Cesena, Emilia-Romagna, Italy"))
            #expect(try await web.post("/profile/region", ["region": "IT-040012"], cookie: ada.cookie).status == 303)
            #expect(try await page("/profile/region").contains("Emilia-Romagna, Italy. You chose it."))
            #expect(try home(web, ada) == .chosen(try #require(RegionCode("IT-040012"))))

            try move(web, ada, to: "20122 Milano")
            #expect(try home(web, ada) == .found(try #require(RegionCode("IT-015146"))))
            #expect(try await web.post("/profile/region", ["region": "-"], cookie: ada.cookie).status == 303)
            #expect(try home(web, ada) == .leftOut && home(web, ada).code == nil)
            #expect(try await page("/profile/region").contains("value=\"-\" checked"))
            #expect(try await web.post("/profile/region", ["region": ""], cookie: ada.cookie).status == 303)
            #expect(try home(web, ada) == .found(try #require(RegionCode("IT-015146"))))
        }
    }

    @Test("GRP-1: an unclear address offers what it can mean, and a place that does not exist is refused")
    func unclear() async throws {
        try await WebFixture.run { web in
            let ada = try web.member(.person, "ada@example.org")
            try move(web, ada, to: "Castro")
            let page = try await web.send(.GET, "/profile/region", cookie: ada.cookie).body
            #expect(page.contains("Castro, Bergamo, Lombardia") && page.contains("Castro, Lecce, Puglia"))
            #expect(page.contains("does not say clearly"))
            let nothing = try await web.send(.GET, "/profile/region?place=%3Cxyz%3E", cookie: ada.cookie)
            #expect(nothing.status == 200 && nothing.body.contains("no place called “&lt;xyz&gt;”"))
            for wrong in ["IT-999999", "x", "IT-01514"] {
                let answer = try await web.post("/profile/region", ["region": wrong], cookie: ada.cookie)
                #expect(answer.status == 422 && answer.body.contains("The list has no such place"))
            }
            #expect(try home(web, ada).code == nil)
        }
    }

    @Test("ACC-12: the page comes in Italian, with countries by their Italian names")
    func italian() async throws {
        try await WebFixture.run { web in
            let ada = try web.member(.person, "ada@example.org")
            try move(web, ada, to: "39100 Bolzano")
            _ = try await web.post("/language", ["language": "it", "back": "/home"], cookie: ada.cookie)
            let page = try await web.send(.GET, "/profile/region", cookie: ada.cookie).body
            #expect(page.contains("Bolzano, Trentino-Alto Adige, Italia. Lo dice il tuo indirizzo."))
        }
    }
}
