import Foundation

/// Messages of baresip 1.0 over its control connection (module ctrl_tcp), as far as a line needs it.
enum ControlMessage: Equatable {
    case event(ControlEvent)
    /// The answer to a command, with the token that the command bore.
    case response(isDone: Bool, text: String, token: String)

    /// - Returns: nil for what is no message of baresip's.
    init?(_ payload: [UInt8]) {
        guard let fields = try? JSONDecoder().decode(Fields.self, from: Data(payload)) else { return nil }
        if fields.event == true, let type = fields.type {
            self = .event(
                ControlEvent(
                    type: type, call: fields.id, isIncoming: fields.direction == "incoming", parameter: fields.param ?? ""))
        } else if fields.response == true {
            self = .response(isDone: fields.ok ?? false, text: fields.data ?? "", token: fields.token ?? "")
        } else {
            return nil
        }
    }

    /// A command as a netstring.
    static func command(_ name: String, _ parameters: String = "", token: String = "") -> [UInt8] {
        let fields = ["command": name, "params": parameters, "token": token]
        // Three texts can always be written as JSON.
        let json = (try? JSONEncoder().encode(fields)) ?? Data()
        return Netstring.encoded(Array(json))
    }

    private struct Fields: Decodable {
        var event: Bool?, response: Bool?, ok: Bool?
        var type: String?, direction: String?, id: String?, param: String?, data: String?, token: String?
    }
}

struct ControlEvent: Equatable {
    /// baresip's word: `CALL_ESTABLISHED`, `REGISTER_OK` …
    var type: String
    /// baresip's name of the call; nil for what is about none.
    var call: String?
    var isIncoming = false
    /// A reason, a status line or a key.
    var parameter = ""

    /// Its meaning for a line; nil for nothing.
    var lineEvent: PhoneLine.Event? {
        switch (type, call) {
        case ("REGISTER_OK", _): .registered
        case ("REGISTER_FAIL", _): .registrationFailed(parameter)
        case ("CALL_INCOMING", let call?): .incoming(call)
        case (_, _) where isIncoming && type != "CALL_CLOSED": nil
        case ("CALL_RINGING", let call?), ("CALL_PROGRESS", let call?): .ringing(call)
        case ("CALL_ESTABLISHED", let call?): .answered(call)
        case ("CALL_DTMF_START", let call?): parameter.first.map { .key($0, call) }
        case ("CALL_CLOSED", let call?): .closed(parameter, call)
        default: nil
        }
    }
}
