/// A form, with what is said above and below it.
struct FormPage: FramedPage {
    static let template = "form"

    struct Fixed: TemplateModel {
        let title: String
        let list: [Fact]
    }

    var good: String?
    var intro: String?
    /// What the reader cannot change.
    var fixed: Fixed?
    var form: FormPart?
    /// The words of the link to the documents that are accepted.
    var documents: String?
    var links: [Link] = []
}

/// A page that says one thing.
struct NoticePage: FramedPage {
    static let template = "notice"

    let text: String
}

/// Paragraphs.
struct ArticlePage: FramedPage {
    static let template = "article"

    let paragraphs: [String]
    /// How whoever runs the hub is reached.
    var contact: String?
    var links: [Link] = []
}

/// A page with one button, whose POST alone does something.
struct ButtonPage: FramedPage {
    static let template = "button"

    let text: String, action: String, button: String
}

/// What is to be written down or printed.
struct SheetPage: FramedPage {
    static let template = "sheet"

    var text: String
    var facts: [Fact] = []
    var link: Link?
}

/// The address of a phone in links (`tel:`), and as people read it.
struct PhoneLink: TemplateModel {
    let number: String, link: String

    init(_ number: String) { (self.number, link) = (number, number.filter { $0 == "+" || $0.isNumber }) }
}

/// The way to a place, as phones take it (`geo:`, RFC 5870).
struct GeoLink: TemplateModel {
    let geo: String
}

/// An address that was just made.
struct AddressPart: TemplateModel {
    let address: String
}

/// A command that was just made.
struct CommandPart: TemplateModel {
    let command: String
}

/// One of several links, of which one leads to where the reader is.
struct Choice: TemplateModel {
    let href: String, text: String
    let isHere: Bool
}

/// Something that was said at some time.
struct TimedText: TemplateModel {
    let time: String, text: String
}
