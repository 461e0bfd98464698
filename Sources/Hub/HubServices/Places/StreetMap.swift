public import HubStore
public import Logging
public import Seams
import Synchronization

/// The streets that an import left in the hub's directory. A new import is seen by the next question.
public final class StreetMap: Sendable {
    /// In the hub's directory: what `trackme-hub map import` makes.
    public static let folder = "map", tiles = "streets.mbtiles", obstacles = "obstacles.geojsonseq", names = "names.sqlite"
    /// To be shown wherever tiles are (ODbL 1.0, 4.3).
    public static let credit = "© OpenStreetMap contributors (ODbL)"

    /// A file that was opened.
    public struct Opened: Sendable {
        public let store: TileStore
        /// Tells it from those before and after it.
        public let version: String
    }

    private let tileFile: ReplacedFile<Opened>, nameFile: ReplacedFile<NameFile>

    public init(_ directory: HubDirectory, files: any FileSystem, logger: Logger) {
        let folder = directory.path(Self.folder) + "/"
        tileFile = ReplacedFile(folder + Self.tiles, files) { path, facts in
            do {
                let version = String(UInt64(bitPattern: facts.modified) ^ facts.number, radix: 36)
                return Opened(store: try TileStore(path: path), version: version)
            } catch {
                logger.error("maps show no streets", metadata: ["error": "\(error)"])
                return nil
            }
        }
        nameFile = ReplacedFile(folder + Self.names, files) { path, _ in
            do { return NameFile(try NameStore(path: path), path: path, logger) } catch {
                logger.error("no street is found by its name", metadata: ["error": "\(error)"])
                return nil
            }
        }
    }

    /// Nil where there is none that can be read; the log says why, once for each file.
    public var opened: Opened? { tileFile.content }

    /// Streets, places, hospitals … by their names, as ``HubStore/NameStore/search(_:near:limit:damaged:)`` has them; none without a file.
    /// Of a damaged one what can be read; the log says so, once for each file.
    public func search(_ words: String, near: (latitude: Double, longitude: Double)?, limit: Int) -> [MapName] {
        guard let file = nameFile.content else { return [] }
        do { return try file.store.search(words, near: near, limit: limit, damaged: file.tell) } catch {
            file.tell(error)
            return []
        }
    }
}

/// A file of names that was opened.
private final class NameFile: Sendable {
    let store: NameStore
    private let path: String
    private let logger: Logger
    private let isTold = Mutex(false)

    init(_ store: NameStore, path: String, _ logger: Logger) { (self.store, self.path, self.logger) = (store, path, logger) }

    /// Once: a search may meet many places that cannot be read.
    func tell(_ error: any Error) {
        let isFirst = isTold.withLock { told in
            defer { told = true }
            return !told
        }
        guard isFirst else { return }
        logger.error(
            "the names of the map are damaged: some streets and places are not found. Import the map anew (trackme-hub map import)",
            metadata: ["file": "\(path)", "error": "\(error)"])
    }
}

/// A file that somebody else replaces as a whole. It is opened once, and anew when it is another one.
private final class ReplacedFile<Content: Sendable>: Sendable {
    private let path: String
    private let files: any FileSystem
    private let open: @Sendable (String, FileFacts) -> Content?
    private let known = Mutex<(facts: FileFacts, content: Content?)?>(nil)

    init(_ path: String, _ files: any FileSystem, open: @escaping @Sendable (String, FileFacts) -> Content?) {
        (self.path, self.files, self.open) = (path, files, open)
    }

    var content: Content? {
        guard let facts = files.facts(path), !facts.isFolder else { return nil }
        return known.withLock { known in
            if let known, known.facts == facts { return known.content }
            let content = open(path, facts)
            known = (facts, content)
            return content
        }
    }
}
