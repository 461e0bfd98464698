internal import Crypto
public import Foundation

/// Passwords that were found in stolen lists, as a Bloom filter in a file: it may call a good one breached, by the odds that it was made with, and
/// never a breached one good. Nobody is asked: the file is all.
///
/// The file: `TMBP`, version 1, how many bits a password sets, two zero bytes, the number of bits (8 bytes, little-endian), and the bits.
public struct BreachedPasswords: Sendable {
    private let bytes: Data
    private let places: Int
    private let bits: UInt64

    private static let magic = Array("TMBP".utf8) + [1]
    private static let headBytes = 16

    /// - Parameter file: the content of a file that a ``Builder`` made; it may be mapped.
    /// - Returns: nil for anything else.
    public init?(_ file: Data) {
        let head = Array(file.prefix(Self.headBytes))
        guard head.count == Self.headBytes, head.starts(with: Self.magic), (1...64).contains(head[5]) else { return nil }
        bits = head[8...].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        guard bits > 0, bits <= UInt64(Int.max / 2), UInt64(file.count - Self.headBytes) == (bits + 7) / 8 else { return nil }
        (bytes, places) = (file, Int(head[5]))
    }

    /// Whether a password is among them, as it is or in small letters.
    public func contains(_ password: String) -> Bool {
        holds(Self.hash(password)) || holds(Self.hash(password.lowercased()))
    }

    private func holds(_ hash: [UInt8]) -> Bool {
        Self.places(of: hash, count: places, bits: bits).allSatisfy { place in
            bytes[bytes.startIndex + Self.headBytes + Int(place / 8)] & (1 << UInt8(place % 8)) != 0
        }
    }

    /// As the lists have them.
    private static func hash(_ password: String) -> [UInt8] { Array(Insecure.SHA1.hash(data: Data(password.utf8))) }

    private static func places(of hash: [UInt8], count: Int, bits: UInt64) -> [UInt64] {
        func word(_ start: Int) -> UInt64 { hash[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) } }
        let first = word(0), step = word(8) | 1
        return (0..<count).map { (first &+ UInt64($0) &* step) % bits }
    }

    /// Makes such a file.
    public struct Builder: Sendable {
        private var bytes: [UInt8]
        private let bits: UInt64
        /// Lines that were taken.
        public private(set) var count = 0
        /// Of 1 in 2000 good passwords it says that they were breached.
        private static let bitsOfOne = 16, places = 11

        /// - Parameter expected: passwords that will be added, about: with more of them more good ones are refused.
        public init(expected: Int) {
            bits = UInt64(max(1, min(expected, 2_000_000_000)) * Self.bitsOfOne)
            bytes = [UInt8](repeating: 0, count: BreachedPasswords.headBytes + Int((bits + 7) / 8))
            bytes.replaceSubrange(0..<5, with: BreachedPasswords.magic)
            bytes[5] = UInt8(Self.places)
            for index in 0..<8 { bytes[8 + index] = UInt8(truncatingIfNeeded: bits >> UInt64(8 * index)) }
        }

        /// Takes a line of a list: a password, or the SHA-1 of one in hexadecimal digits with anything behind a colon, as Have I Been Pwned gives
        /// them.
        public mutating func add(_ line: String) {
            let digits = line.prefix { $0 != ":" }
            let hash = digits.utf8.count == 40 ? Self.bytes(digits) : nil
            guard hash != nil || !line.isEmpty else { return }
            for place in BreachedPasswords.places(of: hash ?? BreachedPasswords.hash(line), count: Self.places, bits: bits) {
                bytes[BreachedPasswords.headBytes + Int(place / 8)] |= 1 << UInt8(place % 8)
            }
            count += 1
        }

        /// The whole file.
        public var file: Data { Data(bytes) }

        private static func bytes(_ digits: Substring) -> [UInt8]? {
            let values = digits.compactMap(\.hexDigitValue)
            guard values.count == 40 else { return nil }
            return stride(from: 0, to: 40, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
        }
    }
}
