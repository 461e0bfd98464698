internal import Glibc

/// Memory that the agent no longer needs.
enum ResidentMemory {
    /// Gives back the pages of the program's file that only starting needed; what is needed again comes back from the file by itself.
    ///
    /// The statically linked program has over 60 MB, of which collecting and sending touch a fifth. On a box with little memory the kernel
    /// would drop these pages anyway, but at a moment of its own choosing.
    static func releaseStartupPages() {
        guard let maps = fopen("/proc/self/smaps", "r") else { return }
        defer { fclose(maps) }
        guard let name = programName() else { return }
        var line: UnsafeMutablePointer<CChar>?, capacity = 0
        defer { free(line) }
        var mapping: UnsafeMutableRawBufferPointer?
        while getline(&line, &capacity, maps) > 0, let line {
            let fields = String(cString: line).split(whereSeparator: { $0 == " " || $0 == "\n" })
            if fields.count >= 6, fields[0].contains("-") {
                mapping = fields[5] == name && !fields[1].contains("w") ? range(fields[0]) : nil
            } else if fields.count == 3, fields[0] == "Anonymous:" {
                // A mapping with pages of its own was written to when the program was linked to its libraries: those are in no file.
                if fields[1] == "0", let mapping { madvise(mapping.baseAddress, mapping.count, Int32(MADV_DONTNEED)) }
                mapping = nil
            }
        }
    }

    private static func programName() -> String? {
        var executable = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let length = readlink("/proc/self/exe", &executable, Int(PATH_MAX))
        guard length > 0 else { return nil }
        return String(decoding: executable.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func range(_ text: Substring) -> UnsafeMutableRawBufferPointer? {
        let bounds = text.split(separator: "-").compactMap { UInt(String($0), radix: 16) }
        guard bounds.count == 2, bounds[0] < bounds[1] else { return nil }
        return UnsafeMutableRawBufferPointer(start: UnsafeMutableRawPointer(bitPattern: bounds[0]), count: Int(bounds[1] - bounds[0]))
    }
}
