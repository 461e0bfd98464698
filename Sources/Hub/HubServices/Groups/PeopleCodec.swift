import Accounts
import Groups
import Vitals

/// The contributions of a window in parts of bytes, which are sealed one by one: the length of all, the kinds, the regions in which people live, then the
/// rows of ``Groups/WindowPeople``.
enum PeopleCodec {
    /// Of one part: some 50,000 people.
    static let partBytes = 1 << 20

    static func encoded(_ people: WindowPeople) -> [[UInt8]] {
        var bytes: [UInt8] = [UInt8(clamping: people.kinds.count)] + people.kinds.map(\.rawValue)
        append(people.homes.count, to: &bytes)
        for home in people.homes { bytes += [UInt8(clamping: home.text.utf8.count)] + Array(home.text.utf8) }
        append(people.bytes.count, to: &bytes)
        bytes += people.bytes
        return stride(from: 0, to: bytes.count, by: partBytes).map { Array(bytes[$0..<min($0 + partBytes, bytes.count)]) }
    }

    private static func append(_ number: Int, to bytes: inout [UInt8]) {
        for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    /// nil for parts that ``encoded(_:)`` did not make, and where one is missing.
    static func decoded(_ parts: [[UInt8]]) -> WindowPeople? {
        let bytes = Array(parts.joined())
        var offset = 0
        func take(_ count: Int) -> ArraySlice<UInt8>? {
            guard count >= 0, bytes.count - offset >= count else { return nil }
            defer { offset += count }
            return bytes[offset..<offset + count]
        }
        func number() -> Int? { take(4)?.reversed().reduce(0) { $0 << 8 | Int($1) } }
        guard let count = take(1)?.first, let numbers = take(Int(count)), let homesCount = number() else { return nil }
        let kinds = numbers.compactMap { DataKind(rawValue: $0) }
        var homes: [RegionCode] = []
        for _ in 0..<homesCount {
            guard let length = take(1)?.first, let text = take(Int(length)), let code = RegionCode(String(decoding: text, as: UTF8.self))
            else { return nil }
            homes.append(code)
        }
        guard kinds.count == Int(count), let length = number(), let rows = take(length), offset == bytes.count else { return nil }
        return WindowPeople(kinds: kinds, homes: homes, bytes: Array(rows))
    }
}
