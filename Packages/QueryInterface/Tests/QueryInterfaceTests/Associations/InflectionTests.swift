import Foundation
import Testing

@testable import QueryInterface

@Suite("Names of associations")
struct InflectionTests {
    /// Singulars with their plurals.
    private static let words = pairs(
        """
        book books player players team teams author authors award awards page pages phase phases horse horses house houses
        release releases database databases case cases purchase purchases expense expenses response responses license licenses
        sense senses purse purses course courses nurse nurses pulse pulses rose roses nose noses dose doses promise promises
        exercise exercises franchise franchises size sizes prize prizes maze mazes bronze bronzes quartz quartzes topaz topazes
        buzz buzzes quiz quizzes whiz whizzes address addresses process processes class classes boss bosses business businesses
        mousse mousses impasse impasses status statuses bus buses campus campuses bonus bonuses virus viruses census censuses
        focus focuses octopus octopuses walrus walruses cause causes clause clauses pause pauses blouse blouses spouse spouses
        warehouse warehouses use uses fuse fuses excuse excuses muse muses alias aliases atlas atlases bias biases canvas canvases
        gas gases lens lenses iris irises pelvis pelvises trellis trellises metropolis metropolises analysis analyses
        basis bases crisis crises diagnosis diagnoses ellipsis ellipses emphasis emphases hypothesis hypotheses oasis oases
        parenthesis parentheses synopsis synopses synthesis syntheses thesis theses axis axes paralysis paralyses genesis geneses
        box boxes tax taxes fox foxes suffix suffixes match matches church churches branch branches beach beaches coach coaches
        batch batches sandwich sandwiches approach approaches cache caches ache aches headache headaches niche niches
        avalanche avalanches moustache moustaches stomach stomachs monarch monarchs epoch epochs tech techs dish dishes
        bush bushes wish wishes month months graph graphs cloth cloths country countries city cities category categories
        company companies entry entries party parties sky skies spy spies reply replies puppy puppies soliloquy soliloquies
        day days key keys toy toys guy guys survey surveys journey journeys movie movies cookie cookies selfie selfies pie pies
        tie ties zombie zombies calorie calories brownie brownies smoothie smoothies photo photos video videos radio radios
        logo logos ratio ratios piano pianos zero zeros hero heroes potato potatoes tomato tomatoes echo echoes veto vetoes
        volcano volcanoes mosquito mosquitoes shoe shoes toe toes canoe canoes api apis taxi taxis ski skis emoji emojis wiki wikis
        menu menus cpu cpus plateau plateaus bureau bureaus knife knives wife wives life lives leaf leaves loaf loaves
        shelf shelves bookshelf bookshelves wolf wolves half halves calf calves self selves elf elves thief thieves scarf scarves
        hoof hooves chief chiefs belief beliefs roof roofs olive olives archive archives drive drives native natives wave waves
        curve curves glove gloves valve valves man men woman women human humans german germans postman postmen
        specimen specimens regimen regimens child children grandchild grandchildren person people salesperson salespeople mouse mice
        louse lice goose geese mongoose mongooses foot feet tooth teeth ox oxen die dice index indices matrix matrices
        vertex vertices appendix appendices cactus cacti fungus fungi nucleus nuclei radius radii stimulus stimuli alumnus alumni
        syllabus syllabuses bacterium bacteria curriculum curricula datum data medium media memorandum memoranda stratum strata
        erratum errata aquarium aquariums museum museums album albums criterion criteria phenomenon phenomena automaton automata
        alga algae larva larvae vertebra vertebrae formula formulas antenna antennas schema schemas genus genera corpus corpora
        passerby passersby tableau tableaux a as b bs i is u us y ys s ss
        """)

    /// Words whose singular and plural are the same.
    private static let uncountable = """
        sheep deer fish jellyfish aircraft hovercraft news series species means headquarters equipment information money rice
        software hardware metadata media furniture luggage advice police jeans traffic sms gps chassis
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    private static func pairs(_ text: String) -> [(String, String)] {
        let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
        return stride(from: 0, to: words.count, by: 2).map { (words[$0], words[$0 + 1]) }
    }

    private func check(_ singular: String, _ plural: String, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(singular.pluralized == plural, sourceLocation: sourceLocation)
        #expect(plural.singularized == singular, sourceLocation: sourceLocation)
        #expect(plural.pluralized == plural, sourceLocation: sourceLocation)
        if singular != "s" { #expect(singular.singularized == singular, sourceLocation: sourceLocation) }
    }

    @Test
    func `Words have a singular and a plural`() {
        #expect(Self.words.count > 250)
        for (singular, plural) in Self.words where plural != "media" { check(singular, plural) }
        #expect("medium".pluralized == "media")
        for word in Self.uncountable { check(word, word) }
    }

    @Test
    func `The last word of a name is inflected, before digits`() {
        for (singular, plural) in Self.words where plural != "media" && singular.count > 1 {
            let (first, many) = (singular.prefix(1).uppercased() + singular.dropFirst(), plural.prefix(1).uppercased() + plural.dropFirst())
            check("old" + first, "old" + many)
            check("old_\(singular)2", "old_\(plural)2")
            check(first, many)
        }
        for (singular, plural) in [
            ("teamMember", "teamMembers"), ("team_member", "team_members"), ("bookCategory", "bookCategories"),
            ("littlePuppy", "littlePuppies"), ("d1", "ds1"),
            ("kitten", "kittens"), ("player2", "players2"), ("URL", "URLs"), ("userURL", "userURLs"), ("API2", "APIs2"),
            ("HTMLPage", "HTMLPages"), ("iPhone", "iPhones"), ("crewMan", "crewMen"), ("PLAYER", "PLAYERS"), ("COUNTRY", "COUNTRIES"),
            ("goldFish", "goldFish"), ("Mouse", "Mice"), ("über", "übers"),
        ] {
            check(singular, plural)
        }
        #expect("".singularized == "" && "".pluralized == "" && "2".pluralized == "2" && "_".singularized == "_")
    }

    @Test(arguments: [
        ("indexes", "index"), ("appendixes", "appendix"), ("schemata", "schema"), ("formulae", "formula"), ("octopi", "octopus"),
        ("cactuses", "cactus"), ("peoples", "people"), ("bureaux", "bureau"), ("vertexes", "vertex"),
    ])
    func `Other plurals are recognized`(_ plural: String, _ singular: String) {
        #expect(plural.singularized == singular)
    }

    @Test
    func `Names of more kinds than are kept are inflected on several threads`() {
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for number in 0..<3_000 {
                let name = "box\((number * 7 + thread) % 1_500)"
                let plural = name.pluralized
                if plural != name.replacingOccurrences(of: "box", with: "boxes") { Issue.record("\(name): \(plural)") }
                if plural.singularized != name { Issue.record("\(plural): \(plural.singularized)") }
            }
        }
    }
}
