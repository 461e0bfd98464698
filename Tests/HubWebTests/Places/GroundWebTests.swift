import Foundation
import NIOHTTP1
import TestSupport
import Testing

@testable import HubWeb

/// The search of places on maps, with the towns that come with the hub.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct GroundWebTests {
    private struct Found: Decodable {
        struct Place: Decodable {
            let name: String
            let region: String?
            let country: String
            let lat: Double, lon: Double
            let people: Int
        }
        let places: [Place]
    }

    private func found(_ query: String, _ web: WebFixture) async throws -> [Found.Place] {
        let answer = try await web.send(.GET, "/map/places?\(query)")
        #expect(answer.status == 200 && answer.header("cache-control") == "no-store", "\(query)")
        return try JSONDecoder().decode(Found.self, from: Data(answer.body.utf8)).places
    }

    @Test("DATA-16: everybody finds a town by how its name begins, with its country and place; whatever is asked is answered")
    func search() async throws {
        try await WebFixture.run { web in
            let bergamo = try #require(try await found("q=bergam&lat=45.7&lon=9.7", web).first)
            #expect(bergamo.name == "Bergamo" && bergamo.country == "IT" && bergamo.people > 50_000)
            #expect(abs(bergamo.lat - 45.7) < 0.05 && abs(bergamo.lon - 9.67) < 0.05)
            let near = try await found("q=san&lat=45.7&lon=9.7", web), far = try await found("q=san&lat=-33.4&lon=-70.6", web)
            #expect(near.count == 8 && far.count == 8 && near.map(\.name) != far.map(\.name), "near names come first")
            for query in ["", "q=", "q=\(String(repeating: "x", count: 2000))"] { #expect(try await found(query, web).isEmpty) }
            for place in ["lat=x&lon=9", "lat=91&lon=9", "lat=nan&lon=nan", "lat=45"] {
                #expect(try await found("q=bergamo&\(place)", web).first?.name == "Bergamo")
            }
        }
    }
}
