internal import Alerts
public import Languages

/// A mistake in `hub.sos.rooms`, with what to do.
public struct RoomProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// In English, for the operator.
    public let description: String
}

/// One control room as the operator writes it: `NAME=ADDRESS`, or `NAME=ADDRESS in circle LAT LON KM`, or `NAME=ADDRESS in polygon LAT LON LAT LON …`,
/// each with `language it` behind it or nothing, and behind that `heartbeat MINUTES` for a room that wants a sign of life.
public struct ControlRoomSetting: Sendable, Hashable {
    /// How it is told.
    public enum Way: Sendable, Hashable {
        /// To a mail address.
        case mail(String)
        /// By HTTPS POST, signed.
        case web(String, HTTPSControlRoom.Form)
        /// By SIP MESSAGE: CAP 1.2 (RFC 8876), or SCAIP for `user`.
        case sip(SIPAddress)
        /// A telephone number as the hub's trunk takes it.
        case phone(String)
    }
    /// Where a SIP MESSAGE goes.
    public struct SIPAddress: Sendable, Hashable {
        /// A name, or an IP address without brackets.
        public var host: String
        /// nil: that of the transport.
        public var port: Int?
        /// Without TLS: by datagram as long as it is short, and by TCP else.
        public var isTCP: Bool
        /// By TLS.
        public var isTLS: Bool
        /// The recipient of a message in SCAIP; nil for CAP.
        public var user: String?
    }

    /// As the operator calls it.
    public let name: String
    /// How it is told.
    public let way: Way
    /// Where it is the one to call; nil for everywhere.
    public let area: ControlRoomArea?
    /// In which it reads; nil: in that of the person.
    public let language: Language?
    /// Minutes from one sign of life to the next; nil for a room that wants none.
    public let heartbeat: Int?
    /// Minutes that ``heartbeat`` may have.
    public static let heartbeats = 1...1440

    private static let forms =
        "Write NAME=mailto:ADDRESS, NAME=https://…, NAME=webhook+https://…, NAME=fhir+https://…, NAME=sip:HOST[:PORT], NAME=sips:HOST[:PORT], NAME=scaip:USER@HOST[:PORT], NAME=scaips:USER@HOST[:PORT] or NAME=tel:NUMBER"
    private static let areas =
        "Behind the address write `in circle LATITUDE LONGITUDE KILOMETRES` or `in polygon` and at least three pairs of LATITUDE LONGITUDE, with blanks between and no commas, or nothing for everywhere; behind that `language en` or `language it`, or nothing for the language of the person"

    /// Reads one entry of `hub.sos.rooms`.
    /// - Throws: what is wrong with it, and what to write.
    public init(_ text: String) throws(RoomProblem) {
        let parts = text.split(separator: "=", maxSplits: 1).map { $0.trimmingBlanks }
        guard parts.count == 2, (1...100).contains(parts[0].count) else {
            throw RoomProblem(description: "hub.sos.rooms holds `\(text)`, which has no name. \(Self.forms).")
        }
        var words = parts[1].split(separator: " ").map(String.init)
        guard let address = words.first, let way = Self.way(address) else {
            throw RoomProblem(description: "hub.sos.rooms: the address of \(parts[0]) is none. \(Self.forms).")
        }
        (name, self.way) = (parts[0], way)
        if words.count > 2, words[words.count - 2] == "heartbeat" {
            guard let minutes = Int(words[words.count - 1]), Self.heartbeats.contains(minutes) else {
                throw RoomProblem(
                    description:
                        "hub.sos.rooms: the sign of life of \(parts[0]) has no interval. Write `heartbeat` and 1 to 1440 minutes at the end."
                )
            }
            if case .web(_, .fhir) = way {
                throw RoomProblem(
                    description: "hub.sos.rooms: \(parts[0]) takes FHIR R4, which has no sign of life. Leave `heartbeat \(minutes)` out.")
            }
            heartbeat = minutes
            words.removeLast(2)
        } else {
            heartbeat = nil
        }
        if words.count > 2, words[words.count - 2] == "language" {
            guard let known = Language(rawValue: words[words.count - 1]) else {
                let all = Language.allCases.map { "`language \($0.rawValue)`" }.joined(separator: " or ")
                throw RoomProblem(description: "hub.sos.rooms: alarms are not written in the language of \(parts[0]). Write \(all).")
            }
            language = known
            words.removeLast(2)
        } else {
            language = nil
        }
        guard words.count > 1 else {
            area = nil
            return
        }
        guard let area = Self.area(Array(words.dropFirst())) else {
            throw RoomProblem(description: "hub.sos.rooms: the area of \(parts[0]) is none. \(Self.areas).")
        }
        self.area = area
    }

    /// All rooms of a configuration.
    /// - Parameters:
    ///   - hasSecret: whether `hub.sos.secret` is set, which is for all rooms without one of their own.
    ///   - withSecret: the rooms that have one of their own.
    ///   - hasVoice: whether the hub has a telephone.
    /// - Throws: the first mistake in them.
    public static func all(
        _ texts: [String], hasSecret: Bool, withSecret: Set<String> = [], hasVoice: Bool = false
    ) throws(RoomProblem) -> [ControlRoomSetting] {
        var rooms: [ControlRoomSetting] = []
        for text in texts {
            let room = try ControlRoomSetting(text)
            guard !rooms.contains(where: { $0.name == room.name }) else {
                throw RoomProblem(description: "hub.sos.rooms names \(room.name) twice. Give each control room a name of its own.")
            }
            if case .web = room.way, !hasSecret, !withSecret.contains(room.name) {
                throw RoomProblem(
                    description:
                        "hub.sos.rooms sends to \(room.name) by HTTPS, but has no secret. Write `\(room.name)=SECRET` into hub.sos.secrets, the secret that the control room checks signatures with; or set hub.sos.secret for all."
                )
            }
            if case .phone = room.way, !hasVoice {
                throw RoomProblem(
                    description:
                        "hub.sos.rooms calls \(room.name) by telephone, but hub.voice.account is empty. Set the account of the SIP trunk that carries the call."
                )
            }
            rooms.append(room)
        }
        if let unknown = withSecret.subtracting(rooms.map(\.name)).min() {
            throw RoomProblem(description: "hub.sos.secrets names \(unknown), which is no control room of hub.sos.rooms. Correct the name.")
        }
        return rooms
    }

