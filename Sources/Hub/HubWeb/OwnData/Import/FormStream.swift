import Hummingbird

/// Reads `multipart/form-data` (RFC 7578) as it comes, so that files of any size go through. What it keeps does not grow with the body.
struct FormStream {
    /// What stands in the next bytes.
    enum Event: Equatable {
        /// A file begins. Browsers send one without a byte where nothing was chosen.
        case file(field: String, name: String)
        /// Bytes of the file that began last.
        case bytes([UInt8])
        /// A field that is no file, as a whole.
        case field(String, String)
    }

    private enum State {
        /// Before the first boundary, and behind each.
        case boundary, head, file, end
        case field(String, [UInt8])
    }

    /// Bytes of what stands before a part's content, and of a field.
    static let headMax = 8192, fieldMax = 65_536

    private let mark: [UInt8]
    private var state = State.boundary
    private var buffer: [UInt8] = [0x0D, 0x0A]

    /// - Parameter type: the request's `Content-Type`.
    /// - Throws: `HTTPError` for another type.
    init(type: String) throws {
        guard type.lowercased().hasPrefix("multipart/form-data"), let boundary = UploadForm.parameter("boundary", of: type),
            (1...70).contains(boundary.utf8.count)
        else { throw HTTPError(.badRequest, message: "The form has no boundary.") }
        mark = Array("\r\n--\(boundary)".utf8)
    }

    /// Whether the form has come to its end. A body that ends before was cut.
    var isWhole: Bool { if case .end = state { true } else { false } }

    /// Takes the next bytes.
    /// - Throws: `HTTPError` for what is no form.
    mutating func add(_ bytes: some Collection<UInt8>) throws -> [Event] {
        buffer += bytes
        var events: [Event] = []
        while try step(&events) {}
        return events
    }

    /// - Returns: whether there may be more in the buffer.
    private mutating func step(_ events: inout [Event]) throws -> Bool {
        switch state {
        case .end:
            buffer = []
            return false
        case .boundary: return try boundary()
        case .head: return try head(&events)
        case .file:
            let (content, isEnd) = content()
            if !content.isEmpty { events.append(.bytes(content)) }
            if isEnd { state = .boundary }
            return isEnd
        case .field(let name, var value):
            let (content, isEnd) = content()
            value += content
            guard value.count <= Self.fieldMax else { throw HTTPError(.contentTooLarge) }
            state = isEnd ? .boundary : .field(name, value)
            guard isEnd else { return false }
            guard let text = String(validating: value, as: UTF8.self) else {
                throw HTTPError(.badRequest, message: "The form is not UTF-8.")
            }
            events.append(.field(name, text))
            return true
        }
    }

    private mutating func boundary() throws -> Bool {
        guard buffer.count >= mark.count + 2 else { return false }
        guard buffer.starts(with: mark) else { throw HTTPError(.badRequest, message: "The form does not begin with its boundary.") }
        state = buffer[mark.count] == UInt8(ascii: "-") ? .end : .head
        buffer.removeFirst(mark.count + 2)
        return true
    }

    private mutating func head(_ events: inout [Event]) throws -> Bool {
        guard let end = UploadForm.find(Array("\r\n\r\n".utf8), in: buffer, from: 0, to: buffer.count) else {
            guard buffer.count <= Self.headMax else { throw HTTPError(.badRequest, message: "A part of the form has no end.") }
            return false
        }
        guard end <= Self.headMax, let head = String(validating: buffer[..<end], as: UTF8.self),
            let line = head.split(separator: "\r\n").first(where: { $0.lowercased().hasPrefix("content-disposition:") }),
            let name = UploadForm.parameter("name", of: String(line))
        else { throw HTTPError(.badRequest, message: "A part of the form has no name.") }
        buffer.removeFirst(end + 4)
        if let file = UploadForm.parameter("filename", of: String(line)) {
            events.append(.file(field: name, name: file))
            state = .file
        } else {
            state = .field(name, [])
        }
        return true
    }

    /// What belongs to the content before the next boundary, without what may be a part of one.
    private mutating func content() -> (bytes: [UInt8], isEnd: Bool) {
        if let end = UploadForm.find(mark, in: buffer, from: 0, to: buffer.count) {
            let content = Array(buffer[..<end])
            buffer.removeFirst(end)
            return (content, true)
        }
        let count = max(0, buffer.count - mark.count + 1), content = Array(buffer[..<count])
        buffer.removeFirst(count)
        return (content, false)
    }
}
