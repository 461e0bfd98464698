import Accounts
import Exchange
import Foundation
import Groups
import HTTPTypes
import HubServices
import HubStore
import Hummingbird
import NIOCore
import Runs
import Vitals

/// Asking about groups by program, in the shape of the pages' downloads (GRP-1, GRP-5, GRP-7, CONS-12).
struct APIGroups: Sendable {
    let api: APIController
    let requests: GroupRequests

    static let path = "/api/v1/groups"

    var operations: [APIController.Operation] {
        [
            APIController.Operation(method: .get, path: "\(Self.path)/offer") { request, _ in
                let organisation = try api.organisation(request)
                return try .json(GroupOffer(requests, doorLeft: requests.doorLeft(of: organisation)))
            },
            APIController.Operation(method: .post, path: "\(Self.path)/questions") { request, _ in
                _ = try api.organisation(request)
                let ask = try ask(try await sent(request).question)
                return .json(bytes: try GroupDocument.json(ask, list: requests.snapping.list))
            },
            APIController.Operation(method: .get, path: "\(Self.path)/requests") { request, _ in
                let organisation = try api.organisation(request)
                let text = request.uri.queryParameters["before"], before = text.flatMap { Int64($0) }
                guard text == nil || before != nil else { throw APIProblem(.badRequest, "invalid_place", "before is a whole number.") }
                let page = try requests.history(of: organisation, before: before)
                return .json(bytes: try GroupDocument.json(page.items, list: requests.snapping.list, now: requests.now))
            },
            APIController.Operation(method: .post, path: "\(Self.path)/requests") { request, _ in try await add(request) },
            APIController.Operation(method: .get, path: "\(Self.path)/requests/{id}") { request, context in
                let organisation = try api.organisation(request), (stored, windows) = try own(context, organisation)
                let format = request.uri.queryParameters["format"].map(String.init)
                guard [nil, "json", "csv"].contains(format) else {
                    throw APIProblem(.badRequest, "invalid_format", "format is json or csv.")
                }
                let document = GroupDocument(stored, list: requests.snapping.list)
                guard format == "csv" else { return .json(bytes: try document.json(windows, now: requests.now)) }
                return Response(
                    status: .ok, headers: [.contentType: "text/csv; charset=utf-8; header=present", .cacheControl: "no-store"],
                    body: .init(byteBuffer: ByteBuffer(bytes: document.csv(windows))))
            },
            APIController.Operation(method: .delete, path: "\(Self.path)/requests/{id}") { request, context in
                let organisation = try api.organisation(request), (stored, _) = try own(context, organisation)
                do { try requests.end(stored.id, by: organisation) } catch GroupRequestProblem.over {
                    throw APIProblem(.conflict, "over", "It is over already.")
                }
                return Response(status: .noContent)
            },
        ] + fhirOperations
    }

    /// A request of this organisation's.
    func own(_ context: HubContext, _ organisation: OrganisationID) throws -> (stored: StoredGroupRequest, windows: [GroupDelivery]) {
        guard let id = GroupRequestID(try context.parameters.require("id")), let found = try requests.request(id, of: organisation) else {
            throw APIProblem.notFound
        }
        return found
    }

    // MARK: What is sent

    struct SentQuestion: Decodable {
        struct Ages: Decodable {
            var from: Int?, through: Int?
        }

        struct Area: Decodable {
            struct Circle: Decodable {
                var latitude: Double, longitude: Double
                /// Metres.
                var radius: Double
            }

            var circle: Circle?
            /// Corners as [latitude, longitude].
            var polygon: [[Double]]?
        }

        struct Range: Decodable {
            var kind: String
            var from: Double?, below: Double?
        }

        var kinds: [String]
        var sexes: [String]?
        var ages: Ages?
        /// Codes or names.
        var regions: [String]?
        var area: Area?
        var ranges: [Range]?
    }

    struct SentRequest: Decodable {
        var question: SentQuestion
        var purpose: String?
        /// Of a subscription; once without.
        var days: Int?
        var past: Int?
        var mails: Bool?
    }

    private func sent(_ request: Request) async throws -> SentRequest {
        let body = try await request.body(upTo: APIController.bodyMax)
        guard let sent = try? JSONDecoder().decode(SentRequest.self, from: Data(body.readableBytesView)) else {
            throw APIProblem(
                .badRequest, "invalid_request",
                "The body is not {\"question\": {\"kinds\": […], …}, \"purpose\": …}, with \"days\" for a subscription.")
        }
        return sent
    }

