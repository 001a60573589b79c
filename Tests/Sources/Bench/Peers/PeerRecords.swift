import Foundation
import Strata

/// The types of records of a run.
protocol PeerRecords: Sendable {
    associatedtype User: PeerUser
    associatedtype Article: PeerText
    associatedtype Comment: PeerText
    associatedtype Order: PeerOrder

    /// The sum over the joined rows of one user, or of all.
    ///
    /// - Parameter select: The statement of `joined.sql`.
    static func joined(_ db: Database, _ select: String, email: String?) throws -> Int
}

protocol PeerUser: FetchableRecord, PersistableRecord, Sendable {
    var id: Int { get }
    var created: Date { get }
    var email: String { get }
    var active: Bool { get }

    init(id: Int, created: Date, email: String, active: Bool)
}

extension PeerUser {
    static var databaseTableName: String { "users" }
    var checksum: Int { id + created.milliseconds + email.utf8.count + (active ? 1 : 0) }
}

/// An article or a comment.
protocol PeerText: PersistableRecord {
    init(id: Int, created: Date, parent: Int, text: String)
}

protocol PeerOrder: FetchableRecord {
    var id: Int { get }
    var employeeId: Int? { get }
    var shipVia: Int? { get }
    var freight: Double? { get }
    var texts: [String?] { get }
}

extension PeerOrder {
    var checksum: Int {
        let numbers = id + (employeeId ?? 0) + (shipVia ?? 0) + Int((freight ?? 0) * 4)
        return texts.reduce(numbers) { $0 + ($1?.utf8.count ?? 0) }
    }
}

extension Date {
    fileprivate var milliseconds: Int { Int((timeIntervalSince1970 * 1_000).rounded()) }

    fileprivate init(milliseconds: Int) { self.init(timeIntervalSince1970: Double(milliseconds) / 1_000) }
}

private func textChecksum(_ id: Int, _ created: Date, _ parent: Int, _ text: String) -> Int {
    id + created.milliseconds + parent + text.utf8.count
}

// MARK: - By hand

/// Records that read and write their columns by hand.
enum HandRecords: PeerRecords {
    struct User: PeerUser {
        let id: Int
        let created: Date
        let email: String
        let active: Bool

        init(id: Int, created: Date, email: String, active: Bool) {
            (self.id, self.created, self.email, self.active) = (id, created, email, active)
        }

        init(row: Row) throws {
            (id, created, email, active) = (row[0], Date(milliseconds: row[1]), row[2], row[3])
        }

        func encode(to container: inout PersistenceContainer) {
            container["id"] = id
            container["created"] = created.milliseconds
            container["email"] = email
            container["active"] = active
        }
    }

    struct Text {
        let id: Int
        let created: Date
        let parent: Int
        let text: String

        /// The text whose columns begin at an index, or nil if a left join found none.
        static func read(_ row: Row, at index: Int) -> Text? {
            guard let id: Int = row[index] else { return nil }
            return Text(id: id, created: Date(milliseconds: row[index + 1]), parent: row[index + 2], text: row[index + 3])
        }

        func encode(to container: inout PersistenceContainer, parentColumn: String) {
            container["id"] = id
            container["created"] = created.milliseconds
            container[parentColumn] = parent
            container["text"] = text
        }

        var checksum: Int { textChecksum(id, created, parent, text) }
    }

    struct Article: PeerText {
        static let databaseTableName = "articles"
        let content: Text

        init(id: Int, created: Date, parent: Int, text: String) {
            content = Text(id: id, created: created, parent: parent, text: text)
        }

        func encode(to container: inout PersistenceContainer) { content.encode(to: &container, parentColumn: "userId") }
    }

    struct Comment: PeerText {
        static let databaseTableName = "comments"
        let content: Text

        init(id: Int, created: Date, parent: Int, text: String) {
            content = Text(id: id, created: created, parent: parent, text: text)
        }

        func encode(to container: inout PersistenceContainer) { content.encode(to: &container, parentColumn: "articleId") }
    }

    struct Joined: FetchableRecord {
        let user: User
        let article: Text?
        let comment: Text?

        init(row: Row) throws {
            (user, article, comment) = (try User(row: row), Text.read(row, at: 4), Text.read(row, at: 8))
        }
    }

