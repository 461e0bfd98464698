/// The most frequent passwords of published breaches that the words of ``CommonPasswords`` do not find: of the list of zxcvbn 4.5 (Dropbox,
/// MIT licence) those of 8 characters or more, the most frequent first. The operator's own list may hold millions more.
enum FrequentPasswords {
    /// Whether a password is one of them, also with digits or signs behind it.
    static func contains(_ text: Folded) -> Bool {
        var rest = text.plain[...]
        while !words.contains(word(rest)) {
            guard let last = rest.last, !last.properties.isAlphabetic else { return false }
            rest = rest.dropLast()
        }
        return true
    }

    private static func word(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }

    private static let words = Set(list.split(whereSeparator: \.isWhitespace).map(String.init))

    private static let list = """
        maverick hardcore midnight marlboro liverpoo slipknot scorpion redskins butthead mountain elephant rush2112 creative garfield
        airborne brooklyn godzilla 4815162342 darkness blink182 platinum lifehack 12qwaszx snowball pakistan redwings guinness lasvegas
        michigan carolina alexande dickhead snickers lacrosse bollocks drowssap spitfire maryjane champion svetlana westside scarface
        semperfi scotland cherokee simpsons vladimir infinity bulldogs budlight usuckballz1 softball fktrcfylh kawasaki wildcats logitech
        alexandr motorola patriots colorado warcraft wolverin elizabet valentin pearljam predator peekaboo rolltide cardinal chevelle
        fyfcnfcbz electric darkside hercules blizzard cheyenne cjkysirj 147852369 a1b2c3d4 airplane billybob chocolat stingray firebird
        zeppelin tarheels engineer serenity fireball 1029384756 bobafett dbrnjhbz swimming precious icecream presario airforce thailand
        goldfish wrangler cadillac longhorn atlantis software srinivas veronika soso123aljg stephani renegade enterpri sweetpea trfnthbyf
        bigboobs aardvark butterfl marathon cavalier buckeyes highland sherlock thuglife morpheus consumer adgjmptw overlord ultimate
        geronimo aleksandr portugal superfly wrinkle1 seminole alejandr concrete trombone rhbcnbyf cdtnkfyf mongoose immortal dietcoke
        hollywoo bonehead ghbdtnbr charlott 1123581321 sebastia eternity cooldude tottenha makaveli satan666 verbatim raistlin waterloo
        seinfeld megadeth skywalke squirrel wolverine twilight vanhalen punisher showtime ekaterina skittles hannibal panasonic portland
        californ playtime 1a2b3c4d gangster chargers dingdong mushroom crusader dkflbvbh guardian slapshot septembe 147896325 rammstein
        munchkin barcelon coltrane goodluck katerina shaney14 fuck_inside discover meridian heather1 stonecol lowrider tacobell halflife
        keyboard kangaroo socrates formula1 mailcreated5240 vacation penguins ragnarok colombia dodgeram sithlord scoobydo oblivion
        titleist bigballs mersedes nuttertools gateway1 peterpan freckles aspirine mariners scooter1 plymouth creampie justdoit lightnin
        caliente goodtime thankyou raiders1 brucelee aquarius catherin porkchop sapphire a1s2d3f4 chevrole amsterdam spectrum labrador
        syracuse front242 commando clitoris pineappl lesbians 8j4ye3uz spartans snuggles cosworth qawsedrf doberman beefcake godsmack
        viktoria achilles sailboat jackson1 terminator phillies swingers frontier butthole doughboy nebraska agent007 dannyboy whocares
        ihateyou vkontakte mandingo dilligaf bunghole technics 15426378 aberdeen enterprise stripper hurrican rfnthbyf dthjybrf excalibu
        lancelot keystone flamingo designer warhammer apollo13 manchest meatball sentinel billyboy microsof microlab gordon24 pantyhos
        73501505 azsxdcfv charlton fordf150 superstar wildfire vladislav maradona rjirfrgbde rightnow jasmine1 hyperion meatloaf anaconda
        poontang albatros kenworth dinosaur turkey50 ericsson fktrcfylhf polniypizdec0211 crazybab skywalker skorpion hedgehog australi
        13243546 yosemite karolina greatone freeporn roadkill cinnamon backdoor packers1 rastaman sojdlg123aljg robotech 18436572 mechanic
        operator rasputin amsterda majestic wrestlin lineage2 nwo4life kcj9wx5n umbrella r2d2c3po snoopdog underdog shannon1 bullseye
        tunafish dkflbckfd translator magicman caligula 12131415 dfktynbyf deepthroat tazmania tommyboy marino13 vfhufhbnf brighton
        budweise chainsaw eastside undertaker snowboar chrisbln viewsonic penthous flounder thanatos panasoni sneakers ghjcnjnfr titanium
        madison1 intruder gargoyle poseidon newcastl johannes buckshot multiplelo westwood sunflowe paintbal knickers lokomotiv winston1
        rjycnfynby thirteen philippe avalanch idontknow 1x2zkg8w zxasqw12 francesc paintball southpark cambiami monalisa chuckles
        gladiator spongebob mazafaka meathead barefoot cfitymrf clevelan terrapin clarinet deeznutz traveler hawkeyes casanova andromeda
        triangle monster1 smeghead cerberus goldwing gabriell tiberius hayabusa salamander 12qw34er thegreat gesperrt whiskers overkill
        rhfcjnrf montgom240 sersolution bulldog1 runescape megatron illusion hoosiers leavemealone balloons tinkerbell heineken mortgage
        doghouse hardcock 135792468 seahawks godfathe bookworm talisman hawaiian mortimer roadrunn handyman alphabet digital1 beautifu
        dutchess tiffany1 idontkno teddybea valkyrie inuyasha wishbone sinister preacher z1x2c3v4 claymore checkers armagedon electron
        rhtdtlrj ghostrider bcfields southpar mandarin kleopatra tottenham dirtbike jackson5 slippery 1357924680 mollydog ghblehjr
        cameltoe vasilisa elizaveta flexible farscape borussia yfcntymrf scorpio1 fyutkbyf thedoors 7ugd5hip2j deadpool gatorade carpedie
        cameron1 webmaste chrysler gabriel1 binladen buttercu millwall stonecold istanbul bullfrog bobdylan capslock chevrolet coolness
        barbados knockers amateurs jayhawks 9293709b13 eldorado soulmate andromed 50spanks netscape carlitos eastwood microphone coldbeer
        fgtkmcby just4fun specialk piramida mephisto violetta spencer1 smashing fastball buddyboy kissmyass radiohea wildcard maxwell1
        pringles insomnia 1a2s3d4f playboy1 darklord magician telephon vsjasnel12 iverson3 budapest yjdsqgfhjkm reckless maksimka kazantip
        concorde pharmacy abnormal jellybea islander jiggaman classics hooligan scrabble hawaii50 mazda626 rhjrjlbk sweetnes masamune
        mariposa doomsday excalibur marcello dynamite inspiron snowboard forsaken katarina sausages stanislav robotics mobydick senators
        pumpkins windsurf vfitymrf nevermind woodland anastasiya presiden vanguard drummer1 fandango pumpkin1 highheel icehouse
        harrypotter earnhard misfit99 1z2x3c4v broncos1 platypus radiohead abrakadabra dodgers1 viktoriya reddwarf slamdunk honolulu
        134679852 windmill bergkamp irishman zildjian mudvayne freebird snowflak nygiants playstat webhompas jefferso comanche death666
        hounddog fishbone genesis1 clippers bigblock fuckinside chipmunk mazdarx7 kjrjvjnbd anastasi roadster cbr900rr good123654 zachary1
        highbury koroleva washingt redbaron krasotka pipeline nascar24 tkbpfdtnf smirnoff fishhead scoobydoo konstantin terminat ghbywtccf
        slowhand cricket1 nostromo survivor cnfybckfd lemonade cocksuck solitude catwoman wanderer stephen1 paradigm fantasia 74108520
        gtnhjdbx armstron revolver trouble1 jackass1 volkswag marines1 wildbill 45m2do5bs cleopatr coventry sidekick gbhfvblf zanzibar
        highlander tinkerbe threesom nautilus everlast ghbdtn123 ghjcnjgfhjkm penguin1 tokiohotel sonyericsson pantera1 andyod22 handball
        marseille matthias viewsoni sandrine fearless antelope barselona fyfnjkbq fairlane fantomas gladiato buffalo1 cheshire tomahawk
        bismillah bigpoppa margarit success1 pasadena coldplay capricorn sweetness elcamino trinitro voyager1 carpente spartan1 callisto
        vendetta wildwood foxylady leedsutd dominion enforcer derparol remingto vjqgfhjkm rfvfcenhf carnival papillon knuckles cutiepie
        ghjuhfvvf freefall baritone mischief hetfield dontknow sasha_007 calimero alexandre cygnusx1 firefigh blowfish screamer harddick
        kordell1 marijuana noname123 francisc obsidian dfktynby lakeside suckmydick strawber slimshady whistler cassandr paramedi eclipse1
        smackdow argentin capricor bigbooty cherries dogpound universa eggplant fussball captain1 vincent1 taekwondo perfect1 capetown
        budweiser sylveste cartman1 marseill magellan southpaw notebook pufunga7782 goodgirl challeng millenium sabrina1 hotgirls goldfing
        mandrake bubbles1 marcius2 navigator fkbyjxrf earthlink opendoor stanley1 lakewood commande gateway2 ironmaiden destiny1 espresso
        toriamos ghhh47hj7649 23skidoo bordeaux 135798642 supernov optimist nightwish natasha1 patches1 gsxr1000 hattrick enternow
        lenochka suckdick intercourse waterboy mamacita htubcnhfwbz limewire houston1 stratfor stigmata klondike marijuan hardball
        nineinch vauxhall awesome1 krokodil rfntymrf cabernet sheepdog natalie1 montana1 baltimor mash4077 cashmone vancouve ilikepie
        hairball toonarmy pimpdadd theforce scheisse sigmachi bigdicks rfhnjirf dolemite pathfind vqsablpzla modelsne futurama smoothie
        archange vagabond billabon darkange skateboard evolutio morrowind plastics dominiqu nevermore forgetit aolsucks woodstoc scrapper
        ncc74656 slimshad austin31 jellybean fireblad flamengo snowbird lonesome baracuda singapor kamasutra vipergts navyseal peterbil
        cucumber homemade bradley1 warhamme pinnacle flipflop lfitymrf acidburn fellatio jeepster vfntvfnbrf trinity1 cartoons rainyday
        alleycat apollo11 escalade daisydog cocksucker fyutkjxtr whiplash adrenalin ambrosia 5wr2i7h8 penetration stickman charisma
        nightmar laetitia 0192837465 phialpha 10293847 bismarck bynthytn mallorca dragster favorite6 beethove normandy trumpet1 thumper1
        playball guillaum buttercup cambridg pavement smackdown cannibal nthvbyfnjh 369258147 benessere skipper1 sephiroth hallowee
        sparkles amethyst bettyboo ticklish mynameis jupiter1 longhair gannibal skinhead montecar special1 letsdoit allison1 alcatraz
        frankie1 virginie dfcbkbcf montrose supernova frederik justice1 playboy2 motocros lockdown istheman rustydog tampabay vampire1
        streaming fidelity capitals dreamcas playmate delpiero wonderboy sergbest left4dead sunlight popcorn1 bigtruck revoluti feelgood
        gogators trooper1 usmarine lebowski madagaskar naughty1 fisherman weare138 piercing abracadabra macintos crescent eatmenow
        kicksass rfhfvtkmrf paladin1 lunchbox riversid acapulco rhfcfdbwf mercury1 ronaldinho masterbating matchbox parlament goodyear
        hardwood erection highlife implants bendover supersonic laserjet natedogg sopranos cashflow ghjcnbnenrf ireland1 alterego cantona7
        ljxtymrf bobmarley trinitron flyers88 mallrats tamerlan backbone huskers1 1qw23er4 nineball stewart1 ballsack flipper1 dortmund
        homepage coolhand greedisgood wonderfu barefeet kcchiefs cheerleaers macaroni gigabyte cyclones jurassic thebeast nemrac58
        flvbybcnhfnjh feathers marauder redheads godbless reloaded rfhfylfi culinary phantom1 baberuth valeriya lavalamp pertinant
        redlight kristin1 poophead monterey waterfal minnesot bukowski riverrat daredevi arizona1 kamikadze 55bgates bellagio stiletto
        biohazard darthvad lilwayne 14785236 nightowl beckham7 nevermin deathnote copenhag gallaries dtkjcbgtl fishtank rosewood deerhunt
        surveyor pitchers 741258963 dipstick 112233445566 jupiter2 softtail z1x2c3v4b5 smartass chewbacc nosferatu downhill care1839
        nicetits sealteam chopper1 topolino stonewal manunited buddydog civilwar deadspin tortoise waterski dtxyjcnm nightwin eldiablo
        1357908642 badabing foreplay seductive happines gizmodo1 a1a2a3a4 wdtnjxtr bisexual makeitso nothing1 fishcake kenneth1 ntktdbpjh
        paperino suckcock lapochka q1q2q3q4q5 raymond1 crazyman finalfantasy kissmyas alessand ghbdtnrfrltkf nathanie 1z2x3c4v5b
        gangbanged mamochka fisherma bismilla 20spanks kristen1 bigdick1 yaroslav websol76 hugoboss websolutions sephirot 918273645
        timoxa94 mazda323 skydiver guillerm stoppedby whoknows godspeed foreskin rosebud1 sandman1 pippen33 lighthou jeffrey1 leonidas
        a1b2c3d4e5 general1 bigbucks tickling petrovich allstate wachtwoord creepers georgia1 fujifilm catfight vodafone valleywa
        chickenwing101 livewire livelife roosters architec smirnova a1s2d3f4g5 3rjs1la7qe macgyver hugetits flathead goofball rfgbnjirf
        joystick victory1 saxophon hillside quant4307s squerting flashman tangerin housewifes escorpio warcraft3 ghbdtndctv lincoln1
        ludacris milamber letmesee hooters1 sooners1 glendale scorpions groupd2013 freewill vflfufcrfh cornhole aerosmit bionicle
        favorite2 detroit1 shredder wednesda sparhawk firehawk 911turbo funtimes timothy1 bajingan frenchie babemagnet truffles douglas1
        motocross skeeter1 carpediem scirocco fuzzball rushmore lacrimosa chevys10 atlanta1 euphoria checkmat browndog jediknig allnight
        close-up wrinkles snapshot thetruth priyanka dutchman justinbieber pennywis assmunch wellingt madala11 bettyboop gregory1 hawthorn
        bernhard dominika vfhbyjxrf lockerroom futyn007 daydream mannheim manager1 komputer pictuers ejaculation nastenka toulouse
        smoke420 fullback dreamcast casablanca salvator 963258741 vivitron cobra427 armageddon illmatic capoeira shinigami fhvfutljy
        nocturne thumbnils tailgate earthlin aligator sfgiants billabong monolith ticktock japanees contortionist alabama1 fantasy1
        woodstock fireman1 embalmer woodwork panorama daedalus fruitbat knickerless kfcnjxrf masturbation transexual stinger1 landrove
        anakonda rfhlbyfk fordtruc morticia evanescence longshot prelude1 fordf350 27731828 qawsedrftg alfarome fantasti 1a2s3d4f5g
        natascha kennwort diamante pornographic comicbookdb motdepasse kickflip superbow vfpfafrf babemagn sublime1 buckwhea imtheman
        milkyway bigpenis newproject2004 rammstei j3qq4h7h2v lambchop dreamer1 cybersex maximus1 manhatta 1213141516 yfnfitymrf fishface
        ibilltes maximilian marajade morozova ursitesux duracell sevenof9 corvet07 rdfhnbhf tiberian needforspeed dropkick vfhnsirf
        sk8ordie fireblade marishka gorillaz revival47 ramstein doorknob devilmaycry nemesis1 pennstat shevchenko detectiv evildead
        bullwink asmodeus rapunzel deepthro maxpayne hernande bravehea 12locked pegasus1 saltydog everques ytngfhjkz businessbabe
        fuckmehard shotokan bulldawg geibcnbr ladybird rktjgfnhf impalass optiplex santacru ignatius heather2 snoopdogg blondinka goldrush
        avalanche snowman1 1a2b3c4d5e capital1 sammydog hulkster 13245768 omegared l58jkdjp! sunderla kazanova fktyeirf waffenss 1a2a3a4a
        trailers beachbum bubblegum mackenzi hershey1 bugsbunn newport1 hornyman thething solnishko buckeye1 ethernet uncencored rb26dett
        choppers callofduty timelord tequiero snowflake dickweed milhouse masterbaiting invictus yourmama verygood adventur austin316
        hogwarts navigato desperado eightbal aerosmith wingchun sanity72 partizan utahjazz submarin control1 triplets teacher1 pyramid1
        lebron23 housewife cynthia1 russell1 songbird 43046721 jakester falstaff qwaszx12 goodlife russian7 gobigred deborah1 volkswagen
        alkaline muffdive cannonda germany1 raindrop citibank birthday4 parsifal rickster coolgirl motorcyc tenerife fordf250 hotbabes
        fynjybyf tecumseh antigone peregrin spartan117 tooltime bonethug tonyhawk laracroft mahalkita 18273645 terriers littlema glennwei
        hornyguy southside bobmarle ilikesex astonvil maurolarastefy barracud pathfinder gotyoass grandpri colossus watermelon lasttime
        pyramids galeries astalavista unicorn1 killzone duckhunt bigbutts element1 marketin elbereth blaster1 seattle1 lagwagon misiaczek
        smokedog ironhors volkodav penetrating takamine hardwork macintosh phaedrus gulliver domainlock2005 express1 youandme dhjnvytyjub
        thesaint x72jhhu3z theclash guesswho gymnastic cxfcnkbdfz lemmings basebal1 goodfell hermione yesterda headless yorktown tryagain
        12s3t4p55 momsanaladventure dangerou packard1 excellen jbond007 alligator wellhung vaseline cbr600rr flipmode sonyvaio sixtynin
        luscious envision 369852147 loglatin payton34 chipper1 uhbujhbq rsalinas vfylfhby longhorns everquest snakeman panties1 meandyou
        lancaste polaroid edinburg bookcase dkflbvbhjdbx letsplay zolushka barracuda algernon hd764nw5d7e1vb1 deutschland robinhood
        machoman pandora1 tomservo nadezhda saab9000 greatsex zz8807zpl 69213124 sidewind onepiece hatteras camelot1 rebbyt34 aleksander
        ijrjkflrf freiheit drjynfrnt waterpolo blondie1 satellit deathrow patterso hawkeye1 crocodil splatter buratino trucker1 ganjaman
        1hxboqg2 cheyanne sebastie maddison darthvader lifeisgood gooseman insertions boogaloo stamford pimpster winchest francis1
        1basebal emmitt22 bignasty 123hfjdk147 caseydog peternorth amarillo a1a2a3a4a5 sweetass babushka vfnbkmlf lindsey1 dropdead
        hitman47 eleven11 bloopers avangard ginscoot hannover 8phrowz622 badkarma glenwood fastcars pantyhose arabella c3por2d2 dillweed
        geraldin 5hsu75kpot alexandru teamwork goodison r2d2c3p0 topsecre mandolin failsafe priscill trojans1 calamity ufhvjybz hawkwind
        luv2epus aquafina 01478520 headshot gbgbcmrf insertion nyyankee nbuhtyjr fabienne chrissy1 novifarm giveitup swallows hotchick
        holiday1 miranda1 jamaica1 badnaamhere 085tzzqi universi nevermor seraphim dkflbvbhjdyf 44magnum ultraman redneck1 usmc0311
        monique1 alphaman greyhoun carefree 063dyjuy assclown hilfiger lexingky akatsuki mattingl redwing1 tanechka carthage bondarenko
        mostwanted prospero barakuda broodwar flintsto cumeater collecti chemistr ytrhjvfyn mobbdeep transfor westham1 daffodil
        pussylicker warehous polarbea anatoliy cableguy aqualung marigold saopaulo joseluis indiana1 buffalos anteater redshift ricochet
        schastie gunsling gfhjkzytn foxhound licorice strange1 vergeten 8phrowz624 stampede sailfish 74185296 bayliner pentium4 phillip1
        opensesame backspac getsdown redhead1 longlegs 13572468 ducksoup omsairam asterios searcher tashkent milenium illumina bareback
        goldfinger 33rjhjds thinkpad magnavox rooster1 touchdow limpbizkit rhfcfdxbr baphomet afrodita forklift creatine skyline1 nolimits
        billiard buttplug westlife coolbean pioneer1 essendon celticfc chillout thelast1 ronaldo7 vicecity postov1000 oldschool legoland
        antoshka counterstrike tigger12 rerehepf solidsnake titanic1 prashant katharin pennstate 48151623 fightclub showboat dustydog
        dominator pleaseme galadriel crimson1 behemoth mousepad rerfhfxf kovalenko 151nxjmt zcxfcnkbdf gy3yt2rgls 159753123 orlando1
        skateboa destroye snoogans gfhfljrc derrick1 shooter1 nighthaw 13576479 browneye 7hrdnw23 argonaut wisconsi abigail1 valdepen
        footbal1 smuggles krasnodar sixtynine ladygaga venezuel kochamcie trustn01 davecole nosferat hotsauce tarantul theflash 1footbal
        sampson1 metropol psychnau vthctltc wildcat1 ghtktcnm besiktas minotaur favorite7 agnieszka 1a2a3a4a5a scruffy1 clitlick
        vfvfvskfhfve sandydog favorite8 longdick mavericks slayer666 baldrick thissuck characte telecast repytwjdf hammerhe gunsmoke
        margosha flhtyfkby pi314159 televizor gtkmvtym dreamers strannik steelhea commodor ibilljpf ghbrjkbcn hibernia ranchero birthday1
        henderso boscoe01 simpson1 loredana fkmnthyfnbdf lostsoul spartacu bigstick milashka champagn papichul hrvatska 246813579
        ytyfdbcnm playboys tristan1 oriflame thematri multisyn dagestan satriani bumblebe badlands galactic emachines frontera daisymae
        hornyboy tigger01 iwantsex southsid ghbdtn12 ctdfcnjgjkm gremlins bigpimpi classic1 malcolm1 ganjubas funnyman admin18533362
        biggdogg blowjobs 1jennife evgeniya pinewood 89600506779 notredame sweethea imperium salamandra stroller rjyatnrf radiance
        toshiba1 killemall smallville landscap damage11 dzxtckfd trader12 23176djivanfros artofwar sobriety karamelka lizaveta 08154711
        katrina1 bigfoot1 nonrev67 fairview voltaire qazxswedcvfr dickface bosstone mounta1n warcraft1 ilovemyself thetachi goodtimes
        chewbacca galatasaray centrino hendrix1 bugsbunny dominic1 freetime 159753852 mazinger inflames laracrof godofwar repytwjd
        wallace1 goldmine holeinon catfish1 flapjack robinhoo cyberonline gemstone indahous piramide college1 connect1 astroboy cvzefh1gkc
        trashman bonefish azsxdcfvgb peterose iwantyou blastoff 12233445 brentfor pheasant sensatio maverick1 clinton1 sunrise1 oceans11
        748159263 palmetto arsehole banderas sylvania littlebi valdemar isacs155 prettygirl newstyle skypilot sailormoon fatluvr69
        country1 jedimast porn4life alfaromeo ghostman fnkfynblf vatoloco homebase odysseus edwardss firestor indians1 rhapsody slayer66
        1q2q3q4q5q mysterio thirdeye darkwing jeronimo ronaldo9 fellowes epaulson oc247ngucz kochanie xthtgfirf sportste integra1 bungalow
        thejoker tagheuer nikita123 muenchen annemari westcoast primetim panchito tooshort medicina scooters cuntlick slipknot1 handcuff
        leiceste chevyman hugecock psychnaut1 melbourn caitlin1 nikitina desperad aurelius whosyourdaddy slimed123 bretagne hotwheel
        roodypoo save13tx olivetti grandprix whatthefuck police22 toronto1 yardbird truckers scimitar pescator morkovka pervasive gfhnbpfy
        skeletor whitney1 delorean ishikawa morrisse trafford sk84life 326159487 jailbird arrowhea qwaszx123 zaxscdvf 13579246 vermont1
        chevyz71 goodnews astonvilla rocheste trigger1 pepsicola miroslav 96385274 svetlanka lbfyjxrf ronaldo1 pittbull gfhkfvtyn ghblehrb
        millerli halflife2 mulberry morrigan emachine bulldog2 redtruck casablan arschloch cachorro hemicuda sonnyboy smarties taekwond
        konfetka bennett1 jackson2 octavian feyenoord muaythai fktrcfylhjdyf 1357911q fktrcfylhjdbx 89015173454 nyknicks evenflow tightass
        whiskey1 yorkshir sorcerer comicbook 2112rush geneviev ironhead hot2trot stealth1 bernard1 frankfur airforce1 shotgun1 pacifica
        toosweet energize hansolo1 cnjvfnjkju antonius bellevue izabella malishka rotterda travelle hotpants garrett1 seven777 chevy454
        finalfan patricio northsta stallone cornholi hoopster sepultura grasshop proverbs superdup kakaroto ghbrjkmyj makemone sammyboy
        380zliki theraven elvira26 tiramisu papercut bagpipes natashka 243462536 guderian newlife1 razorbac piazza31 puravida transam1
        bubbadog eightball superboy colleen1 mickeymouse watermel ladybug1 abulafia takehana bootneck wonkette trustnoone phantasm
        132465798 grimlock longbeac jonathan1 cjrjkjdf westport 541233432442 toughguy iskander whatisit scooter2 fgjrfkbgcbc adelphia
        vjhrjdrf adrenali jemoeder firetruc gateways kusanagi centurion stalker1 klootzak redsox04 kirill123 hammers1 yingyang 4904s677075
        patriot1 redbirds makarova primrose scooby12 stairway salamand cupcake1 multisync tequila1 q8zo8wzq eatmeraw mrbrownxx ganymede
        diogenes 135797531 darkjedi vfhvtkfl freestyl kukuruza marbella bocephus hollydog gonefish rfpfynbg cdtnjxrf marillio scribble
        hardhead troopers bassfish kasparov ukflbjkec halfpint bulldogg jesucrist flipside packers4 biteme69 knowledg westcoas minidisc
        martini1 alastair rasengan superbee getalife schlampe memyself 0147896325 celtics1 peterbilt ghbdtnbrb xcountry alhambra siemens1
        assmaste wildrose sebastien winston2 fartripper 07831505 belochka qpwoeiruty britneys chilidog ricardo1 013cpfza ghbdtnghbdtn
        3stooges gearhead toolshed valerie1 razdvatri buttocks sonechka steeler1 nietzsch biscuit1 jledfyxbr sideshow bigwilly fylhtqrf
        letitrid cthuttdyf 10inches dollface lexingto canadien kukushka ppspankp free4all dad2ownu hjvfyjdf gibsonsg duckling cuntsoup
        firefighter guatemal seagulls 010203040506 backlash teiubesc vonnegut gtxtymrf manunite lost4815162342 britney1 boondock doma77ns
        anuradha rottweil fightclu birthday21 reviewpa jiujitsu newports broncos7 harrypot cachondo pepsione usmc1775 countach landrover
        cracksevi drumline quality1 superson elaine22 webhompass mrbrownx mamasita kfvgjxrf seagrave marissa1 tommygun homersim westwind
        helpdesk hopefull mazdarx8 jennife1 gfhjkmxbr positivo syncmast opensesa silicone duffbeer montagne hamburge paramedic smokeweed
        fabregas phantoms venom121293 manwhore notagain rfnthbyrf kelly001 dothedew promethe cruzazul incognito 383pdjvl doraemon transpor
        locoman0 154ugeiu neveragain saltanat sinfonia vibrator gtkmvtyb nazareth madhouse foxtrot1 alpacino bookmark titsnass castaway
        paperboy breakers westbrom brendan1 thisisme welkom01 changeit autobahn gnasher23 sherman1 cxfcnmttcnm favorite5 skytommy abracada
        102030405060 grizzly1 shemales durango1 supergirl vanyarespekt dickless srilanka nashvill jerrylee nolimit8 l8g3bkde pershing
        gobrowns sailing1 gardenia sexmachine radioman dthyjcnm nataliya perfecto aragorn1 bullhead barbarian polaris1 frdfhbev
        slipknot666 hfgcjlbz indianali telemark ghostrid preston1 wellcome verizon1 sayangku timeport deadlift cadr14nu cortland stepanova
        deadmeat freddie1 centauri pinecone aceshigh 55832811 pepsimax coldfire limaperu charmed1 michelin alphaone just4you jellyfis
        hihje863 crazyzil postov10 124578963 buckster ohiostat cracker1 edgewise imissyou heathers woodduck scubadiv dapzu455 televisi
        utyyflbq ready2go charger1 sweetie1 wtpmjgda dimensio pickles1 hellraiser stepanov tokenbad bartende cidkid86 mooseman bethany1
        history1 phydeaux dbrnjhjdbx drummers tangerine billyjoe clemson1 austin12 hammarby satana666 rhbcnbyjxrf fastback lyudmila
        review69 lakeland striker1 digiview cellphon littleman jadakiss macarena milleniu combat123654 avenger1 serendip malamute
        vyjujnjxbt dixiedog gznybwf13 hosehead dgl70460 tajmahal depechemode paulchen megamanx scarecro wormwood milwauke solitari
        murzilka vehpbkrf teleport bigcocks bentley1 bigtits1 tornado1 nastyboy mine2306 tigger69 bondage1 hardcore1 misskitt djgabbab
        darthmau rasta220 chgobndg followme freeman1 gtfullam chamonix alligato acun3t1x rfhfufylf plastic1 lookatme anabolic bassline
        tarheel1 imperator slaveboy bladerun take8422 ginuwine precious1 iceman69 straycat pfchfytw salvatio 23049307 jailbait dbjktnnf
        zaratustra waterpol pentium1 rosebowl steinway another1 chinacat devilmaycry4 pullings qw12er34 celestia fortune12 danthema
        chimaera pennywise sokrates spyglass esperanz matematika courtney1 fktyjxrf devildriver foucault choclate rjdfktyrj efbcapa201
        pepsicol beszoptad intheass iseedeadpeople 89231243658s farside1 134679258 nolimit9 acidrain allalone scarface1 memphis1 dfcbkmtd
        arachnid antonell surfing1 ohiostate cdznjckfd superdog jacqueli maplelea bubblegu realtime principe cheerios jamesbond007
        karaganda gblfhfcs hakkinen liverune deathsta inferno1 hamradio rkfdbfnehf fastlane iddqdidkfa ledzeppelin lucifer1 twisted1
        acerview pornsite gfccdjhl veritech batterse armadill lastochka cornbrea vfkmdbyf skipjack martin12 dogfight rfvbrflpt travesti
        caballer ricflair ambulanc berserker redhouse kennedy1 schneide picasso1 swimmer1 dont4get 4815162342lost wrest666 anonymou
        semprini forest11 wildroid jericho1 cranberr toonporn edelweis subwoofer volition atlantida seagrams yy5rbfsc eintrach nochance
        chinaman superduper professo tranmere tanstaaf ukflbfnjh flatline papercli 4z34l0ts pedigree freeride gsxr1100 ferdinan dolittle
        fishfood rfnfcnhjaf helicopt kristjan badgirls milkbone 54132442 andreeva ruffryde kristinka 1112131415 wrinkle5 78n3s5af squeaker
        smallvil littleon asterix1 aloysius 368ejhih grendel1 azathoth 1bigdick jg3h4hfn jamielee machine1 photoman 1superma kuleshov
        calavera sleepers lightsab magister galactus barkley1 dogbreat fullsail elfquest savatage sevilia1 pebbles1 diciembr gabriel2
        welldone chessman heythere fairmont 49527843 offsprin sorrento r3ady41t webster1 slutwife hobiecat bigtymer comcast1 vasileva
        lifesuck vlad7788 underpar huskies1 alskdjfhg oldsmobi redrover methodman cutegirl countyli godisgood mironova 123qwe456rty
        rjntyjxtr br00klyn timebomb buttmunc longwood seventee tinkerbel bodyshop gbpacker d1i2m3a4 ghtpbltyn sergeevna bridget1 hzze929b
        brethart ghbdtnbr1 emyeuanh gallaghe hardtime leviatha 808state limabean goddess1 bullride oliveoil leonard1 mexicano goodfellas
        mancheste rfhfntkm thor5200 ozlq6qwm 3syqo15hil asfnhg66 gjkbyjxrf novartis 554uzpad goodhead stratoca lonsdale bigpimpin slowride
        sanity729 carolcox bustanut parabola computador crackhea wantsome froggies alicante buttons1 diosesamo elizabeth1 trustnoo
        amatuers m6cjy69u35 lebedeva ghostdog rjcntyrj alinochka ghjcnjrdfibyj iqzzt580 nascar88 masyanya intranet 00096462 cvtifhbrb
        62717315 cobrajet antivirus berserke ikilz083 airedale danil8098 chrissie blowme69 baseba11 cab4ma99 watchmen forgotte strummer
        freelanc cingular mcdonalds vjhjpjdf tombston dantheman megabyte ybrjkftdbx pacific1 coorslig yvtte545 klimenko cobblers redriver
        triforce fallout2 989244342a 1scooter griffin1 boeing74 cuddles1 ffvdj474 buckwheat monster2 lochness caterham dolomite pericles
        gangsta1 mahalkit lbhtrnjh hopkins1 tabbycat critters 551scasi paloalto arcturus 1357997531 datalife biggirls lzbs2twz mittens1
        d1lakiss speedrac 159753258 playgirl crippler edward12 gjhjctyjr 201jedlz pittsbur masahiro datalore jackdani mwq6qlzo cnhjbntkm
        hamster1 iluvporn alexsandr klingon1 benedikt inspecto wladimir kodaira52 yanochka buckfast roaddogg snakeeye emerald1 elementa
        footlong cthuttdbx getsmart saun24865709 cnhtrjpf crownvic strutter triumph1 moremone pernille independ swetlana kissarmy
        clubpenguin limpbizk sdsadee23 balefire dcunited bowling1 areyukesc maynard1 heathrow connecti xzsawq21 tubitzen phantom2
        primetime21 undergro madison2 cntgfirf fiction7 sagitari 12481632 insuranc 2b8riedt ssptx452 14vbqk9p gorilla1 andrey123 lifesucks
        bangkok1 0raziel0 wildthin patrycja tmjxn151 yqlgr667 stripclub deadwood 863abgsg mynewpas nohack04 radagast vsevolod argentum
        2bigtits bumblebee mercury7 warchild diablo66 aventura annelies cumshots clambake birthday54 paganini wildwest supersex bvgthfnjh
        4506802a killians koetsu13 mimi92139 fastfood idontcare 4z3al0ts sheffiel stalingrad corvett1 snapper1 desperados shygirl1
        submissi gerrity1 raspberr matahari alohomora boyscout esmerald admiral1 steamboa apokalipsis sandmann fabolous myxworld4 viktoriy
        hornyone fenerbahce brownie1 baggins1 octopuss buttface paradoxx operatio eternal1 redbarch millenni eae21157 snoogins fartface
        fyfrjylf emiliano amandine rawiswar gauntlet ingram01 quicksil moosehea elefante parallax elfstone mission1 mitsubis rfnfgekmnf
        everythi getnaked prettybo carrera4 midnight1 informat russland djkrjlfd teardrop iamtheone danijela adriana1 bootcamp bassman1
        topflite technolo bassboat maksimus shearer9 vjzgjxnf 80070633pc shirley1 carolyn1 ladyluck jetbalance 090808qwe 1qa2ws3ed4rf
        beachboy highball csfbr5yy episode1 simonsay katerinka fylhjvtlf nighthawk juggernaut cabibble verycool forbidde koshechka
        dfcbkmtdf puertorico griffins headcase bassmast lerochka 04975756 fumanchu thankgod zidane10 686xqxfg caveman1 fighter1 asslicker
        annushka 495rus19 supergir bingbong bradpitt kamasutr yfgjktjy amsterdam1 annette1 scotsman hamburg1 dfkmrbhbz excalibe boobies1
        breakfas blenheim mick7278 fleetwoo yxkck878 foothill californi rfkmrekznjh luojianhua nederland rosemari 565hlgqo trainman
        logistic vw198m2n makeksa11 gladston notoriou polniypizdec110211 invalidp speaker1 loislane pridurok sacramen burunduk oakland1
        gmctruck jaredleto sigsauer doromich lasombra profesor croucher gsgba368 pornoman vfhecmrf highwind solstice dbrnjhjdyf nightman
        poopface ptybnxtvgbjy pornogra scarlet1 hotwater gadzooks albacore verygoodbot 1wildcat itdxtyrj kindbuds wenef45313 1compute
        gfyfcjybr lysander asscrack suckthis oqglh565 cheburashka unforgiven sillyboy quicksan froglegs shortsto bigtitts dropzone
        jazzbass saltlake dmitriev tujazopi jo9k2jw2 counchac utjvtnhbz clayton1 incubus1 squirter madelein bakayaro silencer iaapptfcor
        datnigga vjzctvmz tribbles cubbies1 bmw325is 7777755102q scubapro hayastan delasoul fallout3 24681357 voluntee badboy69 gunslinger
        640xwfkv darkknig birdhouse hiawatha tiberium tm371855 cyjdsvujljv schnecke lambrett prodigy1 primaver monaliza vfylfhbyrf
        tickleme kickass1 theresa1 fordtruck inkognito friedric freeport cigarett thebeach 260zntpc mallard1 bigdog69 skorpion39 hawkdog79
        jerusale w8gkz2x1 nezabudka barclays oldspice prettyboy iamthema collants bikerboy kenshiro semenova deltaforce goldsink maximili
        plumber1 trillian emanuela bagheera newjersey swampfox weather1 scoubidou 1samanth celtic88 taliesin bandit12 06225930 psylocke
        schumach 24pnz6kc endymion birdland smoochie djg4bb4b ajcuivd289 colole57 executiv omegaman newhaven pmdmscts levelone benladen
        mevefalkcakk nascar20 benjamin1 alemania neutrino trinity3 firestarter 794613852 guadalup philmont birthday299 741236985 komarova
        catmando tatooine 31217221027711 katmandu freestuff quantum1 pentium3 rfhectkm woodsink justforfun pornografia tujheirf portsmou
        fkbyf001 pistons1 necromancer hatesyou sexisfun tuczno18 bowhunte paulina1 427cobra fkg7h4f3v6 longview dionysus hshfd4n279
        holland1 343104ky sureshot mrbungle catsdogs nowayout hartland buckskin rincewind redskin1 19mtpgam19 abercrom roflcopter phillesh
        avondale cardigan hustler1 performa marilyn1 prostock bennyboy parol999 ford9402 phish420 tarasova caramelo draconis dictiona
        0okm9ijn rhfdxtyrj anfield1 curious1 crackhead elektrik b0ll0cks alakazam andretti cannondale sparticu bmw330ci jeanpaul alevtina
        travolta enamorad cocopuff fairfiel oldtimer sanpedro mollycat topdevice sevastopol nolimit5 snickers1 autechre browncow fantomen
        elenberg beautiful1 advantag cockring biohazar coolbeans quagmire djkujuhfl totalwar underwoo germania fishbait redknapp tinfloor
        homewood sc0tland jackryan gogiants alessandr homegrow bayadera bassingw 15975346 cyclops1 rattolo58 motorhea piligrim supermen
        sandokan ufkfrnbrf brehznev creosote 14938685 naughtyboy maurice1 joesakic hfcgbplzq firefly1 cyecvevhbr frfltvbz casper12
        sweethear redroses volvo850 evermore underwor 12435687 seventy7 locksmit volvos40 jillian1 arwpls4u sabbath1 strider1 homedepo
        braindea weedhead camille1 oakridge biscayne dressage kellyann holliste byajhvfnbrf milkshak sk8board freakshow pitbull1 agbdlcid
        sweetgirl sebastian1 cyberman zqjphsyf6ctifgu oldsmobile oscardog construc flameboy nathan12 nicklaus dukester scorpio7 leviathan
        pourquoi 4815162342a gridlock ghhh47hj764 nitehawk kappasig milehigh ou8124me rulesyou collingw astrovan firetruck crawfish
        hornydog morebeer seminoles jaimatadi peternor sharingan oldschoo pentium2 artiller handbags godisgoo section8 suzanne1 racecars
        ironroad twinboys sausage1 anguilla vovochka budwiser meditate herkules lobster1 mackdadd sepultur freddy12 hedimaptfcor sadiedog
        beaver69 viktorija cubswin1 rileydog bojangle noncapa0 sangeeta cucciolo cornholio rastafari redstone xenocide superbad hardbody
        vivahate buddylee 40028922 varadero tvxtjk7r vetteman fruitcak dirkpitt bergerac pdtpljxrf parachut chihuahu crazyboy slickric
        fktdnbyf daveyboy el546218 rfhbyjxrf my3girls nottingh natalia1 8letters iforgot1 pokesmot rosebuds gthtcnhjqrf k9dls02a supermar
        qcmfd454 2kash6zq 1hxboqg2s lhbjkjubz2957704 nowwowtg superpuper theclown devo2706 anathema florian1 tamwsn3sja teengirl opelastra
        armagedd carter15 lefthand ferndale cornbread newjerse blowjob1 bellsout celtic67 alfabeta heatwave lightsaber thegirls bootsman
        hightime t3fkvkmj chuckie1 cathouse natedawg wessonnn kingfisher zasranec installutil fetish01 yanshi1982 clemence newzealand
        mazahaka eastwest mistydog pyramide andrewjackie windsong programm blunt420 koteczek tequilla snowdrop matthieu smolensk cornflak
        23wesdxc geniusnet onlyone4 pjflkork gunther1 septembr 12qw34er56ty billgate catsmeow mizredhe jasper12 longball bootyman aleksand
        slowpoke collins1 213qwe879 1qazxsw23edcvfr4 piehonkii sidewinder jalapeno wheaties gfhjkm007 tomwaits fantasma cindylou scorelan
        concordi tomcat14 belgario boomtown war3demo monamour carlton1 neverland arschloc dodgeviper ontheroc corpsman uiegu451 hardtail
        irondoor ghjrehfnehf 36460341 kondom25 freemail comander natas666 siouxsie diablo666 lesbian1 whattheh biteme12 rifleman dicksuck
        ktybyuhfl clapton1 tracker1 cabinboy ladyffesta snoopy12 nefertiti warszawa macsan26 nascar99 comicsans 81726354 killabee arclight
        86753099 88351132 websters 159753456852 multimed henrique birmingh hardline 89172735872 philips1 shaolin1 cinderel deltaone
        manning1 goforit1 766rglqy sevendus aristotl armagedo lekbyxxx victoire 299792458 confiden neverdie cavscout 481516234 thissucks
        unknown1 dirtball alex2112 brittany1 dakota12 vg08k714 bernadet 1bulldog hullcity supercar 545ettvy netvideo 9379992a .adgjmptw
        geddylee turbodog trapdoor leapfrog 134kzbip peekab00 pirrello gsewfmck dimon4ik hypnodanny ghbdtngjrf anchorag buffett1 wildside
        2wj2k9oj baerchen suspende denman85 daytona1 amaterasu dorothy1 unlimite warlock1 forgotit ilikeyou loveislife dumbass1 kalinina
        sergey123 jesusislord birthday5 a9387670a rjhjkmbien cessna17 cfvlehfr yankeemp amadeus1 vbhjckfdf alenushka timewarp fcbarcelona
        christopher1 motorhead damngood openwide alphabeta realgood gunners1 frequenc acuransx ilovegirls anastasiy berbatov 21436587
        ingodwetrust installdevic digitalprodu suckmeoff windsor1 mishanya garfield1 littlebit vandamme trademan volvos80 reanimator
        escorpion karolina1 deadman1 minicoop nastyman bornfree diskette dolemit1 whatthehell voldemar vtufgjkbc hotwheels pokerface
        freakout realmadri theghost vfvektxrf jumpman23 deadlock barbwire northwes chameleo cornell1 megapolis monkfish isabella1 henriett
        dohcvtec western1 frogger1 redwood1 streetball fridolin michelob macanudo dakota01 giantess beerbong anniedog cameleon longbeach
        qpful542 mesquite waldemar daisymay moosejaw shrike01 alphaomega severine twogirls gatorman buttmunch excelsio crayfish lsia9dnb9y
        littlebo hiroyuki firehous camaleon froinlaven crazycat wavmanuk 1heather funtime1 conehead patagoni frenchfr dashenka 741852kk
        baller23 griffey1 suckmycock fuhrfzgc bumerang pavlusha twisters finance1 dignity7 lvjdp383 jgthfnjh dalmatio miller31 2bornot2b
        monterre jasmine2 sibelius natasha2 beholder austintx lightbul crossfir parkview chilango abramova nautique 2bornot2 nightwing
        surfboar quant4307 15s9pu03 walleye1 wildman1 whytesha my2girls baranova berezuckiy suckit69 bayshore zoidberg mickey12 slayer69
        rlzwp503 4cranker numberon goodbeer harmony1 254xtpss dusty197 wcksdypk dfnheirf whoareyou darksoul rounders cegthgfhjkm duncan21
        winnipeg261 fk8bhydb brimston woodlawn volgograd boy4u2ownnyc parker12 longlife gobruins murmansk schlumpf mashenka generic1
        kbnthfnehf takedown smallfry 2b4dnvsx 6458zn7a gfxqx686 yqmbevgk 89211375759 chipster buddycat rincewin hxp4life dimochka verynice
        martesana birthday3 providen pitbulls damned69 martin11 goldorak winxclub splitter wutang36 arshavin paulaner zesyrmvu 625vrobg
        c43qpul5rz majinbuu lithium1 horndog1 runescape1 chargers1 474jdvff breaker1 7f4df451 chippers len2ski1 standart penmouse hemmelig
        petrovna creative1 vbitymrf breitlin westwing gohabsgo tippmann quattro6 beavis69 peanutbutter mermaids geilesau parkside imagine1
        producti playhard principa dbyjuhfl cruiser1 montgome bodyhamm rostislav kimberly1 cocacola1 intheend whisper1 pjcgujrat felicida
        """
}
