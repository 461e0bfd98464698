internal import Exchange

/// Writes XML 1.0 in UTF-8, one element a line.
struct XMLDocument {
    private(set) var bytes: [UInt8] = []

    init() { bytes.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n") }

    /// An element with `text` in it; nothing for nil and for an empty text.
    mutating func element(_ name: String, _ text: String?, attributes: KeyValuePairs<String, String> = [:]) {
        guard let text, !text.isEmpty else { return }
        start(name, attributes)
        bytes.append(xml: text)
        end(name)
    }

    mutating func element(
        _ name: String, attributes: KeyValuePairs<String, String> = [:], _ content: (inout XMLDocument) -> Void
    ) {
        start(name, attributes)
        bytes.append("\n")
        content(&self)
        end(name)
    }

    /// An element with two elements of text, on one line.
    mutating func pair(_ name: String, _ first: (name: String, text: String), _ second: (name: String, text: String)) {
        start(name, [:])
        for part in [first, second] {
            start(part.name, [:])
            bytes.append(xml: part.text)
            bytes.append(contentsOf: "</\(part.name)>".utf8)
        }
        end(name)
    }

    private mutating func start(_ name: String, _ attributes: KeyValuePairs<String, String>) {
        bytes.append(contentsOf: "<\(name)".utf8)
        for (name, value) in attributes {
            bytes.append(contentsOf: " \(name)=\"".utf8)
            bytes.append(xml: value)
            bytes.append("\"")
        }
        bytes.append(">")
    }

    private mutating func end(_ name: String) { bytes.append(contentsOf: "</\(name)>\n".utf8) }
}
