import Foundation
import Testing
import Vitals

@testable import Positioning

@Suite
struct LearnedPlacesTests {
    private static let minute: Milliseconds = 60_000
    private static let home = PositionSample(time: 0, latitude: 454_780_000, longitude: 92_270_000, speed: 0, horizontalError: 50)
    private var places: LearnedPlaces

    init() {
        var generator = SystemRandomNumberGenerator()
        places = LearnedPlaces(using: &generator)
    }

    private func network(_ address: UInt64, age: Int64 = 0) -> VisibleNetwork { VisibleNetwork(address: address, age: age) }

    /// A fix so many minutes after the start and metres north of home.
    private func fix(_ minutes: Milliseconds, north: Double = 0, speed: Int32? = 0, error: Int32? = 50) -> PositionSample {
        var fix = Self.home
        fix.time = minutes * Self.minute
        fix.latitude += Int32(north * 89.9)
        (fix.speed, fix.horizontalError) = (speed, error)
        return fix
    }

    private mutating func learnHome(_ addresses: UInt64...) {
        for minutes: Milliseconds in [0, 10, 20] { #expect(places.learn(addresses.map { network($0) }, at: fix(minutes)) == true) }
    }

    @Test("EDGE-3: a network heard three times at rest tells the place, with an honest error")
    mutating func learns() throws {
        #expect(places.learn([network(1)], at: fix(0)) == true)
        #expect(places.learn([network(1)], at: fix(10, north: 20)) == true)
        #expect(places.place(of: [network(1)], at: 5) == nil)
        #expect(places.learn([network(1)], at: fix(20, north: 40)) == true)
        let place = try #require(places.place(of: [network(1), network(2)], at: 7))
        #expect(place.time == 7 && place.source == .network && place.mode == .unknown)
        #expect(abs(place.distance(to: fix(0, north: 20))) < 1)
        #expect((700...710).contains(place.horizontalError ?? 0))
        #expect(places.place(of: [network(2)], at: 7) == nil)
        #expect(places.place(of: [network(1, age: 60_000)], at: 7) == nil)
        #expect(places.counts == (known: 1, remembered: 1))
    }

    @Test("EDGE-3: a box that moves, a bad fix, a lesser source, an old sighting and haste teach nothing")
    mutating func teachesNothing() {
        var lesser = fix(0)
        lesser.source = .network
        for fix in [fix(0, speed: 200), fix(0, speed: nil), fix(0, error: 151), fix(0, error: nil), lesser] {
            #expect(places.learn([network(1)], at: fix) == false)
        }
        #expect(places.learn([network(1, age: 20_000)], at: fix(0)) == false)
        #expect(places.counts.remembered == 0)
        for minutes: Milliseconds in 0..<10 { _ = places.learn([network(1)], at: fix(minutes)) }
        #expect(places.place(of: [network(1)], at: 1) == nil)
    }

    @Test("EDGE-3: a network that turns up elsewhere is forgotten, even in passing, and then harder to believe")
    mutating func moves() {
        learnHome(1)
        #expect(places.place(of: [network(1)], at: 1) != nil)
        #expect(places.learn([network(1)], at: fix(25, north: 400, speed: 300)) == true)
        #expect(places.place(of: [network(1)], at: 1) == nil)
        for minutes: Milliseconds in [30, 40, 50] { _ = places.learn([network(1)], at: fix(minutes)) }
        #expect(places.place(of: [network(1)], at: 1) == nil)
        for minutes: Milliseconds in [60, 70, 80] { _ = places.learn([network(1)], at: fix(minutes)) }
        #expect(places.place(of: [network(1)], at: 1) != nil)
    }

    @Test("EDGE-3: networks that contradict each other are outvoted, or nothing is said")
    mutating func contradiction() throws {
        learnHome(1, 2)
        for minutes: Milliseconds in [30, 40, 50] { _ = places.learn([network(3)], at: fix(minutes, north: 5000)) }
        #expect(places.place(of: [network(1), network(3)], at: 1) == nil)
        let place = try #require(places.place(of: [network(1), network(2), network(3)], at: 1))
        #expect(place.distance(to: Self.home) < 1)
    }

    @Test("EDGE-3: passing by many networks pushes out no known one, and memory is bounded")
    mutating func bounded() {
        learnHome(1)
        for step: Milliseconds in 3..<1000 {
            _ = places.learn((0..<100).map { network(UInt64(step) * 1000 + $0) }, at: fix(step * 10, north: Double(step) * 400))
            #expect(places.counts.remembered <= LearnedPlaces.unprovenMax + 1)
        }
        #expect(places.place(of: [network(1)], at: 1) != nil)
        for step: Milliseconds in 1000..<2000 { _ = places.learn([network(UInt64(step / 3))], at: fix(step * 10)) }
        #expect(places.counts.remembered <= LearnedPlaces.networksMax)
    }

    @Test("EDGE-3: what was learned survives a restart, and holds no network's address")
    mutating func stored() throws {
        learnHome(0x0200_5E10_2030)
        let bytes = try JSONEncoder().encode(places)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(!text.contains(String(0x0200_5E10_2030)) && !text.lowercased().contains("5e102030"))
        #expect(try JSONDecoder().decode(LearnedPlaces.self, from: bytes).place(of: [network(0x0200_5E10_2030)], at: 1) != nil)
    }

    @Test("EDGE-3: the keyed hash is SipHash-2-4")
    func hash() {
        let hash = KeyedHash(first: 0x0706_0504_0302_0100, second: 0x0F0E_0D0C_0B0A_0908)
        #expect(hash(0x0706_0504_0302_0100) == 0x93F5_F579_9A93_2462)
    }
}
