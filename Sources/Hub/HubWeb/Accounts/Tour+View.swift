import Accounts
import HTTPTypes
import Hummingbird

/// What TrackMe does for whom, before there is an account (ACC-14): five cards with pictures, of which the last says what is needed.
struct TourPages: Sendable {
    let templates: Templates
    /// Who signs up by a form here.
    let roles: [Role]

    private var readers: [Reader] { Reader.allCases.filter { roles.contains($0.signUp) } }

    /// For whom there is a tour.
    enum Reader: String, CaseIterable {
        case person, relative, organisation, organiser

        /// Of each card, in `tour.svg`.
        var pictures: [String] {
            switch self {
            case .person: ["strap", "curve", "sos", "consent", "needs"]
            case .relative: ["care", "told", "setup", "consent", "needs"]
            case .organisation: ["ask", "publish", "consent", "read", "needs"]
            case .organiser: ["course", "enrol", "race", "cheer", "needs"]
            }
        }

        /// How they sign up.
        var signUp: Role {
            switch self {
            case .person: .person
            case .relative: .caregiver
            case .organisation: .organisation
            case .organiser: .organiser
            }
        }
    }

    func routes(_ router: some RouterMethods<HubContext>) {
        router.get("/tour") { request, context in
            let frame = Frame(request, context), texts = frame.texts
            return page(
                TourPage(
                    intro: texts["guide.text"], skip: skip(frame, "/sign-up"), choose: texts["guide.chooseRole"],
                    roles: choices(readers, texts)), frame, texts["guide.title"])
        }
        router.get("/tour/:reader") { request, context in
            guard let reader = Reader(rawValue: try context.parameters.require("reader")), readers.contains(reader) else {
                throw HTTPError(.notFound)
            }
            let frame = Frame(request, context), texts = frame.texts
            return page(
                TourPage(
                    intro: texts["guide.\(reader.rawValue)Text"], skip: skip(frame, "/sign-up/\(reader.signUp.rawValue)"),
                    cards: TourPage.Cards(list: cards(reader, frame)), choose: texts["guide.chooseOther"],
                    roles: choices(readers.filter { $0 != reader }, texts)), frame, texts["guide.\(reader.rawValue)"])
        }
    }

    private func page(_ page: TourPage, _ frame: Frame, _ title: String) -> Response {
        templates.page(page, frame, title: title, help: "accounts")
    }

    /// Who has an account needs none.
    private func skip(_ frame: Frame, _ signUp: String) -> Link {
        frame.session == nil
            ? Link(href: signUp, text: frame.texts["guide.skip"]) : Link(href: "/home", text: frame.texts["guide.skipMember"])
    }

    private func choices(_ readers: [Reader], _ texts: Texts) -> [TourPage.Role] {
        readers.map { reader in
            let key = "guide.\(reader.rawValue)"
            return .init(href: "/tour/\(reader.rawValue)", heading: texts[key], about: texts["\(key)Text"])
        }
    }

    private func cards(_ reader: Reader, _ frame: Frame) -> [TourPage.Card] {
        let texts = frame.texts, pictures = reader.pictures
        return pictures.enumerated().map { index, picture in
            let number = index + 1, isLast = number == pictures.count, key = "guide.\(reader.rawValue)\(number)"
            let step = ["n": texts.number(number), "all": texts.number(pictures.count)]
            var card = TourPage.Card(
                number: number, picture: picture, progress: texts.filled("guide.step", step),
                heading: texts[isLast ? "guide.needs" : key], hasNeeds: isLast)
            if isLast {
                card.needs = texts["\(key)Needs"].split(separator: "\n").map(String.init)
                if frame.session == nil { card.begin = Link(href: "/sign-up/\(reader.signUp.rawValue)", text: texts["signUp.title"]) }
            } else {
                (card.about, card.next) = (texts["\(key)Text"], number + 1)
            }
            if number > 1 { card.back = number - 1 }
            return card
        }
    }
}

struct TourPage: FramedPage {
    static let template = "tour"

    struct Card: TemplateModel {
        let number: Int
        /// One of `tour.svg`.
        let picture: String
        let progress: String, heading: String
        var about: String?
        let hasNeeds: Bool
        var needs: [String] = []
        /// The way on, on the last card.
        var begin: Link?
        /// The numbers of the cards beside it.
        var back: Int?
        var next: Int?
    }

    struct Cards: TemplateModel {
        let list: [Card]
    }

    struct Role: TemplateModel {
        let href: String, heading: String, about: String
    }

    let intro: String
    let skip: Link
    /// nil where the reader has yet to say who they are.
    var cards: Cards?
    let choose: String
    let roles: [Role]
}
