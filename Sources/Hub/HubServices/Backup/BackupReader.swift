import Crypto
import Foundation
import HubStore
public import Seams
import Vitals

/// Reads backups in a place with the private key.
public struct BackupReader: Sendable {
    let objects: BackupObjects, identity: String, machine: Machine, say: @Sendable (String) -> Void

    /// - Parameters:
    ///   - identity: a file with the private key, as `age-keygen` makes it.
    ///   - say: hears how far it is, a line at a time.
    public init(_ place: BackupPlace, identity: String, machine: Machine = .system, say: @escaping @Sendable (String) -> Void) {
        (objects, self.identity, self.machine, self.say) = (BackupObjects(place: place, machine: machine), identity, machine, say)
    }

    /// The backups that are whole, in the order of their times.
    public static func list(_ place: BackupPlace, machine: Machine = .system) throws -> [BackupID] {
        try BackupObjects(place: place, machine: machine).names().compactMap(BackupName.init).filter { $0.part == .manifest }.map(\.backup)
            .sorted()
    }

    /// - Parameter stamp: of the wanted one; nil for the newest.
    func manifest(_ stamp: String?) throws -> (manifest: BackupManifest, json: [UInt8], tag: [UInt8]) {
        guard machine.files.exists(identity) else {
            throw BackupProblem(
                "\(identity) is not there, or the owner of the hub's directory may not read it: name the file with the private key by --identity."
            )
        }
        let all = try Self.list(objects.place, machine: machine)
        guard let wanted = stamp == nil ? all.last : all.first(where: { $0.stamp == stamp }) else {
            throw BackupProblem(
                stamp == nil
                    ? "There is no backup in \(objects.place): is that the place (--from), and is it mounted?"
                    : "There is no backup \(stamp ?? "") in \(objects.place): `trackme-hub backup list` shows those that are.")
        }
        let name = BackupName(wanted, .manifest).text
        var text: [UInt8] = []
        try objects.get(name, with: identity) { text += $0 }
        return try BackupManifest.read(text, of: name)
    }

    /// A place where a piece belongs.
    private struct Target {
        var file: Int
        var offset: Int
    }

    /// Puts the files of a backup together. Each piece is held against its hash.
    /// - Parameter folder: an empty one.
    func assemble(_ manifest: BackupManifest, in folder: String) throws {
        try checkRoom(manifest.bytes, in: folder)
        var targets: [BackupManifest.Piece: [Target]] = [:], ofPack: [Int: [BackupManifest.Piece]] = [:], files: [LargeFile] = []
        for (index, entry) in manifest.files.enumerated() {
            let file = try LargeFile("\(folder)/\(entry.name)", for: .writing)
            try file.resize(entry.size)
            files.append(file)
            var offset = 0
            for piece in entry.pieces {
                if targets[piece] == nil { ofPack[piece.pack, default: []].append(piece) }
                targets[piece, default: []].append(Target(file: index, offset: offset))
                offset += piece.length
            }
        }
        var progress = BackupProgress(whole: manifest.bytes, machine: machine, say: say), done = 0
        for (number, pieces) in ofPack.sorted(by: { $0.key < $1.key }) {
            try read(manifest.packs[number], pieces.sorted { $0.offset < $1.offset }) { piece, bytes in
                for target in targets[piece] ?? [] { try files[target.file].write(bytes, at: target.offset) }
                done += bytes.count
                progress.reached(done)
            }
        }
        for file in files { try machine.files.sync(file.path) }
    }

    private func read(
        _ name: String, _ pieces: [BackupManifest.Piece], _ heard: (BackupManifest.Piece, ArraySlice<UInt8>) throws -> Void
    ) throws {
        var wanted = pieces[...], buffer: [UInt8] = [], start = 0
        try objects.get(name, with: identity) { bytes in
            guard !wanted.isEmpty else { return }
            buffer += bytes
            while let next = wanted.first, start + buffer.count >= next.offset + next.length {
                guard next.offset >= start else { throw Self.damaged(name) }
                let piece = buffer[(next.offset - start)..<(next.offset - start + next.length)]
                guard Data(SHA256.hash(data: piece)) == next.hash else { throw Self.damaged(name) }
                try heard(next, piece)
                wanted = wanted.dropFirst()
                buffer.removeFirst(next.offset - start + next.length)
                start = next.offset + next.length
            }
        }
        guard wanted.isEmpty else { throw Self.damaged(name) }
    }

    private static func damaged(_ name: String) -> BackupProblem {
        BackupProblem(
            "\(name) is damaged. `trackme-hub backup list` shows the backups; those of another chain do not need it: take one by --backup.")
    }

    private func checkRoom(_ bytes: Int, in folder: String) throws {
        guard let free = machine.files.room(at: folder).map({ Int(clamping: $0.free) }), free <= bytes else { return }
        let (needed, there) = (bytes / BackupProgress.megabyte, free / BackupProgress.megabyte)
        throw BackupProblem(
            "\(folder) has room for \(there) MB, and the backup has \(needed) MB: make room, or name another directory.")
    }

    /// Writes the latest keys of people.
    /// - Returns: the stamp of their moment.
    func keys(to path: String) throws -> String {
        guard let stamp = try objects.names().compactMap(BackupStamp.ofKeys).max() else {
            throw BackupProblem(
                "There are no keys in \(objects.place): without them nothing can be read. Put the latest keys-….age back there.")
        }
        let file = try LargeFile(path, for: .writing)
        var size = 0
        try objects.get(BackupStamp.keysName(stamp), with: identity) { bytes in
            try file.write(bytes, at: size)
            size += bytes.count
        }
        try machine.files.sync(path)
        return stamp
    }
}
