internal import Glibc

/// Memory that the agent no longer needs.
enum ResidentMemory {
    /// Gives back the pages of the program's own code that only starting needed; what is needed again comes back from the file by itself.
    ///
    /// The statically linked program has over 30 MB of code, of which collecting and sending touch a third. On a box with little memory the
    /// kernel would drop these pages anyway, but at a moment of its own choosing.
    static func releaseStartupPages() {
        guard let maps = fopen("/proc/self/maps", "r") else { return }
        defer { fclose(maps) }
        var executable = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let length = readlink("/proc/self/exe", &executable, Int(PATH_MAX))
        guard length > 0 else { return }
        let name = String(decoding: executable.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        var line: UnsafeMutablePointer<CChar>?, capacity = 0
        defer { free(line) }
        while getline(&line, &capacity, maps) > 0, let line {
            // address-address permissions offset device inode path
            let fields = String(cString: line).split(whereSeparator: { $0 == " " || $0 == "\n" })
            guard fields.count >= 6, fields[1] == "r-xp", fields[5] == name else { continue }
            let bounds = fields[0].split(separator: "-").compactMap { UInt(String($0), radix: 16) }
            guard bounds.count == 2, bounds[0] < bounds[1], let start = UnsafeMutableRawPointer(bitPattern: bounds[0]) else { continue }
            // Code is mapped privately and never written, so nothing but cached file content goes.
            madvise(start, Int(bounds[1] - bounds[0]), Int32(MADV_DONTNEED))
        }
    }
}