    /// The question as it becomes.
    private func ask(_ sent: SentQuestion) throws -> GroupAsk {
        var draft = GroupDraft()
        draft.kinds = Set(try sent.kinds.map(kind))
        draft.sexes = try sent.sexes.map { names in
            Set(
                try names.map { name in
                    guard let sex = CellSex(word: name) else {
                        throw APIProblem(.badRequest, "invalid_sex", "A sex is one of female, male, other.")
                    }
                    return sex
                })
        }
        (draft.ageFrom, draft.ageThrough) = (sent.ages?.from, sent.ages?.through)
        draft.places = sent.regions ?? []
        if let circle = sent.area?.circle {
            draft.areas.append(.circle(try point(circle.latitude, circle.longitude), radius: circle.radius))
        }
        if let corners = sent.area?.polygon {
            draft.areas.append(.polygon(try corners.map { try $0.count == 2 ? point($0[0], $0[1]) : point(.nan, .nan) }))
        }
        draft.ranges = try (sent.ranges ?? []).map { GroupDraft.Range(try kind($0.kind), from: $0.from, below: $0.below) }
        do { return try requests.snapping.ask(draft) } catch { throw APIProblem(error, offered: requests.snapping.kinds) }
    }

    private func kind(_ name: String) throws -> DataKind {
        guard let kind = DataKind(name: name), requests.snapping.kinds.contains(kind) else {
            throw APIProblem.ungrouped(name, requests.snapping.kinds)
        }
        return kind
    }

    private func point(_ latitude: Double, _ longitude: Double) throws -> CoursePoint {
        guard abs(latitude) <= 90, abs(longitude) <= 180 else {
            throw APIProblem(.badRequest, "invalid_area", "Latitudes are -90 to 90 degrees, longitudes -180 to 180.")
        }
        return CoursePoint(latitude: Int32((latitude * 1e7).rounded()), longitude: Int32((longitude * 1e7).rounded()))
    }

    private func add(_ request: Request) async throws -> Response {
        let organisation = try api.organisation(request), sent = try await sent(request)
        guard let account = try api.accounts.account(organisation.account) else { throw APIProblem.notFound }
        let ask = try ask(sent.question)
        let term = sent.days.map { GroupRequest.Term.lasting(Milliseconds(max(0, min($0, 10_000))) * 86_400_000) } ?? .once
        // A year of windows takes its time.
        return try await api.reading(for: organisation) { try add(ask, term, sent, by: account) }
    }

    private func add(_ ask: GroupAsk, _ term: GroupRequest.Term, _ sent: SentRequest, by account: StoredAccount) throws -> Response {
        let organisation = OrganisationID(account.id)
        do {
            let stored = try requests.ask(
                ask, purpose: sent.purpose ?? "", term: term, past: sent.past ?? 1, mails: sent.mails ?? false, by: account)
            let windows = try requests.request(stored.id, of: organisation)?.windows ?? []
            let bytes = try GroupDocument(stored, list: requests.snapping.list).json(windows, now: requests.now)
            var response = Response.json(bytes: bytes, status: .created)
            response.headers[.location] = "\(Self.path)/requests/\(stored.id)"
            return response
        } catch let problem as GroupRequest.Problem { throw APIProblem(problem) } catch let problem as GroupRequestProblem {
            throw APIProblem(problem)
        }
    }
}

/// What can be asked about groups, and how sure answers are.
private struct GroupOffer: Encodable {
    struct Kind: Encodable {
        let kind: String, unit: String
        /// Where the classes of values begin: 16, the last has no end.
        let classes: [Double]
        let levels: [Level]
    }

    struct Level: Encodable {
        let level: String
        /// A cell of so many people is answered for certain.
        let certain: Int
        /// Half the width of the interval of the mean of 100,000 people in one cell.
        let error: Double?
    }

    let window: String
    /// Of the newest closed window; null before the first.
    let newest: String?
    let kinds: [Kind]
    let doorLeft: Int

    enum CodingKeys: String, CodingKey {
        case window, newest, kinds
        case doorLeft = "door_left"
    }

