public import Vitals

/// Where random numbers come from. In production that is the system's generator, which is one for secrets (`getrandom` on Linux).
public struct Randomness: RandomNumberGenerator, Sendable {
    private let draw: @Sendable () -> UInt64

    /// - Parameter draw: 64 random bits with each call. Stores and services draw keys and secrets of it.
    public init(_ draw: @escaping @Sendable () -> UInt64) { self.draw = draw }

    /// The system's generator.
    public static let system = Randomness {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }

    public func next() -> UInt64 { draw() }

    /// A new identifier.
    public func id<ID: Identifier128>(_ type: ID.Type = ID.self) -> ID { ID(high: draw(), low: draw()) }

    /// What `make` makes of so many random bytes. It draws again where `make` takes none, as of one number in four billion, which lies above the
    /// order of a curve.
    public func made<Value>(of count: Int, _ make: ([UInt8]) -> Value?) -> Value {
        while true {
            if let value = make(bytes(count)) { return value }
        }
    }

    /// Random bytes, for keys and secrets.
    public func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 7)
        while bytes.count < count { withUnsafeBytes(of: draw().littleEndian) { bytes.append(contentsOf: $0) } }
        bytes.removeLast(bytes.count - count)
        return bytes
    }
}
