import Accounts
import HTTPTypes
import Hummingbird
import NIOCore

/// The fields and files of a sent form: `multipart/form-data` (RFC 7578), and plain forms. Each name once.
struct UploadForm: Sendable {
    struct File: Sendable {
        let name: String
        let bytes: [UInt8]
    }

    private(set) var fields: [String: String] = [:]
    /// Without those that were left empty.
    private(set) var files: [String: File] = [:]

    /// A document of 5 MB, a course of 16 MB, and what is typed.
    static let bytesMax = 24 << 20
    static let partsMax = 1000

    /// - Throws: `HTTPError` for a body that is too long or no form.
    init(_ request: Request, upTo bytesMax: Int = Self.bytesMax) async throws {
        let body: ByteBuffer
        do { body = try await request.body.collect(upTo: bytesMax) } catch is NIOTooManyBytesError {
            throw HTTPError(.contentTooLarge)
        }
        try self.init(Array(body.readableBytesView), type: request.headers[.contentType] ?? "")
    }

    init(_ body: [UInt8], type: String) throws {
        guard type.lowercased().hasPrefix("multipart/form-data") else {
            guard let form = String(validating: body, as: UTF8.self).map({ FormFields($0, countMax: Self.partsMax) }), form.isWhole else {
                throw HTTPError(.badRequest, message: "The form is not UTF-8.")
            }
            fields = Dictionary(form.pairs, uniquingKeysWith: { $1 })
            return
        }
        guard let boundary = Self.parameter("boundary", of: type), (1...70).contains(boundary.utf8.count) else {
            throw HTTPError(.badRequest, message: "The form has no boundary.")
        }
        for part in try Self.parts(body, boundary: boundary) { try take(part, of: body) }
    }

    subscript(_ name: String) -> String { fields[name] ?? "" }

    private mutating func take(_ part: Range<Int>, of body: [UInt8]) throws {
        guard let end = Self.find(Array("\r\n\r\n".utf8), in: body, from: part.lowerBound, to: part.upperBound),
            let head = String(validating: body[part.lowerBound..<end], as: UTF8.self),
            let line = head.split(separator: "\r\n").first(where: { $0.lowercased().hasPrefix("content-disposition:") }),
            let name = Self.parameter("name", of: String(line))
        else { throw HTTPError(.badRequest, message: "A part of the form has no name.") }
        let content = body[(end + 4)..<part.upperBound]
        if let file = Self.parameter("filename", of: String(line)) {
            // Browsers send an empty one where nothing was chosen.
            if !content.isEmpty { files[name] = File(name: file, bytes: Array(content)) }
        } else {
            guard let text = String(validating: content, as: UTF8.self) else {
                throw HTTPError(.badRequest, message: "The form is not UTF-8.")
            }
            fields[name] = text
        }
    }

    /// Where the parts lie, their heads included.
    private static func parts(_ body: [UInt8], boundary: String) throws -> [Range<Int>] {
        let mark = Array("--\(boundary)".utf8), inner = [0x0D, 0x0A] + mark
        guard body.starts(with: mark) else { throw HTTPError(.badRequest, message: "The form does not begin with its boundary.") }
        var parts: [Range<Int>] = [], at = mark.count
        while true {
            guard at + 2 <= body.count else { throw HTTPError(.badRequest, message: "The form is cut.") }
            if body[at] == UInt8(ascii: "-") { return parts }
            guard let next = find(inner, in: body, from: at, to: body.count), parts.count < partsMax, next >= at + 2 else {
                throw HTTPError(.badRequest, message: "The form is cut, or has too many parts.")
            }
            // Behind the line end of the boundary.
            parts.append((at + 2)..<next)
            at = next + inner.count
        }
    }

    /// Where these bytes stand first.
    static func find(_ mark: [UInt8], in body: [UInt8], from: Int, to: Int) -> Int? {
        body.withUnsafeBufferPointer { bytes in
            mark.withUnsafeBufferPointer { mark in
                var at = from
                while at + mark.count <= to {
                    if bytes[at] == mark[0] {
                        var same = 1
                        while same < mark.count, bytes[at + same] == mark[same] { same += 1 }
                        if same == mark.count { return at }
                    }
                    at += 1
                }
                return nil
            }
        }
    }

    /// `NAME=value` or `NAME="value"` of a header. Browsers write a quote within as `%22`.
    static func parameter(_ name: String, of header: String) -> String? {
        var rest = header[...]
        while let semicolon = rest.firstIndex(of: ";") {
            rest = rest[rest.index(after: semicolon)...].drop { $0 == " " }
            guard let equals = rest.firstIndex(of: "=") else { return nil }
            let key = rest[..<equals].lowercased()
            rest = rest[rest.index(after: equals)...]
            let value: Substring
            if rest.first == "\"" {
                rest = rest.dropFirst()
                guard let end = rest.firstIndex(of: "\"") else { return nil }
                value = rest[..<end]
                rest = rest[rest.index(after: end)...]
            } else {
                value = rest.prefix { $0 != ";" }
            }
            if key == name { return String(value.replacing("%22", with: "\"")) }
        }
        return nil
    }
}