    init(_ requests: GroupRequests, doorLeft: Int) throws {
        (window, self.doorLeft) = (requests.budget.window.rawValue, doorLeft)
        newest = try requests.answers.newest().map { APITime.text($0.start) }
        kinds = requests.snapping.kinds.map { kind in
            let bins = GroupBins(kind), rows = requests.plan.rows.filter { $0.kind == kind }
            return Kind(
                kind: kind.name, unit: bins?.unit ?? "",
                classes: bins.map { bins in bins.isOrdered ? (0..<GroupBins.count).map(bins.lowest) : [] } ?? [],
                levels: rows.map { row in
                    Level(
                        level: "\(row.level)", certain: row.certain,
                        error: row.errors.first { $0.people == GroupPlan.sizes.last && $0.cells == 1 }?.half)
                })
        }
    }
}

extension APIProblem {
    fileprivate static func ungrouped(_ name: String, _ offered: [DataKind]) -> APIProblem {
        let known = offered.map(\.name).joined(separator: ", "), hasClasses = DataKind(name: name).flatMap { GroupBins($0) } != nil
        let why =
            hasClasses
            ? "\(name) has no share of the year's privacy budget on this hub, so that nothing about it is counted."
            : "\(name.prefix(40)) is not published about groups."
        return APIProblem(.badRequest, "invalid_kind", "\(why) A kind is one of \(known).")
    }

    fileprivate init(_ problem: GroupDraft.Problem, offered: [DataKind]) {
        switch problem {
        case .ages: self.init(.badRequest, "invalid_ages", "Ages are 0 to \(GroupDraft.ageMax), and through is not below from.")
        case .unknownPlace(let name):
            self.init(.badRequest, "unknown_region", "\(name.prefix(100)) is no place of the list. Send its code or its whole name.")
        case .ambiguousPlace(let name, let codes):
            let choices = codes.map(\.text).joined(separator: ", ")
            self.init(.badRequest, "ambiguous_region", "\(name.prefix(100)) is the name of several places. Send one code: \(choices).")
        case .area:
            self.init(
                .badRequest, "invalid_area", "A polygon has 3 to \(GroupArea.cornersMax) corners, a circle a radius above 0 metres.")
        case .areaWithoutPlaces:
            self.init(
                .badRequest, "empty_area",
                "The middle of no municipality lies inside. Outside of Italy there are none: send regions by code or name.")
        case .range(let kind): self.init(.badRequest, "invalid_range", "below is above from in the range of \(kind.name).")
        case .ask(let problem): self.init(problem, offered: offered)
        }
    }

    private init(_ problem: GroupAsk.Problem, offered: [DataKind]) {
        switch problem {
        case .noKinds: self.init(.badRequest, "no_kinds", "Name at least one kind.")
        case .notGrouped(let kind): self = .ungrouped(kind.name, offered)
        case .unconstrained:
            self.init(.badRequest, "unconstrained", "Name a constraint: sexes, ages, regions, an area or ranges. Everybody is no group.")
        case .empty: self.init(.badRequest, "empty", "Nobody can be in this group.")
        case .unknownRegion(let code): self.init(.badRequest, "unknown_region", "The list of regions has no \(code).")
        case .tooManyRegions(let count):
            self.init(
                .badRequest, "too_many_regions",
                "These are \(count) regions, and \(GroupAsk.regionsMax) are the most. Ask about the provinces around them.")
        case .positionsOfOneRegion: self.init(.badRequest, "positions_of_one_region", "Positions are asked of one region alone.")
        case .rangeOfPositions: self.init(.badRequest, "invalid_range", "There is no range of positions.")
        }
    }

    fileprivate init(_ problem: GroupRequest.Problem) {
        switch problem {
        case .purposeMissing: self.init(.badRequest, "purpose_missing", "Say in purpose what you want the figures for.")
        case .purposeTooLong:
            self.init(.badRequest, "purpose_too_long", "The purpose has \(GroupRequest.purposeCharactersMax) characters at most.")
        case .termOutOfRange: self.init(.badRequest, "invalid_days", "days is 1 to \(GroupRequest.lastingMax / 86_400_000).")
        case .pastOutOfRange:
            self.init(.badRequest, "invalid_past", "past is 0 to \(GroupRequest.pastMax) closed windows, and at least 1 without days.")
        }
    }

    fileprivate init(_ problem: GroupRequestProblem) {
        switch problem {
        case .notYours: self = .notFound
        case .alreadyAsked(let id):
            self.init(.conflict, "already_asked", "The same waits or runs already: \(APIGroups.path)/requests/\(id).")
        case .tooManyOpen:
            self.init(.conflict, "too_many_open", "\(GroupRequestStore.openMax) requests wait or run. End one before you ask another.")
        case .over: self.init(.conflict, "over", "It is over already.")
        }
    }
}
