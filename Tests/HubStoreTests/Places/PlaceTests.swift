import Foundation
import TestSupport
import Testing
import Vitals

@testable import HubStore

@Suite struct PlaceTests {
    /// Whose directories are there until the test is over.
    private let kept = Locked<[TemporaryDirectory]>([])

    private func store(_ engine: Engine, _ places: [Facility]) throws -> PlaceStore {
        let store = try empty(engine)
        try store.replaceAll(places, now: 7)
        return store
    }

    private func empty(_ engine: Engine) throws -> PlaceStore {
        let fixture = try HubFixture(engine)
        kept.change { $0.append(fixture.directory) }
        return try PlaceStore(fixture.hub)
    }

    private func hospital(_ name: String, _ latitude: Double, _ longitude: Double, _ kind: Facility.Kind = .hospital) -> Facility {
        Facility(kind: kind, name: name, latitude: latitude, longitude: longitude)
    }

    private func names(
        _ store: PlaceStore, _ latitude: Double, _ longitude: Double, kinds: Set<Facility.Kind> = [.hospital], count: Int = 9
    ) throws -> [String] {
        try store.nearest(latitude: latitude, longitude: longitude, kinds: kinds, count: count).map(\.place.name)
    }

    @Test("SOS-14: an import stands in the place of the one before, with all that is known of each place", arguments: Engine.allCases)
    func imports(engine: Engine) throws {
        let store = try empty(engine)
        #expect(try store.imported() == nil && store.counts().isEmpty && names(store, 0, 0).isEmpty)
        let whole = Facility(
            kind: .pharmacy, name: "P", latitude: 45, longitude: 9, phone: "+391", address: "Via 1", openingHours: "24/7", isEmergency: true
        )
        try store.replaceAll([whole, hospital("H", 45, 9), hospital("I", 46, 9)], now: 5)
        #expect(try store.imported() == 5 && store.counts() == [.pharmacy: 1, .hospital: 2])
        let found = try #require(try store.nearest(latitude: 45, longitude: 9, kinds: [.pharmacy], count: 1).first)
        #expect(found.place == whole && found.metres < 0.01)
        try store.replaceAll([hospital("J", 45, 9)], now: 6)
        #expect(try store.imported() == 6 && store.counts() == [.hospital: 1] && names(store, 45, 9) == ["J"])
        try store.replaceAll([], now: 7)
        #expect(try store.imported() == nil, "an empty import is none")
    }

    @Test("SOS-14: the nearest come first, of the kinds that are asked for, and none beyond 50 km", arguments: Engine.allCases)
    func nearest(engine: Engine) throws {
        let store = try store(
            engine,
            [
                hospital("far", 45.40, 9), hospital("near", 45.01, 9), hospital("corner", 45.0099, 9.0135), hospital("beyond", 45.45, 9),
                hospital("pharmacy", 45, 9.001, .pharmacy),
            ])
        #expect(try names(store, 45, 9) == ["near", "corner", "far"])
        #expect(try names(store, 45, 9, kinds: [.hospital, .pharmacy], count: 2) == ["pharmacy", "near"])
        #expect(try names(store, 45, 9, kinds: []).isEmpty && names(store, -45, 9).isEmpty)
        let far = try #require(try store.nearest(latitude: 45, longitude: 9, kinds: [.hospital], count: 9).last)
        #expect(abs(far.metres - 44_478) < 30)
    }

    @Test("SOS-14: the date line parts nobody from a hospital", arguments: Engine.allCases)
    func dateLine(engine: Engine) throws {
        let store = try store(engine, [hospital("east", 10, -179.95), hospital("west", 10, 179.95), hospital("line", 10, 180)])
        #expect(try names(store, 10, 179.96) == ["west", "line", "east"] && names(store, 10, -179.96) == ["east", "line", "west"])
        #expect(try names(store, 10, 180).count == 3 && names(store, 10, 0).isEmpty)
    }

    @Test("SOS-14: beyond a pole lies what is near on all meridians", arguments: Engine.allCases, [1.0, -1.0])
    func poles(engine: Engine, side: Double) throws {
        let places = [
            hospital("here", side * 89.95, 10), hospital("across", side * 89.9, -170), hospital("quarter", side * 89.8, 100),
            hospital("pole", side * 90, 0), hospital("south", side * 89.0, 10), hospital("other pole", side * -89.99, 10),
        ]
        let store = try store(engine, places)
        #expect(try names(store, side * 89.9, 10) == ["here", "pole", "across", "quarter"])
        #expect(try names(store, side * 90, 123) == ["pole", "here", "across", "quarter"])
        #expect(try names(store, side * 89.9, 10, count: 1) == ["here"])
        // The length of a way over the pole.
        let across = try #require(
            try store.nearest(latitude: side * 89.9, longitude: 10, kinds: [.hospital], count: 9).first { $0.place.name == "across" })
        #expect(abs(across.metres - 0.2 * 111_195) < 1)
    }

    @Test("SOS-14: near a pole a circle is wider than its width at its middle", arguments: Engine.allCases)
    func wide(engine: Engine) throws {
        // 49.99 km away, farther east than 0.45° divided by the cosine of the latitude.
        let reach = 49_990.0 / 111_195 * .pi / 180, latitude = 87.0 * .pi / 180
        let top = asin(sin(latitude) / cos(reach)), east = asin(sin(reach) / cos(latitude))
        let store = try store(engine, [hospital("edge", top * 180 / .pi, east * 180 / .pi)])
        let found = try #require(try store.nearest(latitude: 87, longitude: 0, kinds: [.hospital], count: 1).first)
        #expect(abs(found.metres - 49_990) < 5 && east * 180 / .pi > 0.45 / cos(latitude))
    }
}
