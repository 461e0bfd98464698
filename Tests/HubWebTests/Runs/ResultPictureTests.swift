import Runs
import Testing

@testable import HubWeb

@Suite struct ResultPictureTests {
    @Test("RUN-11: the drawing of a course across 180° is as wide as the course")
    func across() {
        let course = [1_799_900_000, -1_800_000_000, -1_799_900_000].map { CoursePoint(latitude: 0, longitude: $0) }
        let picture = ResultPicture(
            run: "Run", when: "Today", place: "Here", name: "Ada", bib: nil, time: "1:02", rank: nil, pace: nil, course: course)
        #expect(picture.svg.contains("points=\"795,410 960,410 1125,410\""))
    }
}
