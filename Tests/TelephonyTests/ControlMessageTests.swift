import Testing

@testable import Telephony

/// What baresip says, byte for byte as it was seen of baresip 1.0.0.
@Suite struct ControlMessageTests {
    private func event(_ text: String) throws -> PhoneLine.Event? {
        guard case .event(let event)? = ControlMessage(Array(text.utf8)) else { throw CancellationError() }
        return event.lineEvent
    }

    @Test("SOS-23: netstrings are put together from pieces of any size, and several that came at once are taken apart")
    func frames() throws {
        let stream = Array("5:hello,0:,10:a:b,c:12,3,2:xy,".utf8)
        for size in [1, 2, 3, 7, stream.count] {
            var frames = Netstring(), found: [String] = []
            for start in stride(from: 0, to: stream.count, by: size) {
                found += try frames.take(stream[start..<min(start + size, stream.count)]).map { String(decoding: $0, as: UTF8.self) }
            }
            #expect(found == ["hello", "", "a:b,c:12,3", "xy"])
        }
        #expect(Netstring.encoded(Array("hello".utf8)) == Array("5:hello,".utf8))
    }

    @Test("SOS-23: what is no netstring is refused, and so is one that would fill the memory")
    func malformed() {
        for text in ["x", "HTTP/1.1 400\r\n", ":,", "5:helloX", "99999999999999999999:", "1048577:"] {
            var frames = Netstring()
            #expect(throws: Netstring.Malformed.self) { try frames.take(Array(text.utf8)) }
        }
    }

    @Test("SOS-23: baresip's events are read, with its name of the call")
    func events() throws {
        let about = #""class":"call","accountaor":"sip:hub@127.0.0.1:5099","direction":"outgoing","peeruri":"sip:+391@127.0.0.1:5099""#
        #expect(
            try event(
                #"{"event":true,"type":"REGISTER_OK","class":"register","accountaor":"sip:hub@127.0.0.1:5099","param":"200 OK"}"#)
                == .registered)
        #expect(
            try event(#"{"event":true,"type":"REGISTER_FAIL","class":"register","param":"Connection timed out"}"#)
                == .registrationFailed("Connection timed out"))
        #expect(try event(#"{"event":true,"type":"CALL_RINGING",\#(about),"id":"6bf3","param":"sip:x"}"#) == .ringing("6bf3"))
        #expect(try event(#"{"event":true,"type":"CALL_ESTABLISHED",\#(about),"id":"6bf3","param":""}"#) == .answered("6bf3"))
        #expect(try event(#"{"event":true,"type":"CALL_DTMF_START",\#(about),"id":"6bf3","param":"1"}"#) == .key("1", "6bf3"))
        #expect(
            try event(#"{"event":true,"type":"CALL_CLOSED",\#(about),"id":"6bf3","param":"486 Busy Here"}"#)
                == .closed("486 Busy Here", "6bf3"))
        #expect(try event(#"{"event":true,"type":"CALL_LOCAL_SDP","class":"other","direction":"outgoing","param":"offer"}"#) == nil)
        #expect(
            try event(#"{"event":true,"type":"CALL_INCOMING","class":"call","direction":"incoming","id":"9","param":""}"#) == .incoming("9")
        )
        // Keys that somebody presses who calls us are nobody's answer.
        #expect(try event(#"{"event":true,"type":"CALL_DTMF_START","class":"call","direction":"incoming","id":"9","param":"1"}"#) == nil)
    }

    @Test("SOS-23: a response says whether its command was carried out; what is no message is none")
    func responses() {
        #expect(
            ControlMessage(Array(#"{"response":true,"ok":false,"data":"could not find UA\n","token":"dial"}"#.utf8))
                == .response(isDone: false, text: "could not find UA\n", token: "dial"))
        for text in ["", "{}", "[1]", #"{"event":true}"#, #"{"event":true,"type":5}"#] { #expect(ControlMessage(Array(text.utf8)) == nil) }
    }

    @Test("SOS-23: a command is a netstring of JSON in which nothing of a number can become another command")
    func commands() throws {
        var frames = Netstring()
        let taken = try frames.take(ControlMessage.command("dial", "sip:1\",\"command\":\"quit@x", token: "dial"))
        let text = String(decoding: try #require(taken.first), as: UTF8.self)
        #expect(taken.count == 1 && text.contains(#"\"command\":\"quit@x"#) && text.contains(#""command":"dial""#))
    }
}
