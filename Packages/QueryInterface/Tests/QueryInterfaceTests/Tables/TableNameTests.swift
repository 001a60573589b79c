import QueryInterface
import Testing

private struct Place: TableRecord {}
private enum Atlas { struct Country: TableRecord {} }
private struct PostalAddress: TableRecord {}
private struct HTTPRequest: TableRecord {}
private struct TOEFL: TableRecord {}
private struct X: TableRecord {}
private struct HTTP2Request: TableRecord {}
private struct Sha256: TableRecord {}
private struct Route66Stop: TableRecord {}
private struct _Draft: TableRecord {}
private struct Postal_Address: TableRecord {}
private struct camelCase: TableRecord {}
private struct Élève: TableRecord {}
private struct Tagged<Value>: TableRecord {}
private enum Store { struct IPAddress: TableRecord {} }
private final class Train: TableRecord {}
private struct Renamed: TableRecord { static let databaseTableName = "location" }

@Suite struct TableNameTests {
    @Test(arguments: [
        (Place.databaseTableName, "place"),
        (Atlas.Country.databaseTableName, "country"),
        (PostalAddress.databaseTableName, "postalAddress"),
        (HTTPRequest.databaseTableName, "httpRequest"),
        (TOEFL.databaseTableName, "toefl"),
        (X.databaseTableName, "x"),
        (HTTP2Request.databaseTableName, "http2Request"),
        (Sha256.databaseTableName, "sha256"),
        (Route66Stop.databaseTableName, "route66Stop"),
        (_Draft.databaseTableName, "_Draft"),
        (Postal_Address.databaseTableName, "postal_Address"),
        (camelCase.databaseTableName, "camelCase"),
        (Élève.databaseTableName, "élève"),
        (Tagged<Int>.databaseTableName, "tagged"),
        (Tagged<[String: Place]>.databaseTableName, "tagged"),
        (Store.IPAddress.databaseTableName, "ipAddress"),
        (Train.databaseTableName, "train"),
        (Renamed.databaseTableName, "location"),
    ])
    func `A table name is derived from the type's name`(derived: String, name: String) {
        #expect(derived == name)
    }

    @Test
    func `The table name of a type in a function is derived from its own name`() {
        struct LocalThing: TableRecord {}
        #expect(LocalThing.databaseTableName == "localThing")
    }

    @Test
    func `A request has the table's name`() {
        #expect(Renamed.all().databaseTableName == "location")
    }
}
