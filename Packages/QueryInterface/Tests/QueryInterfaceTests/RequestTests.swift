import QueryInterface
import Testing

@Suite struct RequestTests {
    @Test func tableNamesFollowFromTypeNames() {
        struct HTTPRequest: TableRecord {}
        #expect(HTTPRequest.databaseTableName == "httpRequest")
    }
}
