import Foundation
import SQLiteDriver

// Foundation's types conform to `DatabaseValueConvertible`, which this package owns, and so to `StatementBinding`, which the
// driver owns. Swift warns of a conformance between a type and a protocol of other packages, as their owners could add the
// same one. The driver's owner is us, and leaves these to this package. Names that are qualified by their module say that it
// is meant (SE-0364); `@retroactive` says so too, but it is an error when the layers are built as one package, by the manifest
// at the root of the repository.

extension Foundation.CGFloat: SQLiteDriver.StatementBinding {}
extension Foundation.Date: SQLiteDriver.StatementBinding {}
extension Foundation.Decimal: SQLiteDriver.StatementBinding {}
extension Foundation.NSData: SQLiteDriver.StatementBinding {}
extension Foundation.NSDate: SQLiteDriver.StatementBinding {}
extension Foundation.NSNull: SQLiteDriver.StatementBinding {}
extension Foundation.NSNumber: SQLiteDriver.StatementBinding {}
extension Foundation.NSString: SQLiteDriver.StatementBinding {}
extension Foundation.NSURL: SQLiteDriver.StatementBinding {}
extension Foundation.NSUUID: SQLiteDriver.StatementBinding {}
extension Foundation.URL: SQLiteDriver.StatementBinding {}
extension Foundation.UUID: SQLiteDriver.StatementBinding {}
