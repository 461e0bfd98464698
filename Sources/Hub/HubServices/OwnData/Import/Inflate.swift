import CZlib

/// Unpacks DEFLATE (RFC 1951) as it stands in ZIP archives: without a header around it. The memory of one is about 40 KiB.
final class Inflate {
    /// The bytes are no DEFLATE, or there is no memory.
    struct Broken: Error {}

    private static let outputMax = 65_536

    /// zlib keeps its address.
    private let stream: UnsafeMutablePointer<z_stream>

    init() throws(Broken) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // A negative number of bits: raw DEFLATE with the largest window.
        guard inflateInit2_(stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { throw Broken() }
    }

    deinit {
        inflateEnd(stream)
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    /// Unpacks the next bytes.
    /// - Parameter take: gets at most 64 KiB at once.
    /// - Returns: whether that was the end; what follows it in `packed` is not looked at.
    func unpack(_ packed: [UInt8], _ take: ([UInt8]) throws -> Void) throws -> Bool {
        var packed = packed, output = [UInt8](repeating: 0, count: Self.outputMax), at = 0
        while true {
            let (code, used, made) = packed.withUnsafeMutableBufferPointer { input in
                output.withUnsafeMutableBufferPointer { output in step(input, at, output) }
            }
            at += used
            if made > 0 { try take(Array(output[..<made])) }
            if code == Z_STREAM_END { return true }
            guard code == Z_OK || code == Z_BUF_ERROR else { throw Broken() }
            if made < output.count { return false }
        }
    }

    private func step(
        _ input: UnsafeMutableBufferPointer<UInt8>, _ at: Int, _ output: UnsafeMutableBufferPointer<UInt8>
    ) -> (code: Int32, used: Int, made: Int) {
        stream.pointee.next_in = input.baseAddress.map { $0 + at }
        stream.pointee.avail_in = UInt32(input.count - at)
        stream.pointee.next_out = output.baseAddress
        stream.pointee.avail_out = UInt32(output.count)
        // zlib wants an address even of no bytes.
        guard input.count > at else { return (Z_BUF_ERROR, 0, 0) }
        let code = inflate(stream, Z_NO_FLUSH)
        return (code, input.count - at - Int(stream.pointee.avail_in), output.count - Int(stream.pointee.avail_out))
    }
}
