import Exchange
import TestSupport
import Testing
import Vitals

private func ownTracks(_ json: String, bytesMax: Int = 10_000) throws(SenderRefusal) -> SenderReading {
    try OwnTracks.read(Array(json.utf8), bytesMax: bytesMax, now: someTime)
}

private func traccar(_ json: String) throws(SenderRefusal) -> SenderReading {
    try OsmAnd.read(json: Array(json.utf8), bytesMax: 10_000, now: someTime)
}

private func osmAnd(_ parameters: [(String, String)]) throws(SenderRefusal) -> SenderReading {
    try OsmAnd.read(parameters: parameters, now: someTime)
}

/// The refusal that `body` throws.
private func refusal(_ body: () throws(SenderRefusal) -> SenderReading) -> SenderRefusal.Code? {
    do throws(SenderRefusal) {
        _ = try body()
        return nil
    } catch { return error.code }
}

@Suite struct OwnTracksTests {
    @Test("DATA-13: an OwnTracks location becomes a position in UTC with the units turned, and a battery event")
    func location() throws {
        let reading = try ownTracks(
            """
            {"_type":"location","tid":"ab","tst":1795230240,"lat":45.4642035,"lon":-9.18998196,"acc":12,"alt":122,"vel":36,"cog":271,
             "vac":4,"batt":88,"bs":2,"t":"u","conn":"m","topic":"owntracks/x/y","inregions":["home"],"created_at":1795230244}
            """)
        let time: Milliseconds = 1_795_230_240_000
        #expect(
            reading.samples.positions == [
                PositionSample(
                    time: time, latitude: 454_642_035, longitude: -91_899_820, altitude: 1220, speed: 1000, course: 27_100,
                    horizontalError: 120,
                    mode: .unknown, source: .gnss)
            ])
        #expect(
            reading.samples.events == [
                StateEvent(time: time, code: .boxBattery, value: 88), StateEvent(time: time, code: .boxPower, value: 1),
            ])
        #expect(reading.ignored == 0 && reading.refused.isEmpty && reading.device == nil)
    }

    @Test(
        "DATA-13: a phone's fix of some metres is one of satellites, a wide one or one without an error is not",
        arguments: [
            ("5", PositionSource.gnss), ("15", .gnss), ("15.1", .network), ("65", .network), ("0", .network), ("-1", .network),
        ])
    func source(accuracy: String, source: PositionSource) throws {
        let own = try ownTracks("{\"_type\":\"location\",\"tst\":1795230240,\"lat\":45.4,\"lon\":9.1,\"acc\":\(accuracy)}")
        let form = try osmAnd([("id", "s"), ("lat", "45.4"), ("lon", "9.1"), ("timestamp", "1795230240"), ("accuracy", accuracy)])
        let coords = "{\"latitude\":45.4,\"longitude\":9.1,\"accuracy\":\(accuracy)}"
        let json = try traccar(
            "{\"location\":{\"timestamp\":\"2026-11-21T03:04:00Z\",\"coords\":\(coords)},\"device_id\":\"s\"}")
        #expect([own, form, json].map { $0.samples.positions.first?.source } == [source, source, source])
        let without = try ownTracks("{\"_type\":\"location\",\"tst\":1795230240,\"lat\":45.4,\"lon\":9.1}")
        #expect(without.samples.positions.first?.source == .network)
    }

    @Test("DATA-13: an empty OwnTracks body is normal, other messages are ignored and counted, a list is read to its end")
    func others() throws {
        #expect(try ownTracks("") == SenderReading() && ownTracks(" \r\n") == SenderReading() && ownTracks("[]") == SenderReading())
        let types = ["lwt", "waypoint", "waypoints", "transition", "steps", "card", "cmd", "status", "something-new"]
        for type in types { #expect(try ownTracks("{\"_type\":\"\(type)\",\"lat\":1,\"lon\":2,\"tst\":1}").ignored == 1) }
        let list = try ownTracks(
            """
            [{"_type":"location","tst":1795230240,"lat":1,"lon":2},{"_type":"lwt","tst":1},{"_type":"location","lat":95,"lon":2,"tst":1795230241},
             {"_type":"location","tst":1795230242,"lat":"1.5","lon":"-2.5e0"}]
            """)
        #expect(list.samples.positions.map(\.latitude) == [10_000_000, 15_000_000])
        #expect(list.ignored == 1 && list.refused.map(\.code) == [.badPosition])
    }

    @Test(
        "DATA-13: what OwnTracks cannot mean is refused by name",
        arguments: [
            ("{\"_type\":\"encrypted\",\"data\":\"eHg=\"}", .encrypted), ("{\"lat\":1,\"lon\":2,\"tst\":1795230240}", .malformed),
            ("{\"_type\":\"location\",\"lat\":1,\"lon\":2}", .noTime),
            ("{\"_type\":\"location\",\"lat\":1,\"tst\":1795230240}", .badPosition),
            ("{\"_type\":\"location\",\"lat\":90.1,\"lon\":2,\"tst\":1795230240}", .badPosition),
            ("{\"_type\":\"location\",\"lat\":1,\"lon\":-180.1,\"tst\":1795230240}", .badPosition),
            ("{\"_type\":\"location\",\"lat\":0,\"lon\":0.0,\"tst\":1795230240}", .badPosition),
            ("{\"_type\":\"location\",\"lat\":\"nan\",\"lon\":2,\"tst\":1795230240}", .badPosition),
            ("{\"_type\":\"location\",\"lat\":\"0x1p3\",\"lon\":2,\"tst\":1795230240}", .badPosition),
            ("{\"_type\":\"location\",\"lat\":true,\"lon\":2,\"tst\":1795230240}", .badPosition),
            ("{\"_type\":\"location\",\"lat\":1e300,\"lon\":2,\"tst\":1795230240}", .badPosition),
            ("{\"_type\":\"location\",\"lat\":1,\"lon\":2,\"tst\":5}", .badTime),
            ("{\"_type\":\"location\",\"lat\":1,\"lon\":2,\"tst\":1795320000}", .badTime),
            ("{\"_type\":\"location\",\"lat\":1,\"lon\":2,\"tst\":1e300}", .badTime),
            ("{\"_type\":\"location\",\"lat\":1,\"lon\":2,\"tst\":-1}", .badTime), ("7", .malformed), ("[[]]", .malformed),
        ] as [(String, SenderRefusal.Code)])
    func refused(json: String, code: SenderRefusal.Code) { #expect(refusal { () throws(SenderRefusal) in try ownTracks(json) } == code) }

    @Test("DATA-13: an optional value out of range is left out and counted, one that is not known is left out, the position stays")
    func optionals() throws {
        let reading = try ownTracks(
            "{\"_type\":\"location\",\"tst\":1795230240,\"lat\":1,\"lon\":2,\"acc\":\"-1e999\",\"alt\":99999,\"vel\":-1,\"cog\":360,\"batt\":101}"
        )
        let position = try #require(reading.samples.positions.first)
        #expect(position.horizontalError == nil && position.altitude == nil && position.speed == nil && position.course == 0)
        #expect(reading.samples.events == [StateEvent(time: 1_795_230_240_000, code: .inputSkipped, value: 3)])
    }

    @Test("DATA-13: the caller's bound on size, and the bound on messages, hold")
    func bounds() throws {
        let body = "{\"_type\":\"location\",\"tst\":1795230240,\"lat\":1,\"lon\":2}"
        #expect(try ownTracks(body, bytesMax: body.utf8.count).samples.positions.count == 1)
        #expect(refusal { () throws(SenderRefusal) in try ownTracks(body, bytesMax: body.utf8.count - 1) } == .tooLarge)
        let many = "[" + Array(repeating: "{}", count: OwnTracks.messagesMax + 1).joined(separator: ",") + "]"
        #expect(refusal { () throws(SenderRefusal) in try ownTracks(many) } == .malformed)
    }

    @Test("DATA-13: no refusal names a place, a time or a device")
    func nothingPersonal() {
        let secret = "73.1234567"
        let bodies = [
            "{\"_type\":\"location\",\"lat\":\(secret)x}", "{\"_type\":\"location\",\"lat\":\"\(secret)°\",\"lon\":1,\"tst\":1795230240}",
            "{\"_type\":\"\(secret)", "{\"_type\":\"location\",\"lat\":\(secret),\"lon\":9\(secret),\"tst\":1795230240}",
            "{\"\(secret)\":1,\"\(secret)\":2}", "{\"_type\":\"location\",\"lat\":\(secret),\"lon\":1,\"tst\":\(secret)}",
        ]
        for body in bodies {
            do throws(SenderRefusal) {
                _ = try ownTracks(body)
                Issue.record("taken: \(body)")
            } catch { #expect(!"\(error.what) \(error.advice) \(error)".contains("1234567")) }
        }
    }
}

@Suite struct StrictJSONTests {
    @Test(
        "DATA-13: what RFC 8259 does not have is refused",
        arguments: [
            "{\"_type\":\"lwt\",\"_type\":\"lwt\"}", "{\"_type\":\"lwt\",\"x\":NaN}", "{\"_type\":\"lwt\",\"x\":Infinity}",
            "{\"_type\":\"lwt\",\"x\":1e999}", "{\"_type\":\"lwt\",\"x\":01}", "{\"_type\":\"lwt\",\"x\":1.}",
            "{\"_type\":\"lwt\",\"x\":.5}",
            "{\"_type\":\"lwt\",\"x\":+1}", "{\"_type\":\"lwt\",}", "{\"_type\":\"lwt\"} x", "{\"_type\":\"lwt\"", "{\"_type\":\"lwt",
            "{'_type':'lwt'}",
            "{\"_type\":\"lwt\" /* */}", "{\"_type\":\"lwt\",\"x\":\"\\ud800\"}", "{\"_type\":\"lwt\",\"x\":\"\\udc00\"}",
            "{\"_type\":\"lwt\",\"x\":\"\\u00g0\"}", "{\"_type\":\"lwt\",\"x\":\"\\u+123\"}", "{\"_type\":\"lwt\",\"x\":\"\\q\"}",
            "{\"_type\":\"lwt\",\"x\":\"a\nb\"}", "{\"_type\":\"lwt\",\"x\":1e}", "[1,]", "[1 2]", "{\"a\" 1}", "{1:2}", "-", "tru",
            String(repeating: "[", count: 9000),
        ])
    func refused(json: String) { #expect(refusal { () throws(SenderRefusal) in try ownTracks(json) } == .malformed) }

    @Test("DATA-13: what RFC 8259 has is read")
    func taken() throws {
        let json =
            " {\"_type\" : \"\\u006cwt\", \"a\":[ ], \"b\":{ }, \"c\":null,\"d\":-0.5E+2,\"e\":\"\\ud83c\\udfc3 \\\"\\\\\\/\\b\\f\\n\\r\\t é\",\"f\":[[1,true],false] }\n"
        #expect(try ownTracks(json).ignored == 1)
    }

    @Test("DATA-13: no bytes whatever stop the reader, and text that is not UTF-8 is refused")
    func anyBytes() {
        var generator = SeededGenerator(seed: 13)
        let seed = Array("{\"_type\":\"location\",\"tst\":1795230240,\"lat\":1.5,\"lon\":[2,{\"x\":\"\\u00e9\"}],\"batt\":-3e2}".utf8)
        for _ in 0..<5000 {
            var bytes = seed
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let at = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes[at] = UInt8.random(in: 0...255, using: &generator)
                case 1: bytes.insert("\"\\{}[],:e-.019u".utf8.randomElement(using: &generator)!, at: at)
                default: bytes.removeSubrange(at...)
                }
                if bytes.isEmpty { bytes = seed }
            }
            _ = try? OwnTracks.read(bytes, bytesMax: 1000, now: someTime)
            _ = try? OsmAnd.read(json: bytes, bytesMax: 1000, now: someTime)
        }
        let broken = Array("{\"_type\":\"lwt".utf8) + [0xFF] + Array("\"}".utf8)
        #expect(refusal { () throws(SenderRefusal) in try OwnTracks.read(broken, bytesMax: 1000, now: someTime) } == .malformed)
    }
}

@Suite struct OsmAndTests {
    static let good = [("id", "secret"), ("lat", "45.4642035"), ("lon", "9.1899820"), ("timestamp", "1795230240")]

    @Test("DATA-13: OsmAnd parameters become a position with the units turned, and events")
    func parameters() throws {
        let reading = try osmAnd(
            Self.good + [
                ("speed", "10"), ("bearing", "359.999"), ("altitude", "-3.25"), ("accuracy", "8.04"), ("batt", "55.4"), ("charge", "false"),
                ("hdop", "1.1"), ("valid", "true"), ("driverUniqueId", "x"),
            ])
        let time: Milliseconds = 1_795_230_240_000
        #expect(
            reading.samples.positions == [
                PositionSample(
                    time: time, latitude: 454_642_035, longitude: 91_899_820, altitude: -33, speed: 514, course: 0, horizontalError: 80,
                    mode: .unknown, source: .gnss)
            ])
        #expect(
            reading.samples.events == [
                StateEvent(time: time, code: .boxBattery, value: 55), StateEvent(time: time, code: .boxPower, value: 2),
            ])
        #expect(reading.device == "secret" && reading.refused.isEmpty && reading.ignored == 0)
    }

    @Test(
        "DATA-13: OsmAnd times are seconds, milliseconds, ISO 8601 or a date with a time; without one it is now",
        arguments: [
            ("1795230240", 1_795_230_240_000), ("1795230240.5", 1_795_230_240_500), ("1795230240678", 1_795_230_240_678),
            ("2026-11-21T03:04:00Z", 1_795_230_240_000), ("2026-11-21 03:04:00", 1_795_230_240_000), ("", someTime),
        ] as [(String, Milliseconds)])
    func times(text: String, expected: Milliseconds) throws {
        let reading = try osmAnd([("deviceid", "secret"), ("location", "45.5,9.5"), ("timestamp", text)])
        #expect(reading.samples.positions.map(\.time) == [expected] && reading.samples.positions.first?.longitude == 95_000_000)
    }

    @Test(
        "DATA-13: what OsmAnd parameters cannot mean is refused by name",
        arguments: [
            ([("lat", "1"), ("lon", "2")], .noDevice), ([("id", ""), ("lat", "1"), ("lon", "2")], .noDevice),
            ([("id", "a"), ("deviceid", "b"), ("lat", "1"), ("lon", "2")], .noDevice), ([("id", "a")], .noPosition),
            ([("id", "a"), ("lat", "1")], .badPosition), ([("id", "a"), ("lat", "91"), ("lon", "2")], .badPosition),
            ([("id", "a"), ("location", "1")], .badPosition), ([("id", "a"), ("lat", "0"), ("lon", "0")], .badPosition),
            ([("id", "a"), ("lat", "1"), ("lon", "2"), ("timestamp", "yesterday")], .badTime),
            ([("id", "a"), ("lat", "1"), ("lon", "2"), ("timestamp", "1795320000")], .badTime),
            (Array(repeating: ("id", "a"), count: OsmAnd.parametersMax + 1), .malformed),
        ] as [([(String, String)], SenderRefusal.Code)])
    func refused(parameters: [(String, String)], code: SenderRefusal.Code) {
        #expect(refusal { () throws(SenderRefusal) in try osmAnd(parameters) } == code)
    }

    @Test("DATA-13: a call for help counts, whatever else is wrong with the message; other alarms are ignored and counted")
    func alarm() throws {
        let good = try osmAnd(Self.good + [("alarm", "sos")])
        #expect(good.samples.events == [StateEvent(time: 1_795_230_240_000, code: .help)] && good.samples.positions.count == 1)
        let noPosition = try osmAnd([("id", "a"), ("alarm", "SOS"), ("lat", "x"), ("lon", "2"), ("timestamp", "1795230240")])
        #expect(noPosition.samples.events.map(\.code) == [.help] && noPosition.refused.map(\.code) == [.badPosition])
        let noTime = try osmAnd([("id", "a"), ("alarm", "sos"), ("lat", "1"), ("lon", "2"), ("timestamp", "5"), ("batt", "7")])
        #expect(noTime.samples.events == [StateEvent(time: someTime, code: .help)] && noTime.samples.positions.isEmpty)
        #expect(noTime.refused.map(\.code) == [.badTime])
        let other = try osmAnd(Self.good + [("alarm", "lowBattery")])
        #expect(other.ignored == 1 && other.samples.events.isEmpty)
        #expect(refusal { () throws(SenderRefusal) in try osmAnd([("alarm", "sos")]) } == .noDevice)
    }

    @Test("DATA-13, SOS-2: fallDown is a fall and counts like a call for help; several alarms may be joined by commas")
    func fall() throws {
        let fall = try osmAnd(Self.good + [("alarm", "fallDown")])
        #expect(fall.samples.events == [StateEvent(time: 1_795_230_240_000, code: .fall)] && fall.samples.positions.count == 1)
        let bare = try osmAnd([("id", "a"), ("alarm", "falldown"), ("lat", "x"), ("lon", "2"), ("timestamp", "5")])
        #expect(bare.samples.events == [StateEvent(time: someTime, code: .fall)])
        let both = try osmAnd(Self.good + [("alarm", "lowBattery,fallDown, sos,fallDown")])
        #expect(both.samples.events.map(\.code) == [.help, .fall] && both.ignored == 1)
        let json = try traccar(
            """
            {"location":{"timestamp":"2026-11-21T03:04:00Z","coords":{"latitude":45.5,"longitude":9.5},"alarm":"fallDown"},"device_id":"s"}
            """)
        #expect(json.samples.events.map(\.code) == [.fall])
        // A crash of a vehicle is none of a person's.
        #expect(try osmAnd(Self.good + [("alarm", "accident")]).samples.events.isEmpty)
    }

    @Test("DATA-13: a message without a valid position still tells the battery")
    func noFix() throws {
        let invalid = try osmAnd(Self.good + [("valid", "0"), ("batt", "12")])
        #expect(invalid.samples.positions.isEmpty && invalid.samples.events.map(\.value) == [12] && invalid.ignored == 1)
        for name in ["battery", "batteryLevel"] {
            #expect(try osmAnd(Self.good + [(name, "12")]).samples.events.map(\.value) == [12], "\(name)")
        }
        let heartbeat = try osmAnd([("id", "a"), ("batt", "12")])
        #expect(heartbeat.samples.events == [StateEvent(time: someTime, code: .boxBattery, value: 12)])
    }

    @Test("DATA-13: the JSON of Traccar Client becomes a position, battery and a call for help")
    func json() throws {
        let reading = try traccar(
            """
            {"location":{"timestamp":"2026-11-21T03:04:00.000Z","coords":{"latitude":45.4642035,"longitude":9.189982,"accuracy":4.5,"speed":1.25,
            "heading":90.5,"altitude":120.9},"is_moving":true,"odometer":12,"event":"motionchange","battery":{"level":0.42,"is_charging":true},
            "activity":{"type":"walking"},"extras":{"alarm":"sos"}},"device_id":"secret"}
            """)
        let time: Milliseconds = 1_795_230_240_000
        #expect(
            reading.samples.positions == [
                PositionSample(
                    time: time, latitude: 454_642_035, longitude: 91_899_820, altitude: 1209, speed: 125, course: 9050, horizontalError: 45,
                    mode: .unknown, source: .gnss)
            ])
        #expect(
            reading.samples.events.map(\.code) == [.boxBattery, .boxPower, .help] && reading.samples.events.map(\.value) == [42, 1, 0])
        #expect(reading.device == "secret")
        let unknown = try traccar(
            """
            {"location":{"timestamp":"2026-11-21T03:04:00Z","coords":{"latitude":1,"longitude":2,"accuracy":-1,"speed":-1,"heading":-1,"altitude":0},
            "battery":{"level":-1,"is_charging":false}},"device_id":"secret"}
            """)
        #expect(unknown.samples.positions.first?.speed == nil && unknown.samples.positions.first?.altitude == 0)
        #expect(unknown.samples.events.map(\.code) == [.boxPower])
    }

    @Test(
        "DATA-13: Traccar Client's JSON without a device, a location or a time is refused by name",
        arguments: [
            ("{\"location\":{}}", .noDevice), ("{\"device_id\":7,\"location\":{}}", .noDevice), ("{\"device_id\":\"a\"}", .malformed),
            ("{\"device_id\":\"a\",\"location\":[]}", .malformed),
            ("{\"device_id\":\"a\",\"location\":{\"coords\":{\"latitude\":1,\"longitude\":2}}}", .noTime),
            ("{\"device_id\":\"a\",\"location\":{\"timestamp\":\"2026-11-21T03:04:00Z\",\"coords\":{\"latitude\":1}}}", .badPosition),
            ("{\"device_id\":\"a\",\"location\":{\"timestamp\":\"2026-11-21T03:04:00Z\"}}", .noPosition), ("", .malformed),
        ] as [(String, SenderRefusal.Code)])
    func refusedJSON(json: String, code: SenderRefusal.Code) { #expect(refusal { () throws(SenderRefusal) in try traccar(json) } == code) }
}
