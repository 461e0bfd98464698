import HubServices
import Logging
import Runs

extension HubConfiguration.Map {
    /// Reads the operator's map of what no course may go along or through; without one nothing is found near any.
    /// - Parameter logger: told what is in it; nil for nobody.
    /// - Throws: ``HubConfigurationError``.
    func obstacleFinder(_ logger: Logger? = nil) throws -> @Sendable (CoursePlan) -> [Obstacle] {
        guard let obstacles else {
            logger?.notice("courses are not held against a map: hub.map.obstacles names none")
            return { _ in [] }
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
        return { map.near($0) }
    }
}
