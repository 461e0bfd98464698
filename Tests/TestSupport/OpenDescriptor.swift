import Foundation

/// A file's descriptor that this process has open; nil if it has none.
public func openDescriptor(of path: String) -> Int32? {
    let all = "/proc/self/fd", descriptors = (try? FileManager.default.contentsOfDirectory(atPath: all)) ?? []
    return descriptors.first { (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(all)/\($0)")) == path }.flatMap(Int32.init)
}