    /// For the log: where it goes, and for which places.
    public var summary: String {
        let to =
            switch way {
            case .mail(let address): "mail to \(address), which proves nothing but that it left"
            case .web(let url, let form): "\(form.rawValue) by POST to \(url)"
            case .phone(let number): "a telephone call to \(number)"
            case .sip(let sip):
                "\(sip.user.map { "SCAIP for \($0)" } ?? "CAP 1.2") by SIP to \(sip.host), \(sip.isTLS ? "TLS" : sip.isTCP ? "TCP" : "UDP, TCP for what is long")"
            }
        let place =
            switch area {
            case nil: ", everywhere"
            case .circle(_, _, let metres)?: ", within \(Int(metres / 1000)) km of a point"
            case .polygon(let points)?: ", within \(points.count) corners"
            }
        let beat = heartbeat.map { ", with a sign of life every \($0) minutes" } ?? ""
        return to + place + (language.map { ", in the language \($0.rawValue)" } ?? "") + beat
    }

    private static func way(_ text: String) -> Way? {
        if text.hasPrefix("mailto:") {
            let address = text.dropFirst(7)
            return address.split(separator: "@").count == 2 ? .mail(String(address)) : nil
        }
        if text.hasPrefix("tel:") {
            // Short ones too: an operator who writes them has agreed on that.
            let number = text.dropFirst(4).filter { $0 != "-" && $0 != "." }, digits = number.drop { $0 == "+" }
            let isNumber =
                number.count - digits.count <= 1 && (2...15).contains(digits.count)
                && digits.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            return isNumber ? .phone(String(number)) : nil
        }
        let forms: [(String, HTTPSControlRoom.Form)] = [("", .cap), ("webhook+", .json), ("fhir+", .fhir)]
        for (prefix, form) in forms where text.hasPrefix("\(prefix)https://") {
            let url = text.dropFirst(prefix.count)
            return url.count > 8 ? .web(String(url), form) : nil
        }
        for (scheme, isTLS, hasUser) in [("sips:", true, false), ("sip:", false, false), ("scaips:", true, true), ("scaip:", false, true)]
        where text.hasPrefix(scheme) {
            return sip(text.dropFirst(scheme.count), isTLS, hasUser).map { .sip($0) }
        }
        return nil
    }

    private static func sip(_ text: Substring, _ isTLS: Bool, _ hasUser: Bool) -> SIPAddress? {
        let parts = text.split(separator: ";", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.count == 1 || ["transport=tcp", "transport=udp"].contains(parts[1]), !(isTLS && parts.count == 2)
        else { return nil }
        let names = parts[0].split(separator: "@", omittingEmptySubsequences: false)
        guard names.count == (hasUser ? 2 : 1), names.allSatisfy({ !$0.isEmpty }), let place = names.last else { return nil }
        var host = place, port: Int?
        if place.hasPrefix("["), let end = place.firstIndex(of: "]") {
            host = place[place.index(after: place.startIndex)..<end]
            let rest = place[place.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
            if !rest.isEmpty {
                port = Int(rest.dropFirst())
                if port == nil { return nil }
            }
        } else if let colon = place.firstIndex(of: ":") {
            host = place[..<colon]
            port = Int(place[place.index(after: colon)...])
            if port == nil { return nil }
        }
        guard !host.isEmpty, port.map({ (1...65_535).contains($0) }) ?? true else { return nil }
        return SIPAddress(
            host: String(host), port: port, isTCP: parts.last == "transport=tcp", isTLS: isTLS, user: hasUser ? String(names[0]) : nil)
    }

    private static func area(_ words: [String]) -> ControlRoomArea? {
        guard words.count > 2, words[0] == "in" else { return nil }
        let numbers = words.dropFirst(2).map { Double($0) }, values = numbers.compactMap(\.self)
        guard numbers.count == values.count, values.allSatisfy(\.isFinite) else { return nil }
        func point(_ latitude: Double, _ longitude: Double) -> ControlRoomArea.Point? {
            abs(latitude) <= 90 && abs(longitude) <= 180 ? .init(latitude: latitude, longitude: longitude) : nil
        }
        switch words[1] {
        case "circle":
            guard values.count == 3, let centre = point(values[0], values[1]), values[2] > 0 else { return nil }
            return .circle(latitude: centre.latitude, longitude: centre.longitude, metres: values[2] * 1000)
        case "polygon":
            let points = stride(from: 0, to: values.count - 1, by: 2).compactMap { point(values[$0], values[$0 + 1]) }
            guard values.count.isMultiple(of: 2), points.count == values.count / 2, (3...ControlRoomArea.pointsMax).contains(points.count)
            else {
                return nil
            }
            return .polygon(points)
        default: return nil
        }
    }
}

extension Substring {
    fileprivate var trimmingBlanks: String {
        var rest = self
        while rest.first == " " { rest.removeFirst() }
        while rest.last == " " { rest.removeLast() }
        return String(rest)
    }
}
