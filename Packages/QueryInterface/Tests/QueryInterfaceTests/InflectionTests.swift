import Testing

@testable import QueryInterface

@Suite("Names of associations")
struct InflectionTests {
    @Test(
        "Words have a singular and a plural",
        arguments: [
            ("book", "books"), ("address", "addresses"), ("country", "countries"), ("day", "days"), ("box", "boxes"),
            ("match", "matches"), ("dish", "dishes"), ("person", "people"), ("child", "children"), ("mouse", "mice"),
            ("index", "indices"), ("status", "statuses"), ("bus", "buses"), ("analysis", "analyses"), ("class", "classes"),
            ("knife", "knives"), ("hero", "heroes"), ("photo", "photos"), ("quiz", "quizzes"), ("house", "houses"),
            ("movie", "movies"), ("cache", "caches"), ("sheep", "sheep"), ("news", "news"), ("series", "series"),
            ("teamMember", "teamMembers"), ("team_member", "team_members"), ("bookCategory", "bookCategories"),
            ("player2", "players2"), ("URL", "URLs"), ("postalAddress", "postalAddresses"), ("crewMan", "crewMen"),
            ("release", "releases"), ("database", "databases"), ("phase", "phases"), ("horse", "horses"), ("page", "pages"),
        ])
    func inflection(singular: String, plural: String) {
        #expect(singular.pluralized == plural)
        #expect(plural.singularized == singular)
        #expect(plural.pluralized == plural)
        #expect(singular.singularized == singular)
    }
}
