/// What an organisation asked about groups, the newest first.
struct GroupsPage: FramedPage {
    static let template = "groups"

    struct Item: TemplateModel {
        let id: String, kinds: String, who: String, term: String, purpose: String, state: String
        /// It cannot be ended (any more).
        let isOver: Bool
    }

    let mayAsk: Bool
    let isEmpty: Bool
    let items: [Item]
    /// Where older ones begin.
    var next: String?
}

/// The form of a question, and what it became.
struct GroupAskPage: FramedPage {
    static let template = "groupAsk"

    /// A field that is sent back as it is.
    struct Sent: TemplateModel {
        let name: String, value: String
    }

    struct Became: TemplateModel {
        let lines: [GroupWords.Line]
        /// From how many people on it is answered for certain, and how sure it is: a line for each kind.
        let sure: [String]
        let note: String
        let fields: [Sent]
        let hasPoints: Bool
        let points: [PlacesMap.Point.Model]
    }

    /// Places of the map, at most: the list beside it has all.
    static let pointsMax = 500

    let form: FormPart
    let became: Became?
    /// Nothing is grouped here.
    let isOff: Bool
    let doorLeft: String
    let mapConfig: String
}
