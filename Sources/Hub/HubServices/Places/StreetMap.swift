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

    private let tileFile: ReplacedFile<Opened>, nameFile: ReplacedFile<NameStore>

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
            do { return try NameStore(path: path) } catch {
                logger.error("no street is found by its name", metadata: ["error": "\(error)"])
                return nil
            }
        }
    }

    /// Nil where there is none that can be read; the log says why, once for each file.
    public var opened: Opened? { tileFile.content }
    /// The names of its streets, places, hospitals …; nil as for ``opened``.
    public var names: NameStore? { nameFile.content }
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
