/// The words of which the most frequent passwords of published breaches are made, in English and Italian. Forms with other letters, digits
/// or signs are found from these.
enum CommonPasswords {
    private static let lengths = 4...16

    /// The length of the longest of these words that stands at `index`; 0 for none.
    static func match(in text: Folded, at index: Int) -> Int {
        for length in lengths.reversed() where index + length <= text.count {
            if [text.plain, text.letters].contains(where: { words.contains(word($0[index..<index + length])) }) { return length }
        }
        return 0
    }

    private static func word(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }

    static let words = Set(list.split(whereSeparator: \.isWhitespace).map(String.init))

    private static let list = """
        password passwort passw passwd pass word parola segreto secret default changeme letmein welcome benvenuto login admin administrator
        root toor user username guest test tester testing temp master access hello ciao salve whatever trustno1 iloveyou loveyou love
        lovely loveme tiamo amore amoremio teamo tesoro cuore bacio baci angel angelo angela angels baby babygirl babyboy princess
        principessa prince queen king kings lover forever always together family famiglia mother mamma mammina father papa daddy mommy
        sister sorella brother fratello friend friends amici amico happy smile sorriso sunshine sunny summer estate winter inverno
        spring primavera autumn autunno january february march april june july august september october november december gennaio
        febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre monday tuesday wednesday thursday friday
        saturday sunday lunedi martedi mercoledi giovedi venerdi sabato domenica
        monkey dragon drago tiger tigre lion leone eagle aquila falcon wolf lupo bear orso horse cavallo panther dolphin delfino
        butterfly farfalla kitten kitty gatto gattino puppy cane cagnolino doggy rabbit chicken turtle tartaruga spider ragno shark
        cookie biscotto chocolate cioccolato cheese formaggio banana orange arancia apple mela peaches cherry ciliegia strawberry fragola
        pepper ginger peanut pizza pasta coffee caffe sugar honey candy
        football calcio soccer baseball basketball basket hockey tennis golf golfer rugby volley pallavolo hunter hunting fishing runner
        running boxing karate ranger rangers cowboy cowboys yankees lakers eagles steelers chelsea arsenal liverpool barcelona madrid
        juventus juve forzajuve inter forzainter milan forzamilan roma forzaroma lazio napoli forzanapoli torino palermo bologna
        firenze fiorentina venezia genova sampdoria catania verona ferrari lamborghini maserati ducati yamaha honda porsche mercedes
        corvette mustang camaro harley vespa
        superman batman spiderman ironman starwars startrek pokemon pikachu naruto matrix hobbit gandalf merlin phoenix wizard warrior
        knight ninja samurai pirate shadow silver golden diamond crystal blackjack thunder lightning storm flower fiore rainbow
        arcobaleno stella stellina star sole luna moon galaxy planet heaven paradise hell devil diavolo demon killer
        computer internet google yahoo facebook instagram youtube twitter microsoft windows apple samsung nokia android iphone linkedin
        amazon netflix server system network security service support office private personal account database oracle cisco
        hospital ospedale doctor dottore medico nurse salute health heart
        michael jordan jennifer jessica ashley amanda daniel daniela andrew andrea anthony antonio antonella matthew matteo joshua robert
        roberto roberta thomas tommaso william charlie charles george giorgio giorgia james john johnny joseph giuseppe giovanni giovanna
        nicole nicola nicholas alexander alessandro alessandra alessia alessio francesco francesca federico federica stefano stefania
        simone simona martina marco maria mario mariarosa marina luca lucia laura lorenzo leonardo claudia claudio chiara elena elisa
        emanuele enrico fabio filippo gabriele giacomo giulia giulio ilaria jacopo massimo maurizio michela michele monica paola paolo
        patrizia patrick pietro raffaele riccardo richard salvatore samuel sara sarah serena sergio silvia sofia valentina vincenzo
        veronica vittoria vittorio melissa michelle hannah sophie samantha rachel rebecca victoria vanessa patricia barbara sandra susan
        taylor tyler brandon justin kevin jason brian steven hunter maggie buster bailey chester sparky rocky lucky fortuna fortunato
        rosario carmela carmen alberto alfredo angelica anna annamaria arianna aurora beatrice camilla carlo carlos caterina cristian
        christian cristina christine davide david diego domenico edoardo eleonora
        italia italy america americano england london londra paris parigi berlin texas dallas boston chicago newyork california
        florida canada mexico brasil europa world mondo
        freedom liberta peace pace money soldi dollar euro power potere energy music musica guitar chitarra piano dance rock metal
        metallica nirvana beatles eminem vascorossi ligabue games game player gamer minecraft fortnite playstation nintendo xbox
        fuck fuckyou fuckoff bitch asshole shit sexy pussy vaffanculo cazzo merda stronzo puttana porco
        correct battery staple correcthorse jesus christ gesu madonna angelina church faith blessed blessing grace
        black blue green purple yellow white nero bianco rosso verde azzurro giallo pink rosa viola
        abcd abc123 qwer asdf zxcv qwerty azerty qwertz qweasd qweasdzxc asdasd qweqwe zxczxc asd123 qwe123 aaaa
        0000 1111 1212 2222 3333 4444 5555 6666 7777 8888 9999 112233 123321 121212 131313 696969 159357 147258369 147258 258456 789456
        789456123 741852963 852456 963852741 31415926 10203 102030 420420 654321 987654321 monkey1 ncc1701 thx1138 pass1 p455w0rd
        """
}
