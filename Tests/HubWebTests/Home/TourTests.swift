import Accounts
import Foundation
import NIOHTTP1
import Testing

@testable import HubWeb

/// What is shown before there is an account.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct TourTests {
    @Test("ACC-14: the first page, logging in and signing up lead to a tour, which asks who the reader is and can be skipped")
    func ways() async throws {
        try await WebFixture.run { web in
            for path in ["/", "/log-in", "/sign-up"] {
                #expect(try await web.send(.GET, path).body.contains("href=\"/tour\""), "\(path)")
            }
            let page = try await web.send(.GET, "/tour")
            #expect(page.status == 200 && page.body.contains("<a class=\"tourskip\" href=\"/sign-up\">"))
            #expect(!page.body.contains("tourcards"))
            for reader in TourPages.Reader.allCases { #expect(page.body.contains("href=\"/tour/\(reader.rawValue)\""), "\(reader)") }
            #expect(try await web.send(.GET, "/tour/operator").status == 404)
        }
    }

    @Test("ACC-14: the tour of each reader has five cards in both languages, with pictures, and the last says what is needed")
    func cards() async throws {
        let drawn = Set(
            String(decoding: EmbeddedFiles.all["tour.svg", default: []], as: UTF8.self).matches(of: /<symbol id="([a-z]+)"/).map {
                String($0.output.1)
            })
        #expect(drawn == Set(TourPages.Reader.allCases.flatMap(\.pictures)), "each picture is there, and none that no card shows")
        try await WebFixture.run { web in
            for texts in Texts.all {
                for reader in TourPages.Reader.allCases {
                    let page = try await web.send(.GET, "/tour/\(reader.rawValue)", headers: [("accept-language", texts.lang)]).body
                    let cards = page.components(separatedBy: "<li class=\"card box tourcard\"").dropFirst()
                    #expect(cards.count == 5 && reader.pictures.count == 5, "\(reader)")
                    for (card, picture) in zip(cards, reader.pictures) {
                        #expect(card.contains("/assets/tour.svg#\(picture)\""), "\(reader)")
                    }
                    let last = try #require(cards.last)
                    #expect(last.contains(texts["guide.needs"]) && last.components(separatedBy: "<li>").count > 3, "\(reader)")
                    #expect(last.contains("href=\"/sign-up/\(reader.signUp.rawValue)\""), "\(reader)")
                    #expect(page.contains("<a class=\"tourskip\" href=\"/sign-up/\(reader.signUp.rawValue)\">\(texts["guide.skip"])</a>"))
                    #expect(!page.contains("guide."), "every text is there: \(reader) \(texts.lang)")
                    #expect(try await web.send(.GET, "/sign-up/\(reader.signUp.rawValue)").status == 200)
                }
            }
            let member = try web.member(.person, "ada@example.org")
            let page = try await web.send(.GET, "/tour/person", cookie: member.cookie).body
            #expect(page.contains("class=\"tourskip\" href=\"/home\"") && !page.contains("/sign-up"), "who has an account signs up no more")
        }
    }
}
