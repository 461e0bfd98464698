import Testing

@testable import Positioning

struct GPSDDecoderTests {
    private static let report =
        #"{"class":"TPV","device":"/dev/pts/0","mode":3,"time":"2026-11-21T08:00:01.250Z","lat":45.478181600,"lon":9.227079100,"#
        + #""altMSL":122.3000,"track":40.6000,"speed":3.030,"eph":17.100,"aFutureField":[1,{"a":"b"}]}"#

    private func decode(_ lines: String...) -> [GPSDMessage?] {
        var decoder = GPSDDecoder()
        var messages: [GPSDMessage?] = []
        for line in lines { messages.append(decoder.decode(Array(line.utf8))) }
        return messages
    }

    @Test("EDGE-3: libgps reads a report")
    func reads() throws {
        let plain = Self.report.replacing(#","aFutureField":[1,{"a":"b"}]"#, with: "")
        guard case .report(let report)?? = decode(plain).first else {
            Issue.record("no report")
            return
        }
        #expect(report.device == "/dev/pts/0" && report.mode == 3 && report.utc == 1_795_248_001_250)
        #expect(report.latitude == 45.4781816 && report.longitude == 9.2270791 && report.altitudeMSL == 122.3)
        #expect(report.track == 40.6 && report.speed == 3.03 && report.eph == 17.1 && report.epx.isNaN)
    }

    @Test("EDGE-3: nothing of an earlier report remains in a later one")
    func noRemains() {
        let later = decode(Self.report, #"{"class":"TPV","device":"/dev/b","mode":1}"#).last
        guard case .report(let report)?? = later else {
            Issue.record("no report")
            return
        }
        #expect(report.device == "/dev/b" && report.mode == 1 && report.utc == nil)
        #expect(report.latitude.isNaN && report.speed.isNaN && report.eph.isNaN)
    }

    @Test("EDGE-3: gpsd's other messages")
    func others() {
        let messages = decode(
            #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#,
            #"{"class":"DEVICES","devices":[]}"#,
            #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a","activated":"2026-11-21T04:28:02.164Z"}]}"#,
            #"{"class":"ERROR","message":"Unrecognized request"}"#,
            #"{"class":"DEVICE","path":"/dev/a","activated":"2026-11-21T04:28:02.164Z"}"#, Self.report,
            #"{"class":"DEVICE","path":"/dev/a","activated":0}"#, #"{"class":"DEVICE","path":"/dev/a"}"#,
            #"{"class":"WATCH","enable":true,"json":true}"#, #"{"class":"FUTURE","a":1}"#)
        #expect(
            messages.filter { if case .report = $0 { false } else { true } } == [
                .version(release: "3.22", protocolMajor: 3), .devices(count: 0), .devices(count: 1), .error("Unrecognized request"),
                .device(path: "/dev/a", isActive: true), .device(path: "/dev/a", isActive: false),
                .device(path: "/dev/a", isActive: false), .other, .other,
            ])
    }

    @Test("EDGE-3: a cut, foreign or overlong line is no message and no crash")
    func damaged() {
        var decoder = GPSDDecoder()
        let line = Array(Self.report.utf8)
        for length in 0..<line.count where line[..<length].last != UInt8(ascii: "}") {
            #expect(decoder.decode(Array(line[..<length])) == nil)
        }
        #expect(decoder.decode(Array("SSH-2.0-OpenSSH".utf8)) == nil)
        #expect(decoder.decode(Array(#"{"class":"TPV","device":"\#0","mode":3}"#.utf8)) == nil)
        let long = Array(#"{"class":"TPV","device":""#.utf8) + [UInt8](repeating: 65, count: 70_000) + Array(#""}"#.utf8)
        #expect(decoder.decode(long) == nil)
    }

    @Test("EDGE-3: random bytes within braces never crash the reader")
    func garbage() {
        var decoder = GPSDDecoder(), generator = SystemRandomNumberGenerator()
        let line = Array(Self.report.utf8)
        for _ in 0..<5000 {
            var bytes = line
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                bytes[Int.random(in: 1..<(bytes.count - 1), using: &generator)] = UInt8.random(in: 1...255, using: &generator)
            }
            _ = decoder.decode(bytes)
        }
        guard case .report? = decoder.decode(Array(#"{"class":"TPV","mode":3,"lat":1,"lon":2}"#.utf8)) else {
            Issue.record("the reader is stuck")
            return
        }
    }
}
