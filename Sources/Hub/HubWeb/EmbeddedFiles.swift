import CAssets

/// The files of `Assets`: scripts, style, templates, texts and pictures, parts of the program.
enum EmbeddedFiles {
    /// Their bytes by their names.
    static let all: [String: [UInt8]] = Dictionary(
        uniqueKeysWithValues: (0..<trackme_asset_count).compactMap { number in
            guard let file = trackme_asset_at(number)?.pointee else { return nil }
            return (String(cString: file.name), Array(UnsafeBufferPointer(start: file.bytes, count: file.count)))
        })
}
