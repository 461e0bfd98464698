internal import Vitals

/// A problem of a file of an activity, and its place. Texts that say what to do stand in the file of each language, under the names of
/// the codes. It holds nothing of what the file says of anybody.
public struct ActivityProblem: Error, Sendable, Hashable {
    /// Where it was found first.
    public enum Place: Sendable, Hashable {
        case file
        /// Of XML, counted from 1.
        case line(Int)
        /// Counted from 0.
        case byte(Int)
    }

    /// The kind of problem. `detail` says more where it is named here.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        // The file is refused.
        case empty
        /// Detail: bytes that are taken.
        case tooLarge
        /// It is packed with gzip or zip, and has to be unpacked first.
        case compressed
        case unknownFormat, notUTF8
        /// FIT: a file of settings, a workout plan and the like. Detail: the number of its type.
        case notActivity
        case noPoints

        // A part is missing.
        /// The end is missing. Detail: the missing bytes where a header says how many there were, or the elements that are open.
        case cut
        /// FIT: the header of this file, or of another one behind it, is damaged. Detail: bytes from there on that were not read, if any.
        case header
        /// FIT: bytes were changed or lost.
        case checksum
        /// FIT: bytes that no definition explains. Detail: how many were left out.
        case unread
        /// XML: it is not well-formed from here on.
        case markup
        /// Further points are left out. Detail: how many are taken.
        case tooManyPoints

        // Single values are missing.
        /// FIT: the length of a field does not fit its type. Detail: `message.field`, as numbers.
        case fieldSize
        /// A value outside of what is possible. Detail: what it is, as ``ActivityPoint`` names it.
        case value
        /// Points without a time.
        case noTime
        /// FIT: times count from when the device was switched on, and nothing says when that was.
        case relativeTime
        /// FIT: heart rates between the records, without a time that they count from.
        case heartRates

        // Everything was read.
        /// XML: a prefix that no namespace was declared for. Detail: the prefix.
        case prefix
        /// Times go back.
        case backwards
    }

    public let code: Code
    public internal(set) var place: Place
    public let detail: String?
    /// How often it was found.
    public internal(set) var count = 1

    init(_ code: Code, at place: Place = .file, _ detail: String? = nil) { (self.code, self.place, self.detail) = (code, place, detail) }
}

/// Collects problems: the same one is listed once, with its first place and how often it was found.
struct ActivityProblems {
    private(set) var list: [ActivityProblem] = []
    /// More are counted as the last one.
    private static let listMax = 64

    mutating func note(_ code: ActivityProblem.Code, byte: Int, _ detail: String? = nil, count: Int = 1) {
        if let index = list.firstIndex(where: { $0.code == code && $0.detail == detail }) {
            list[index].count += count
        } else if list.count < Self.listMax {
            var problem = ActivityProblem(code, at: .byte(byte), detail)
            problem.count = count
            list.append(problem)
        } else {
            list[Self.listMax - 1].count += count
        }
    }

    /// With lines instead of bytes, found in one pass.
    func byLine(_ bytes: [UInt8]) -> [ActivityProblem] {
        var found = list, line = 1, at = 0
        for index in list.indices.sorted(by: { Self.byte(list[$0]) < Self.byte(list[$1]) }) {
            let byte = min(Self.byte(list[index]), bytes.count)
            while at < byte {
                if bytes[at] == UInt8(ascii: "\n") { line += 1 }
                at += 1
            }
            found[index].place = .line(line)
        }
        return found
    }

    private static func byte(_ problem: ActivityProblem) -> Int {
        guard case .byte(let byte) = problem.place else { return 0 }
        return max(0, byte)
    }
}
