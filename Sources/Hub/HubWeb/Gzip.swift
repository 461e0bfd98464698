import CZlib

/// Packs bytes once that many readers ask for.
enum Gzip {
    /// As gzip (RFC 1952), in the smallest form that zlib finds; nil without memory for it.
    static func packed(_ bytes: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        // 16 more than the bits of the largest window: with the header of gzip.
        let begun = deflateInit2_(
            &stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard begun == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        var input = bytes, output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))))
        let code = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                (stream.next_in, stream.avail_in) = (input.baseAddress, UInt32(input.count))
                (stream.next_out, stream.avail_out) = (output.baseAddress, UInt32(output.count))
                return deflate(&stream, Z_FINISH)
            }
        }
        guard code == Z_STREAM_END else { return nil }
        return Array(output[..<Int(stream.total_out)])
    }
}
