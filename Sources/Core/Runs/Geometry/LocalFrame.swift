/// A level plane around a place, east and north in metres, for questions of nearness and crossing. Good for what is within some kilometres.
struct LocalFrame {
    typealias Flat = (east: Double, north: Double)

    private let origin: Vector
    private let axes: (east: Vector, north: Vector)

    init(_ place: CoursePoint) {
        origin = place.vector
        axes = Vector.axes(at: place)
    }

    func flat(_ place: CoursePoint) -> Flat { flat(place.vector) }

    func flat(_ place: Vector) -> Flat {
        let way = place - origin
        return (way.dot(axes.east), way.dot(axes.north))
    }

    static func distanceFromOrigin(_ start: Flat, _ end: Flat) -> Double {
        let east = end.east - start.east, north = end.north - start.north, square = east * east + north * north
        let fraction = square > 0 ? min(max(-(start.east * east + start.north * north) / square, 0), 1) : 0
        let (x, y) = (start.east + fraction * east, start.north + fraction * north)
        return (x * x + y * y).squareRoot()
    }

    /// Whether two straight ways meet.
    static func meets(_ a: Flat, _ b: Flat, _ c: Flat, _ d: Flat) -> Bool {
        func turn(_ p: Flat, _ q: Flat, _ r: Flat) -> Double {
            (q.east - p.east) * (r.north - p.north) - (q.north - p.north) * (r.east - p.east)
        }
        return turn(a, b, c) * turn(a, b, d) <= 0 && turn(c, d, a) * turn(c, d, b) <= 0
    }
}
