public import Runs

/// The map that courses are checked against (RUN-2): the operator's map, or none.
public struct CourseMap: Sendable {
    /// Obstacles near a course.
    public let near: @Sendable (CoursePlan) -> [Obstacle]
    /// Whether the map says anything of where a course goes. Where it does not, the organiser is told that nobody looked.
    public let covers: @Sendable (CoursePlan) -> Bool

    public init(near: @escaping @Sendable (CoursePlan) -> [Obstacle], covers: @escaping @Sendable (CoursePlan) -> Bool = { _ in true }) {
        (self.near, self.covers) = (near, covers)
    }

    public init(_ map: ObstacleMap) {
        self.init(near: { map.near($0) }, covers: { map.covers($0) })
    }

    /// None is loaded.
    public static let none = CourseMap(near: { _ in [] }, covers: { _ in false })
    /// Of a world without motorways and water.
    public static let empty = CourseMap(near: { _ in [] })
}
