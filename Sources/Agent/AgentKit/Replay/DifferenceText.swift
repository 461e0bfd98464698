internal import Foundation

/// Says in words how two lines of a result differ.
enum DifferenceText {
    /// nil where a line is none that this program wrote.
    static func words(expected: String?, got: String?) -> String? {
        switch (expected, got) {
        case (let expected?, nil): return name(expected).map { "\($0) is missing" }
        case (nil, let got?): return name(got).map { "\($0) is not expected" }
        case (let expected?, let got?):
            guard let left = fields(expected), let right = fields(got), let wanted = name(left), let found = name(right) else { return nil }
            guard kind(left) == kind(right) else { return "\(found) instead of \(wanted)" }
            let changes = Set(left.keys).union(right.keys).sorted().filter { left[$0] != right[$0] }.map { key in
                "\(key) is \(right[key] ?? "not there") instead of \(left[key] ?? "not there")"
            }
            return "\(wanted): " + changes.joined(separator: ", ")
        case (nil, nil): return nil
        }
    }

    /// The fields of a line, as they are written; nil when it is no JSON object with a time.
    private static func fields(_ line: String) -> [String: String]? {
        guard let object = try? JSONDecoder().decode([String: Written].self, from: Data(line.utf8)), object["time"]?.isText == true else {
            return nil
        }
        return object.mapValues(\.text)
    }

    /// What this program writes in a line, as people read it.
    private struct Written: Decodable {
        let text: String
        var isText = false

        init(from decoder: any Decoder) throws {
            if var list = try? decoder.unkeyedContainer() {
                var items: [String] = []
                while !list.isAtEnd { items.append(try list.decode(Written.self).text) }
                text = items.joined(separator: " ")
                return
            }
            let value = try decoder.singleValueContainer()
            if value.decodeNil() {
                text = "null"
            } else if let flag = try? value.decode(Bool.self) {
                text = "\(flag)"
            } else if let whole = try? value.decode(Int64.self) {
                text = "\(whole)"
            } else if let number = try? value.decode(Double.self) {
                text = "\(number)"
            } else if let inner = try? value.decode([String: Written].self) {
                text = inner.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.text)" }.joined(separator: " ")
            } else {
                (text, isText) = (try value.decode(String.self), true)
            }
        }
    }

    private static func kind(_ fields: [String: String]) -> String {
        if let found = fields["sos"] { return found }
        if let event = fields["event"] { return event }
        return ["bpm", "battery", "bodyLocation", "lat"].first { fields[$0] != nil } ?? "mode"
    }

    private static func name(_ line: String) -> String? { fields(line).flatMap(name) }

    private static func name(_ fields: [String: String]) -> String? {
        let what =
            switch kind(fields) {
            case "question": "a question (\(trigger(fields)))"
            case "alarm": "an alarm (\(trigger(fields)), \(fields["value"] ?? "without a value"))"
            case "ending": "the end of a question (\(fields["why"] ?? "without a reason"))"
            case "bpm": "a heart rate of \(fields["bpm"] ?? "")"
            case "battery": "a battery of \(fields["battery"] ?? "") %"
            case "bodyLocation": "the sensor's place on the body"
            case "lat": "a position"
            case "mode": "a loss of the position"
            case let event: "\"\(event)\""
            }
        return fields["time"].map { "\(what) at \($0)" }
    }

    private static func trigger(_ fields: [String: String]) -> String { fields["trigger"] ?? "without a trigger" }
}
