import Testing

@testable import Accounts

@Suite("Regions: the list, and where a residence lies")
struct RegionsTests {
    /// Made like the hub's own file, with few places.
    static let file = """
        TMREGIONS 1
        !Made up
        =AR\tArgentina\tArgentina\tARG
        =BR\tBrazil\tBrasile\tBRA
        +SP\tSão Paulo
        =CH\tSwitzerland\tSvizzera\tCHE
        +VD\tVaud
        +ZH\tZürich
        =IT\tItaly\tItalia\tITA
        +21\tPiemonte
        -CN\tCuneo
        004029\tBra\t\t12042\t26831
        -TO\tTorino
        001184\tPerosa Argentina\t\t10063
        +25\tLombardia
        -BG\tBergamo
        016024\tBergamo\t\t24121-24129\t119381\t45.695\t9.670
        016063\tCastro\t\t24063\t1400
        -MI\tMilano
        015146\tMilano\t\t20121-20123 20125\t1371498\t45.464\t9.190
        +32\tTrentino-Alto Adige\tSüdtirol
        -BZ\tBolzano\tBozen
        021008\tBolzano\tBozen\t39100\t107436
        +45\tEmilia-Romagna
        -FI\tFirenze
        048004\tBorgo San Lorenzo\t\t50032
        -FC\tForlì-Cesena
        040012\tForlì\t\t47121-47122\t117798
        +62\tLazio
        -RM\tRoma
        058091\tRoma\t\t00118-00199\t2318895
        +75\tPuglia
        -LE\tLecce
        075096\tCastro\t\t73030\t2300
        +88\tSardegna
        -CA\tCagliari
        092009\tCagliari\t\t\t149257
        =US\tUnited States\tStati Uniti\tUSA
        +NY\tNew York
        +TX\tTexas
        =VA\tHoly See\tSanta Sede\tVAT
        """

    static func list() throws -> RegionList { try RegionList(Array(file.utf8)) }

