import Foundation
import SQLiteDriver

// Foundation's types conform to `DatabaseValueConvertible`, which this package defines, and therefore to `StatementBinding`, which the
// driver defines. Swift warns when a type and a protocol of a conformance both belong to other packages, because their owners could add the
// same conformance. The driver is part of the same project, and leaves these conformances to this package. Names qualified by their module
// silence the warning (SE-0364). So does `@retroactive`, but it is an error when the manifest at the root of the repository builds the
// layers as one package.

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
