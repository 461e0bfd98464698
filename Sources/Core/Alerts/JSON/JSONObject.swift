internal import Exchange
internal import Vitals

/// Writes one JSON object (RFC 8259). A member without a value is left out.
struct JSONObject {
    private(set) var bytes: [UInt8] = [UInt8(ascii: "{")]
    private var isFirst = true

    mutating func text(_ name: String, _ text: String?) {
        guard let text, !text.isEmpty else { return }
        begin(name)
        bytes.append(json: text)
    }

    /// `value` divided by 10 to the power of `places`.
    mutating func number(_ name: String, _ value: Int?, places: Int = 0) {
        guard let value else { return }
        begin(name)
        bytes.append(fixed: Int64(value), places: places)
    }

    mutating func flag(_ name: String, _ value: Bool) {
        begin(name)
        bytes.append(value ? "true" : "false")
    }

    mutating func object(_ name: String, _ content: (inout JSONObject) -> Void) {
        begin(name)
        bytes.append(contentsOf: JSONObject.bytes(content))
    }

    /// A list of objects; nothing for an empty one.
    mutating func list<Items: Collection>(_ name: String, _ items: Items, _ content: (Items.Element, inout JSONObject) -> Void) {
        values(name, items.map { item in JSONObject.bytes { content(item, &$0) } })
    }

    mutating func texts(_ name: String, _ texts: [String]) {
        values(
            name,
            texts.map { text in
                var bytes: [UInt8] = []
                bytes.append(json: text)
                return bytes
            })
    }

    /// JSON that is already written.
    mutating func raw(_ name: String, _ append: (inout [UInt8]) -> Void) {
        begin(name)
        append(&bytes)
    }

    static func bytes(_ content: (inout JSONObject) -> Void) -> [UInt8] {
        var object = JSONObject()
        content(&object)
        object.bytes.append("}")
        return object.bytes
    }

    private mutating func values(_ name: String, _ values: [[UInt8]]) {
        guard !values.isEmpty else { return }
        begin(name)
        bytes.append("[")
        bytes.append(contentsOf: values.joined(separator: [UInt8(ascii: ",")]))
        bytes.append("]")
    }

    private mutating func begin(_ name: String) {
        bytes.append(isFirst ? "\"" : ",\"")
        isFirst = false
        bytes.append(contentsOf: name.utf8)
        bytes.append("\":")
    }
}
