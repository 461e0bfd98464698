import Foundation
import HubServices
import Logging
import Runs
import Seams

extension HubConfiguration {
    /// With the obstacles of `trackme-hub map import` where the operator names no others.
    func mapInUse(_ files: any FileSystem) -> Map {
        let imported = directory.appendingPathComponent(StreetMap.folder).appendingPathComponent(StreetMap.obstacles).path
        guard map.obstacles == nil, files.exists(imported) else { return map }
        var map = map
        map.obstacles = imported
        return map
    }
}

extension HubConfiguration.Map {
    /// Reads the operator's map of what no course may go along or through; without one nothing is found near any.
    /// - Parameter logger: told what is in it; nil for nobody.
    /// - Throws: ``HubConfigurationError``.
    func obstacleFinder(_ logger: Logger? = nil) throws -> CourseMap {
        guard let obstacles else {
            logger?.notice("courses are not held against a map: there are none, of hub.map.obstacles or of trackme-hub map import")
            return .none
        }
        let map: ObstacleMap
        do { map = try ObstacleMap(file: obstacles) } catch let problem as ObstacleMap.Problem {
            throw HubConfigurationError("hub.map.obstacles: \(problem)")
        }
        let counts = map.counts
        logger?.notice(
            "courses are held against a map.\(map.unusedText)",
            metadata: [
                "motorways": "\(counts[.motorway] ?? 0)", "waters": "\(counts[.water] ?? 0)", "others": "\(counts[.forbidden] ?? 0)",
                "waysAcross": "\(map.waysAcrossCount)",
            ])
        return CourseMap(map)
    }

    /// The same for a hub that serves: where the map cannot be used it is told at each start, and alarms do not wait for it.
    func obstaclesOrNone(_ logger: Logger) -> CourseMap {
        do { return try obstacleFinder(logger) } catch {
            logger.critical(
                "courses are not held against a map: mend it, and start the hub again. All else works", metadata: ["error": "\(error)"])
            return CourseMap(
                near: { _ in
                    logger.error("a course was not held against a map: it cannot be used, as was told when the hub started")
                    return []
                }, covers: { _ in false })
        }
    }
}