    private func code(_ text: String) throws -> RegionCode { try #require(RegionCode(text)) }

    @Test(
        "GRP-1: names in ASCII are folded as all others are",
        arguments: [
            ("Rocca d'Arazzo", "rocca d arazzo"), ("  Trentino-Alto Adige ", "trentino alto adige"), ("SAN 2 (Bis)", "san 2 bis"),
            ("--", ""),
            ("A_b@c[d`e{f", "a b c d e f"),
        ])
    func folded(name: String, folded: String) {
        #expect(Normalisation.folded(name) == folded)
        // With a letter outside of ASCII at the end, the tables of Unicode say the same of what is before it.
        #expect(Normalisation.folded(name + " è") == (folded.isEmpty ? "e" : folded + " e"))
    }

    @Test("GRP-1: a place lies in its province, region and country, and has people and a middle where the list knows them")
    func places() throws {
        let list = try Self.list(), milan = try code("IT-015146")
        #expect(list.path(of: milan).map(\.code.text) == ["IT-015146", "IT-MI", "IT-25", "IT"])
        #expect(list.part(of: milan, .region)?.text == "IT-25" && list.part(of: milan, .municipality) == milan)
        #expect(list.part(of: try code("CH-VD"), .province) == nil)
        #expect(list[milan]?.population == 1_371_498 && list[milan]?.centre?.latitude == 45.464)
        #expect(try list[code("IT-016063")]?.centre == nil && list[code("IT-BG")]?.population == nil)
        #expect(list.children(of: try code("CH")).map(\.name) == ["Vaud", "Zürich"])
        #expect(try list[code("CH")]?.name(in: "it") == "Svizzera" && list[code("CH")]?.name(in: "en") == "Switzerland")
        #expect(list.path(of: try code("IT-999999")).isEmpty && list.credits == ["Made up"])
    }

    @Test(
        "GRP-1: a residence lies where its town, postal code, province and country say",
        arguments: [
            ("Milano", "IT-015146"), ("via Roma 12, 20121 Milano (MI)", "IT-015146"), ("Via Milano 4, 24124 Bergamo", "IT-016024"),
            ("VIA ROMA 3 - 00184 ROMA RM", "IT-058091"), ("Castro (LE)", "IT-075096"), ("Castro, Bergamo", "IT-016063"),
            ("73030 Castro", "IT-075096"), ("Piazza Walther 1, 39100 Bozen", "IT-021008"), ("forli'", "IT-040012"), ("FORLÌ", "IT-040012"),
            ("Napoli 4, 20125 Milano, Italy", "IT-015146"), ("09124 Cagliari", "IT-092009"), ("Bergamo, Lombardia, Italia", "IT-016024"),
            ("Rue de Bourg 1, 1003 Lausanne, Vaud, Svizzera", "CH-VD"), ("Zurich, Switzerland", "CH-ZH"),
            ("5 Main Street, Albany, NY 12207, USA", "US-NY"), ("Holy See", "VA"), ("Bra", "IT-004029"),
            ("Via Milano 4 20121", "IT-015146"), ("Perosa Argentina", "IT-001184"), ("São Paulo, Brasile", "BR-SP"),
            ("Borgo San Lorenzo", "IT-048004"), ("Via Roma 1, Borgo San Lorenzo", "IT-048004"),
        ])
    func found(residence: String, expected: String) throws {
        #expect(try Self.list().home(of: residence, country: "IT") == .found(code(expected)))
    }

    @Test(
        "GRP-1: what fits several places, none, or contradicts itself is the person's to say",
        arguments: [
            ("Castro", ["IT-016063", "IT-075096"]), ("20121 Bergamo", ["IT-016024", "IT-015146"]), ("20121", ["IT-015146"]),
            ("Atlantis", []), ("Via Roma 1", ["IT-058091"]), ("Milano (LE)", ["IT-015146"]), ("", []),
            ("Lausanne, Switzerland", ["CH-VD", "CH-ZH"]),
        ])
    func unclear(residence: String, expected: [String]) throws {
        #expect(try Self.list().home(of: residence, country: "IT") == .unclear(expected.map(code)))
    }

    @Test("GRP-1: a residence without a country is in that of the tax identifier, and a town of another country is asked about")
    func assumed() throws {
        let list = try Self.list()
        #expect(list.home(of: "Austin, TX 78701", country: "US") == .found(try code("US-TX")))
        #expect(list.home(of: "Milano", country: "CH") == .unclear([try code("IT-015146")]))
        #expect(list.home(of: "Lausanne", country: "CH") == .unclear(try ["CH-VD", "CH-ZH"].map(code)))
        #expect(list.home(of: "Milano", country: "") == .unclear([try code("IT-015146")]))
        #expect(RegionList.empty.home(of: "Milano", country: "IT") == .unclear([]))
    }

    @Test("GRP-1: the search finds names by their beginning, whole and large ones first")
    func search() throws {
        let list = try Self.list()
        #expect(list.search("milano", limit: 5).map(\.code.text) == ["IT-MI", "IT-015146"])
        #expect(list.search("ROM", limit: 5).map(\.name) == ["Roma", "Roma", "Emilia-Romagna"])
        #expect(list.search("cesena", limit: 5).map(\.name) == ["Forlì-Cesena"])
        #expect(list.search("svizz", limit: 5).map(\.code.text) == ["CH"])
        #expect(list.search(" ", limit: 5).isEmpty && list.search("milano", limit: 1).count == 1)
    }

    @Test(
        "GRP-1: a broken list names its line",
        arguments: [
            ("", 1), ("TMREGIONS 2\n", 1), ("TMREGIONS 1\n+25\tLombardia", 2), ("TMREGIONS 1\n=IT\tItaly\n015146\tMilano", 3),
            ("TMREGIONS 1\n=it\tItaly", 2), ("TMREGIONS 1\n=IT", 2), ("TMREGIONS 1\n=IT\tItaly\n+25\tL\n-MI\tM\n015146\tM\t\t2-1", 5),
        ])
    func broken(file: String, line: Int) throws {
        do {
            _ = try RegionList(Array(file.utf8))
            Issue.record("read")
        } catch { #expect(error.line == line) }
    }

    @Test("GRP-1: whatever somebody types as a residence, the answer is of the list")
    func anything() throws {
        let list = try Self.list()
        let pieces = ["Milano", ",", " ", "20121", "(", "MI", ")", "🙂", "é", "via", "Castro", " - ", "Italia", "\0", "LE"]
        for _ in 0..<2000 {
            let residence = (0..<Int.random(in: 0...7)).map { _ in pieces.randomElement() ?? "" }.joined(separator: " ")
            switch list.home(of: residence, country: ["IT", "CH", "", "XX"].randomElement() ?? "") {
            case .found(let code): #expect(list[code] != nil)
            case .unclear(let codes): #expect(codes.allSatisfy { list[$0] != nil } && Set(codes).count == codes.count)
            }
        }
    }

    @Test("GRP-1: codes have two capitals, a dash and capitals or digits")
    func codes() {
        for text in ["IT", "IT-25", "IT-MI", "IT-015146", "GB-ENG"] { #expect(RegionCode(text)?.text == text) }
        for text in ["", "I", "it", "IT-", "IT25", "IT-0151467", "IT-m", "-", "ÌT"] { #expect(RegionCode(text) == nil) }
    }

    @Test("GRP-1: a place is named by its code or by its whole name, and by what lies around it where several have that name")
    func named() throws {
        let list = try RegionList(Array(Self.file.utf8))
        func codes(_ typed: String) -> [String] { list.places(named: typed).map(\.code.text) }
        #expect(codes("IT-015146") == ["IT-015146"] && codes("roma") == ["IT-RM", "IT-058091"], "the large place first")
        #expect(codes("Castro") == ["IT-075096", "IT-016063"] && codes("Castro, Bergamo") == ["IT-016063"])
        #expect(codes("castro,puglia") == ["IT-075096"] && codes("Vaud, Switzerland") == ["CH-VD"] && codes("Bozen, Südtirol").count == 2)
        for unknown in ["", ",", "Cast", "Castro, Torino", "IT-999999"] { #expect(codes(unknown).isEmpty, "\(unknown)") }
    }
}
