import Accounts
import Foundation
import HubServices
import HubStore
import NIOHTTP1
import TestSupport
import Testing
import Vitals

@testable import HubWeb

/// Hospitals and pharmacies nearby (SOS-14). The places are made up.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct SOSPlacesTests {
    private static func feature(_ id: String, _ tags: String, _ geometry: String) -> String {
        #"{"type":"Feature","id":"\#(id)","properties":{\#(tags)},"geometry":\#(geometry)}"#
    }

    private static func point(_ longitude: Double, _ latitude: Double) -> String {
        #"{"type":"Point","coordinates":[\#(longitude),\#(latitude)]}"#
    }

    private static let features = [
        feature(
            "n1",
            #""amenity":"pharmacy","name":"Farmacia <Uno>","phone":"+39 035 111; +39 035 112","addr:street":"Via Roma","addr:housenumber":"1","addr:city":"Bergamo","opening_hours":"Mo-Sa 08:30-19:30""#,
            point(9.701, 45.601)),
        feature(
            "w2", #""amenity":"hospital","name":"Ospedale Due","contact:phone":"+39 035 2","emergency":"yes""#,
            #"{"type":"Polygon","coordinates":[[[9.71,45.61],[9.72,45.61],[9.72,45.62],[9.71,45.62],[9.71,45.61]]]}"#),
        feature("n3", #""healthcare":"hospital","name":"Clinica Tre""#, point(9.9, 45.7)),
        feature("n4", #""amenity":"cafe","name":"Bar Quattro""#, point(9.7, 45.6)),
        feature("n5", #""amenity":"pharmacy""#, point(9.7, 45.6)),
        feature("n6", #""amenity":"pharmacy","name":"Farmacia Sei""#, "null"),
        feature("n7", #""amenity":"pharmacy","name":"Farmacia Sette","disused:amenity":"pharmacy""#, point(9.7, 45.6)),
        feature("n1", #""amenity":"pharmacy","name":"Farmacia Uno again""#, point(9.7, 45.6)),
        feature("n8", #""amenity":"pharmacy","name":"Farmacia Lontana""#, point(20, 45.6)), "7",
    ]

    private static let osm = """
        <osm version="0.6"><node id="1" version="1" lat="45.601" lon="9.701"><tag k="amenity" v="pharmacy"/><tag k="name" v="Farmacia Uno"/></node>
        <node id="2" version="1" lat="45.61" lon="9.71"/><node id="3" version="1" lat="45.61" lon="9.72"/><node id="4" version="1" lat="45.62" lon="9.72"/>
        <node id="5" version="1" lat="45.6" lon="9.7"><tag k="amenity" v="bench"/></node>
        <way id="7" version="1"><nd ref="2"/><nd ref="3"/><nd ref="4"/><nd ref="2"/><tag k="amenity" v="hospital"/><tag k="name" v="Ospedale Due"/></way></osm>
        """

    private func configuration(_ directory: TemporaryDirectory) -> HubConfiguration { HubConfiguration(directory: directory.url) }

    @Test("SOS-14: an import counts what it took and what was not usable, as a collection and a line each, and replaces what was there")
    func imports() async throws {
        let directory = try TemporaryDirectory(), file = directory.url.appendingPathComponent("places.geojson")
        let lines = directory.url.appendingPathComponent("places.geojsonseq")
        try Data(#"{"type":"FeatureCollection","features":[\#(Self.features.joined(separator: ","))]}"#.utf8).write(to: file)
        try Data(Self.features.map { "\u{1E}\($0)\n" }.joined().utf8).write(to: lines)
        for source in [file, lines] {
            let said = try await HubCommands.importPlaces([source.path], configuration(directory))
            #expect(said.hasPrefix("imported 2 hospitals and 2 pharmacies, 2 of them with a telephone"), "\(said)")
            for line in ["1, neither", "1, no name", "1, no usable geometry", "1, in the file twice", "1, not a feature", "1, closed"] {
                #expect(said.contains("not used: \(line)"), "\(line): \(said)")
            }
        }
        let store = try PlaceStore(HubDirectory(directory.url))
        let found = try store.nearest(latitude: 45.6, longitude: 9.7, kinds: [.hospital, .pharmacy], count: 10)
        #expect(found.map(\.place.name) == ["Farmacia <Uno>", "Ospedale Due", "Clinica Tre"])
        #expect(found[0].place.phone == "+39 035 111" && found[0].place.address == "Via Roma 1, Bergamo" && found[1].place.isEmergency)
        #expect(abs(found[1].place.latitude - 45.615) < 1e-9 && (1600...2400).contains(found[1].metres))
        #expect(try store.nearest(latitude: 45.6, longitude: 9.7, kinds: [.hospital], count: 1).map(\.place.name) == ["Ospedale Due"])
        #expect(try store.nearest(latitude: -45, longitude: 9.7, kinds: [.hospital], count: 1).isEmpty)
        await #expect(throws: HubConfigurationError.self) {
            try Data("{}".utf8).write(to: file)
            _ = try await HubCommands.importPlaces([file.path], configuration(directory))
        }
        #expect(try store.counts() == [.hospital: 2, .pharmacy: 2], "a failed import changes nothing")
    }

    @Test("SOS-14: a place has one identifier, wherever the file says it; a list is told from an object", arguments: ["7", "\"7\""])
    func identifiers(written: String) async throws {
        let directory = try TemporaryDirectory(), file = directory.url.appendingPathComponent("places.geojson")
        let tags = #""amenity":"pharmacy","name":"Farmacia""#, place = #""geometry":{"type":"Point","coordinates":[9.7,45.6]}"#
        let features = [
            #"{"type":"Feature","id":\#(written),"properties":{\#(tags)},\#(place)}"#,
            #"{"type":"Feature","properties":{"@id":"7",\#(tags)},\#(place)}"#,
        ]
        try Data(#"{"type":"FeatureCollection","features":[\#(features.joined(separator: ","))]}"#.utf8).write(to: file)
        let said = try await HubCommands.importPlaces([file.path], configuration(directory))
        #expect(said.contains("1 pharmac") && said.contains("not used: 1, in the file twice"), "\(said)")
        try Data("[1]".utf8).write(to: file)
        let problem = await #expect(throws: HubConfigurationError.self) {
            try await HubCommands.importPlaces([file.path], configuration(directory))
        }
        #expect(problem?.description.contains("an object was expected") == true, "\(String(describing: problem))")
    }

    @Test("SOS-14: neighbours across the date line are found")
    func dateLine() throws {
        let directory = try TemporaryDirectory(), store = try PlaceStore(HubDirectory(directory.url))
        try store.replaceAll([Facility(kind: .hospital, name: "East", latitude: 0, longitude: 179.99)], now: 1)
        let found = try store.nearest(latitude: 0, longitude: -179.99, kinds: [.hospital], count: 1)
        #expect(found.count == 1 && found[0].metres < 2300)
    }

    @Test(
        "SOS-14: an extract of OpenStreetMap is read with osmium-tool",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/osmium")))
    func osmium() async throws {
        let directory = try TemporaryDirectory(), xml = directory.url.appendingPathComponent("town.osm")
        try Data(Self.osm.utf8).write(to: xml)
        let packed = directory.url.appendingPathComponent("town.osm.pbf").path, process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/osmium")
        process.arguments = ["cat", "--no-progress", xml.path, "-o", packed]
        try process.run()
        process.waitUntilExit()
        let said = try await HubCommands.importPlaces([packed], configuration(directory))
        #expect(said.hasPrefix("imported 1 hospitals and 1 pharmacies"), "\(said)")
        try Data("no pbf".utf8).write(to: URL(fileURLWithPath: packed))
        await #expect(throws: HubConfigurationError.self) { _ = try await HubCommands.importPlaces([packed], configuration(directory)) }
    }

    @Test("SOS-14: the page lists by distance, with telephone and the way there, for persons and crews, and says what is not known")
    func page() async throws {
        try await WebFixture.run { web in
            let person = try web.member(.person, "ada@example.org")
            var page = try await web.send(.GET, "/places", cookie: person.cookie).body
            #expect(page.contains("has imported no hospitals") && page.contains("Where you are is not known"))
            let file = web.directory.url.appendingPathComponent("places.geojson")
            try Data(#"{"type":"FeatureCollection","features":[\#(Self.features.joined(separator: ","))]}"#.utf8).write(to: file)
            _ = try await HubCommands.importPlaces([file.path], configuration(web.directory))
            page = try await web.send(.GET, "/places?lat=45.6&lon=9.7", cookie: person.cookie).body
            #expect(page.contains("Farmacia &lt;Uno&gt;") && page.contains("tel:+39035111") && page.contains("geo:45.601000,9.701000"))
            #expect(page.contains(/1[34]\d m away/) && page.contains("with an emergency department") && !page.contains("Lontana"))
            page = try await web.send(.GET, "/places?lat=45.6&lon=9.7&kind=hospital", cookie: person.cookie).body
            #expect(page.contains("Ospedale Due") && !page.contains("Farmacia"))
            #expect(try await web.send(.GET, "/places?lat=x&lon=9.7", cookie: person.cookie).body.contains("Where you are is not known"))
            let cast = try await SOSCast(web), crew = try await cast.crew("Bergamo1", latitude: 45.61)
            page = try await web.send(.GET, "/places", cookie: crew.cookie).body
            #expect(page.contains("Around your place on duty") && page.contains("Ospedale Due"))
        }
    }
}
