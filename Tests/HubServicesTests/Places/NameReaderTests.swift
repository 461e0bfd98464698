import Foundation
import HubStore
import TestSupport
import Testing

@testable import HubServices

/// Names out of what osmium exports. All are made up.
struct NameReaderTests {
    private func read(_ lines: [String]) throws -> [MapName] {
        let directory = try TemporaryDirectory(), file = directory.url.appendingPathComponent("named.geojsonseq")
        try Data(lines.joined(separator: "\n").utf8).write(to: file)
        return try NameReader(file: file.path).names
    }

    private func line(_ tags: String, _ type: String, _ coordinates: String) -> String {
        #"{"type":"Feature","geometry":{"type":"\#(type)","coordinates":\#(coordinates)},"properties":{\#(tags)}}"#
    }

    @Test("DATA-16: the pieces of a street are one name in each town, where its longest piece is; streets belong to the nearest town")
    func streets() throws {
        let names = try read([
            line(#""highway":"residential","name":"Via Finta""#, "LineString", "[[9.0,45.0],[9.001,45.0]]"),
            line(#""highway":"residential","name":"Via Finta""#, "LineString", "[[9.001,45.0],[9.002,45.0],[9.003,45.0]]"),
            line(#""highway":"residential","name":"Via Finta""#, "LineString", "[[9.09,45.09],[9.091,45.09]]"),
            line(#""highway":"residential","name":"Via Sola""#, "LineString", "[[12.0,41.0],[12.1,41.0]]"),
            line(#""place":"town","name":"Cittafinta","population":"9000""#, "Point", "[9.0,45.01]"),
            line(#""place":"village","name":"Altrove""#, "Point", "[9.1,45.1]"),
            line(#""place":"hamlet","name":"Borgo""#, "Point", "[9.01,45.0]"),
        ])
        #expect(
            names == [
                MapName(kind: .place, name: "Cittafinta", latitude: 45.01, longitude: 9, people: 9000),
                MapName(kind: .place, name: "Altrove", latitude: 45.1, longitude: 9.1),
                MapName(kind: .street, name: "Via Finta", town: "Cittafinta", latitude: 45, longitude: 9.002),
                MapName(kind: .street, name: "Via Finta", town: "Altrove", latitude: 45.09, longitude: 9.091),
                MapName(kind: .street, name: "Via Sola", latitude: 41, longitude: 12.1),
                MapName(kind: .place, name: "Borgo", town: "Cittafinta", latitude: 45, longitude: 9.01),
            ], "\(names)")
    }

    @Test("DATA-16: hospitals, pharmacies, stations, peaks, parks and waters are names, areas by their middle; the rest is none")
    func kinds() throws {
        let square = "[[[9.0,45.0],[9.2,45.0],[9.2,45.1],[9.0,45.1],[9.0,45.0]]]"
        let names = try read([
            line(#""amenity":"hospital","name":"Ospedale Finto""#, "Polygon", square),
            line(#""amenity":"hospital","name":"Ospedale Finto""#, "LineString", "[[9.0,45.0],[9.2,45.0],[9.0,45.0]]"),
            line(#""healthcare":"pharmacy","name":"Farmacia Finta""#, "Point", "[9.0,45.0]"),
            line(#""railway":"station","name":"Stazione Finta""#, "Point", "[9.0,45.0]"),
            line(#""natural":"peak","name":"Monte Finto""#, "Point", "[9.0,45.0]"),
            line(#""leisure":"park","name":"Parco Finto""#, "MultiPolygon", "[\(square)]"),
            line(#""natural":"water","name":"Lago Finto""#, "Polygon", square),
            line(#""highway":"residential","name":" ""#, "LineString", "[[9.0,45.0],[9.001,45.0]]"),
            line(#""shop":"bakery","name":"Pane""#, "Point", "[9.0,45.0]"),
            line(#""highway":"residential","name":"Piazza""#, "Polygon", square),
            line(#""highway":"residential","name":"Ohne""#, "LineString", "[]"),
            line(#""natural":"peak","name":"Fuori""#, "Point", "[999,45.0]"), "no JSON", "",
        ])
        #expect(names.map(\.kind) == [.hospital, .pharmacy, .station, .peak, .park, .water], "\(names)")
        let hospital = try #require(names.first)
        #expect(abs(hospital.latitude - 45.05) < 1e-9 && abs(hospital.longitude - 9.1) < 1e-9)
    }
}
