public import HubStore
public import Logging
public import Seams
import Synchronization

/// The streets that an import left in the hub's directory. A new import is seen by the next question.
public final class StreetMap: Sendable {
    /// In the hub's directory: what `trackme-hub map import` makes.
    public static let folder = "map", tiles = "streets.mbtiles", obstacles = "obstacles.geojsonseq"
    /// To be shown wherever tiles are (ODbL 1.0, 4.3).
    public static let credit = "© OpenStreetMap contributors (ODbL)"

    /// A file that was opened.
    public struct Opened: Sendable {
        public let store: TileStore
        /// Tells it from those before and after it.
        public let version: String
    }

    private let path: String
    private let files: any FileSystem
    private let logger: Logger
    private let known = Mutex<(facts: FileFacts, opened: Opened?)?>(nil)

    public init(_ directory: HubDirectory, files: any FileSystem, logger: Logger) {
        path = directory.path(Self.folder) + "/" + Self.tiles
        (self.files, self.logger) = (files, logger)
    }

    /// Nil where there is none that can be read; the log says why, once for each file.
    public var opened: Opened? {
        guard let facts = files.facts(path), !facts.isFolder else { return nil }
        return known.withLock { known in
            if let known, known.facts == facts { return known.opened }
            let opened: Opened?
            do throws(TileStore.Problem) {
                let version = String(UInt64(bitPattern: facts.modified) ^ facts.number, radix: 36)
                opened = Opened(store: try TileStore(path: path), version: version)
            } catch {
                logger.error("maps show no streets", metadata: ["error": "\(error)"])
                opened = nil
            }
            known = (facts, opened)
            return opened
        }
    }
}
