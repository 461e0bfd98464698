import Glibc

/// The first line of a small file, as sysfs has them.
enum FirstLine {
    /// nil when there is none, or it cannot be read.
    static func read(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = Glibc.read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { return nil }
        return String(decoding: bytes.prefix(count).prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}

/// The names in a directory.
enum DirectoryNames {
    /// At most `max` of them, in no order, without those that begin with a dot; nil, and errno, when it cannot be read.
    static func read(_ path: String, max: Int) -> [String]? {
        guard let directory = opendir(path) else { return nil }
        defer { closedir(directory) }
        var names: [String] = []
        while names.count < max, let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }
}
