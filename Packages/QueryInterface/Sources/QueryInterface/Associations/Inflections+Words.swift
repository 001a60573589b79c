// The words that the rules of `Inflections` get wrong. All words are in lower case.

extension Inflections {
    /// Words with the same singular and plural.
    static let uncountable: Set<String> = words(
        """
        advice aircraft aws barracks biceps bison bourgeoisie chaos chassis chess clothes clothing cms cod corps crossroads debris deer diabetes dns economics
        electricity equipment ethics evidence feedback firmware fish furniture gallows garbage gps gymnastics hardware headquarters hertz
        homework https information innings ios jeans knowledge kudos livestock luggage machinery macos mail malware mathematics means measles
        media merchandise metadata middleware money moose mumps music news offspring pajamas pants physics pliers police politics
        progress pyjamas rabies rain reindeer rice salmon scissors series shambles sheep shorts sms software spacecraft spam
        species spyware staff sugar swine swiss tennis tls traffic trousers trout underwear violence weather wildlife
        """)

    /// Endings of compounds with the same singular and plural, such as "jellyfish" and "hovercraft".
    static let uncountableEndings = ["fish", "craft", "sheep"]

    /// Words with an irregular plural, each followed by its plural.
    static let irregular: [(singular: String, plural: String)] = pairs(
        """
        addendum addenda alga algae alumna alumnae alumnus alumni antithesis antitheses apex apices appendix appendices
        automaton automata axis axes bacillus bacilli bacterium bacteria basis bases beau beaux cactus cacti chateau chateaux
        child children codex codices corpus corpora corrigendum corrigenda cortex cortices crisis crises criterion criteria
        curriculum curricula datum data diagnosis diagnoses die dice dormouse dormice dwarf dwarves ellipsis ellipses elf elves
        emphasis emphases erratum errata foot feet fungus fungi genus genera goose geese helix helices hoof hooves
        index indices larva larvae life lives afterlife afterlives locus loci louse lice matrix matrices medium media
        memorandum memoranda metamorphosis metamorphoses millennium millennia mouse mice nebula nebulae neurosis neuroses
        nucleus nuclei oasis oases ovum ova ox oxen passerby passersby person people phenomenon phenomena polyhedron polyhedra
        prognosis prognoses psychosis psychoses quantum quanta radius radii scarf scarves sheaf sheaves spectrum spectra
        stimulus stimuli stratum strata supernova supernovae symbiosis symbioses symposium symposia synopsis synopses
        tableau tableaux terminus termini titmouse titmice tooth teeth vertebra vertebrae vertex vertices vortex vortices
        wharf wharves
        """)

    /// Endings with an irregular plural, each followed by its plural: they also are the ends of compounds, such as "grandchild",
    /// "bookshelf" and "housewife".
    static let irregularEndings: [(singular: String, plural: String)] = pairs(
        """
        child children person people woman women calf calves half halves knife knives leaf leaves loaf loaves self selves
        shelf shelves thief thieves wife wives wolf wolves
        """)

    /// Alternative plurals, each after its singular. They are recognized, but never generated.
    static let otherPlurals: [(singular: String, plural: String)] = pairs(
        """
        antenna antennae aquarium aquaria bureau bureaux cherub cherubim dogma dogmata formula formulae
        hippopotamus hippopotami lemma lemmata maximum maxima minimum minima octopus octopi optimum optima plateau plateaux
        schema schemata stigma stigmata syllabus syllabi thesaurus thesauri
        """
    )

    /// Words in "-man" that don't come from "man": their plural ends in "-mans".
    static let notMen: Set<String> = words("brahman caiman cayman german human mussulman norman ottoman roman shaman talisman")

    /// Words in "-men" that are singular.
    static let singularMen: Set<String> = words(
        "abdomen acumen albumen amen bitumen cyclamen dolmen foramen hymen lumen omen ramen regimen semen specimen stamen yemen")

    /// Words in "-o" whose plural ends in "-oes".
    static let plurallyInOes: Set<String> = words(
        """
        buffalo cargo desperado domino echo embargo go hero mango mosquito motto negro no potato superhero tomato tornado torpedo
        veto volcano
        """)

    /// Words in "-ie": their plural ends in "-ies", which otherwise is the plural of "-y".
    static let singularInIe: Set<String> = words(
        """
        aussie barbie birdie bogie bookie boogie bowtie brie brownie budgie caddie calorie camaraderie collie cookie coterie cutie
        dearie doggie eerie foodie freebie genie goalie goodie groupie hankie hippie hogtie hoodie hottie indie junkie kiddie laddie lassie
        lie lingerie magpie menagerie meanie movie necktie newbie nightie oldie organdie pie pinkie pixie potpie prairie quickie
        reverie roadie rookie rotisserie selfie smoothie softie sortie specie sweetie talkie techie tie townie veggie wheelie
        yuppie zombie
        """)

    /// Words in "-che": their plural ends in "-ches", which otherwise is the plural of "-ch".
    static let singularInChe: Set<String> = words(
        """
        ache apache attache avalanche backache bellyache brioche cache cartouche cliche creche douche earache gouache headache
        heartache microfiche moustache mustache niche panache pastiche porsche psyche quiche stomachache toothache tranche
        """)

    /// Words in "-use", other than those in "-ause" and "-ouse": their plural ends in "-uses", which otherwise is the plural of "-us".
    static let singularInUse: Set<String> = words(
        "abuse excuse fuse hypotenuse misuse muse overuse profuse recluse refuse reuse ruse use")

    /// Words in "-sse": their plural ends in "-sses", which otherwise is the plural of "-ss".
    static let singularInSse: Set<String> = words("crevasse finesse fosse impasse lacrosse mousse posse")

    /// Singular words in "-s", other than those in "-ss", "-us" and "-is". Their plural adds "-es".
    static let singularInS: Set<String> = words(
        "alias asbestos atlas bias canvas christmas cosmos ethos gas lens madras mars os pancreas pathos rhinoceros texas yes")

    /// Singular words in "-is", other than those in "-sis", whose plural ends in "-ses". Their plural ends in "-ises".
    static let singularInIs: Set<String> = words(
        """
        acropolis arthritis axis bronchitis cannabis chrysalis clitoris dais dermis dennis elvis epidermis francis glottis haggis
        hepatitis his ibis iris kris loris louis mantis marquis metropolis minneapolis morris necropolis oris paris pelvis penis
        portcullis syphilis testis this tigris travis trellis
        """)

    /// Words in "-u": their plural ends in "-us", which otherwise is singular.
    static let singularInU: Set<String> = words(
        """
        adieu bayou bureau caribou cpu ecu emu flu gnu gpu guru haiku lieu menu milieu mtu plateau sku snafu submenu tofu tpu trousseau
        tutu zulu
        """)

    /// Words in "-ch" that sounds like "k": their plural adds "-s".
    static let plurallyInChs: Set<String> = words(
        "biotech conch czech epoch eunuch fintech loch matriarch mach monarch oligarch patriarch stomach tech")

    /// Words whose "-z" is doubled in the plural.
    static let doublingZ: Set<String> = words("biz fez quiz showbiz whiz")

    private static func words(_ text: String) -> Set<String> {
        Set(text.split(whereSeparator: \.isWhitespace).map(String.init))
    }

    private static func pairs(_ text: String) -> [(singular: String, plural: String)] {
        let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
        return stride(from: 0, to: words.count - 1, by: 2).map { (words[$0], words[$0 + 1]) }
    }
}