    static func joined(_ db: Database, _ select: String, email: String?) throws -> Int {
        let condition = email == nil ? "" : "WHERE users.email = ?"
        let sql = "\(select) \(condition) ORDER BY users.created, articles.created, comments.created"
        let rows = try Joined.fetchAll(db, sql: sql, arguments: email.map { [$0] } ?? [])
        return rows.reduce(0) { $0 + $1.user.checksum + ($1.article?.checksum ?? 0) + ($1.comment?.checksum ?? 0) }
    }

    struct Order: PeerOrder {
        let id: Int
        let customerId: String?
        let employeeId: Int?
        let orderDate, requiredDate, shippedDate: String?
        let shipVia: Int?
        let freight: Double?
        let shipName, shipAddress, shipCity, shipRegion, shipPostalCode, shipCountry: String?

        init(row: Row) throws {
            (id, customerId, employeeId, orderDate, requiredDate) = (row[0], row[1], row[2], row[3], row[4])
            (shippedDate, shipVia, freight, shipName, shipAddress) = (row[5], row[6], row[7], row[8], row[9])
            (shipCity, shipRegion, shipPostalCode, shipCountry) = (row[10], row[11], row[12], row[13])
        }

        var texts: [String?] {
            [
                customerId, orderDate, requiredDate, shippedDate, shipName, shipAddress, shipCity, shipRegion, shipPostalCode, shipCountry,
            ]
        }
    }
}

// MARK: - Codable

/// Records whose types leave their columns to Codable.
enum CodableRecords: PeerRecords {
    struct User: Codable, PeerUser, IntegerDates {
        var id: Int
        var created: Date
        var email: String
        var active: Bool

        static let articles = hasMany(Article.self).forKey("article")
    }

    struct Article: Codable, FetchableRecord, PeerText, IntegerDates {
        static let databaseTableName = "articles"
        var id: Int
        var created: Date
        var userId: Int
        var text: String

        init(id: Int, created: Date, parent: Int, text: String) {
            (self.id, self.created, userId, self.text) = (id, created, parent, text)
        }

        static let comments = hasMany(Comment.self).forKey("comment")
    }

    struct Comment: Codable, FetchableRecord, PeerText, IntegerDates {
        static let databaseTableName = "comments"
        var id: Int
        var created: Date
        var articleId: Int
        var text: String

        init(id: Int, created: Date, parent: Int, text: String) {
            (self.id, self.created, articleId, self.text) = (id, created, parent, text)
        }
    }

    /// A row of the join.
    struct Joined: Decodable, FetchableRecord {
        struct ArticleInfo: Decodable, FetchableRecord {
            var article: Article
            var comment: Comment?
        }

        var user: User
        var article: ArticleInfo?
    }

    static func joined(_ db: Database, _ select: String, email: String?) throws -> Int {
        let comments = Article.comments.order(Column("created"))
        let articles = User.articles.order(Column("created")).including(optional: comments)
        var users = User.order(Column("created")).including(optional: articles)
        if let email { users = users.filter(Column("email") == email) }
        return try users.asRequest(of: Joined.self).fetchAll(db).reduce(0) { sum, row in
            let article = row.article?.article
            let comment = row.article?.comment
            return sum + row.user.checksum
                + (article.map { textChecksum($0.id, $0.created, $0.userId, $0.text) } ?? 0)
                + (comment.map { textChecksum($0.id, $0.created, $0.articleId, $0.text) } ?? 0)
        }
    }

    struct Order: Codable, PeerOrder {
        var id: Int
        var customerId: String?
        var employeeId: Int?
        var orderDate, requiredDate, shippedDate: String?
        var shipVia: Int?
        var freight: Double?
        var shipName, shipAddress, shipCity, shipRegion, shipPostalCode, shipCountry: String?

        var texts: [String?] {
            [
                customerId, orderDate, requiredDate, shippedDate, shipName, shipAddress, shipCity, shipRegion, shipPostalCode, shipCountry,
            ]
        }
    }
}

/// Records whose dates are integers in the database.
protocol IntegerDates: FetchableRecord, EncodableRecord {}

extension IntegerDates {
    static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy { .millisecondsSince1970 }
    static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy { .millisecondsSince1970 }
}
