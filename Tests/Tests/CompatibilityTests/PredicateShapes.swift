import Foundation
import Strata

// Conditions whose operators, literals and values once took the compiler seconds. `CompilerTests` compiles this file once more with
// a limit on the time for each expression, and `PredicateTests` checks the SQL.

/// A record whose columns have short names.
struct Sample: TableRecord {
    enum Columns {
        static let id = Column("id")
        static let a = Column("a")
        static let b = Column("b")
        static let c = Column("c")
        static let name = Column("name")
        static let info = JSONColumn("info")
    }
}

/// A record of the same table, whose columns know the types of their values, and their table.
struct TypedSample: TableRecord {
    enum State: String, DatabaseValueConvertible { case queued, failed }

    enum Columns {
        static let a = TypedColumn<Int64>("a", of: TypedSample.self)
        static let b = TypedColumn<Double>("b", of: TypedSample.self)
        static let c = TypedColumn<Date>("c", of: TypedSample.self)
        static let name = TypedColumn<State>("name", of: TypedSample.self)
        static let info = TypedColumn<String>("info", of: TypedSample.self)
    }

    static let databaseTableName = "sample"
}

/// The values that the conditions compare columns with.
struct Limits {
    var low = 1
    var high = 2.5
    var minimum: Int?
    var date = Date(timeIntervalSince1970: 1_000_000)
    var names = ["x", "y"]
    var isActive = true
}

/// Conditions, and the SQL that each makes.
func predicateShapes(_ limits: Limits) -> [(request: QueryInterfaceRequest<Sample>, sql: String)] {
    let lo = limits.low
    let hi = limits.high
    let minimum = limits.minimum
    let date = limits.date
    let names = limits.names
    let isActive = limits.isActive
    var shapes: [(QueryInterfaceRequest<Sample>, String)] = []

    let bounds = Sample.filter { $0.a >= Double(lo) * 1000 - 1 && $0.a < hi * 1000 + 1 && $0.c != "x" }
    shapes.append((bounds, #""a" >= 999.0 AND "a" < 2501.0 AND "c" <> 'x'"#))

    let products = Sample.filter { $0.a * $0.b - $0.c * $0.a - $0.b / $0.a + $0.b * 2 + 1 > lo * 3 - 1 }
    shapes.append((products, #""a" * "b" - "c" * "a" - "b" / "a" + "b" * 2 + 1 > 2"#))

    let distance = Sample.filter { ($0.a - hi) * ($0.a - hi) + ($0.b - hi) * ($0.b - hi) < 100 * 100 }
    shapes.append((distance, #"("a" - 2.5) * ("a" - 2.5) + ("b" - 2.5) * ("b" - 2.5) < 10000"#))

    let signs = Sample.filter { -$0.a + 2 * $0.b - 3 * $0.c == 10 - lo && $0.name == names[0] + "x" }
    shapes.append((signs, #"-"a" + 2 * "b" - 3 * "c" = 9 AND "name" = 'xx'"#))

    let functions = Sample.filter { abs($0.a - 10) < 5 && abs($0.b - hi) < 2.5 * 2 && length($0.name) > lo + 1 && $0.c == nil }
    shapes.append((functions, #"abs("a" - 10) < 5 AND abs("b" - 2.5) < 5.0 AND length("name") > 2 AND "c" IS NULL"#))

    let times = Sample.filter {
        $0.a >= date.timeIntervalSince1970 - 86400 * 7 && $0.a < date.timeIntervalSince1970 + 60 * 60
    }
    shapes.append((times, #""a" >= 395200.0 AND "a" < 1003600.0"#))

    let chain = Sample.filter { $0.a == 1 || $0.a == 2 || $0.a == 3 || $0.b == 4 || $0.b == 5 || $0.name == "x" || $0.name == nil }
    shapes.append((chain, #""a" = 1 OR "a" = 2 OR "a" = 3 OR "b" = 4 OR "b" = 5 OR "name" = 'x' OR "name" IS NULL"#))

    let lists = Sample.filter {
        (lo...lo + 10).contains($0.a) && names.contains($0.name) && [1, 2, 3].contains($0.b) && $0.c + 1 > $0.b * 2 - 3
    }
    shapes.append((lists, #""a" BETWEEN 1 AND 11 AND "name" IN ('x', 'y') AND "b" IN (1, 2, 3) AND "c" + 1 > "b" * 2 - 3"#))

    let defaults = Sample.filter { ($0.a ?? 0) + ($0.b ?? 0) * 2 >= minimum ?? 0 && $0.name != nil }
    shapes.append((defaults, #"ifnull("a", 0) + ifnull("b", 0) * 2 >= 0 AND "name" IS NOT NULL"#))

    let booleans = Sample.filter { isActive && $0.a == 1 || !isActive && $0.b == nil }
    shapes.append((booleans, #"1 AND "a" = 1 OR 0 AND "b" IS NULL"#))

    let negations = Sample.filter { $0.a == nil || !($0.c > lo * 2 + 1 && isActive) }
    shapes.append((negations, #""a" IS NULL OR NOT ("c" > 3 AND 1)"#))

    let bits = Sample.filter { $0.a & 1 == 0 && $0.b | 2 == 3 && $0.c << 1 > 1 && $0.a % 10 == lo % 10 && ($0.b + lo) % 7 != 0 }
    shapes.append(
        (bits, #""a" & 1 = 0 AND "b" | 2 = 3 AND "c" << 1 > 1 AND "a" % 10 = 1 AND ("b" + 1) % 7 <> 0"#))

    let json = Sample.filter { $0.info["a"] == 1 && $0.info["b"] != "x" && $0.info["c"] > lo * 2 }
    shapes.append((json, #""info" ->> 'a' = 1 AND "info" ->> 'b' <> 'x' AND "info" ->> 'c' > 2"#))

    let cases = Sample.filter { Case(when: $0.a > 1, then: "x").when($0.b == nil, then: "y").else("z") == "x" && $0.a < 3 }
    shapes.append((cases, #"CASE WHEN "a" > 1 THEN 'x' WHEN "b" IS NULL THEN 'y' ELSE 'z' END = 'x' AND "a" < 3"#))

    let reals = Sample.filter { $0.a * 1.5 - hi > 0.5 * hi && $0.b <= Double(lo) / 2 - 0.25 }
    shapes.append((reals, #""a" * 1.5 - 2.5 > 1.25 AND "b" <= 0.25"#))

    return shapes
}

/// Conditions on columns that know the types of their values, and the SQL that each makes.
func typedPredicateShapes(_ limits: Limits) -> [(request: QueryInterfaceRequest<TypedSample>, sql: String)] {
    let lo = limits.low
    let hi = limits.high
    let minimum = limits.minimum
    let date = limits.date
    var shapes: [(QueryInterfaceRequest<TypedSample>, String)] = []

    let terms = TypedSample.filter {
        $0.name == .queued && $0.a > 3 && $0.c <= date && $0.b < 5 && $0.info != "mail" && $0.c != nil
    }
    let day = "'1970-01-12 13:46:40.000'"
    shapes.append(
        (terms, #""name" = 'queued' AND "a" > 3 AND "c" <= \#(day) AND "b" < 5.0 AND "info" <> 'mail' AND "c" IS NOT NULL"#))

    let chain = TypedSample.filter {
        $0.name == .queued || $0.name == .failed || $0.name == nil || $0.a == 1 || $0.a == 2 || $0.info == "x" || .failed == $0.name
    }
    shapes.append(
        (
            chain,
            #""name" = 'queued' OR "name" = 'failed' OR "name" IS NULL OR "a" = 1 OR "a" = 2 OR "info" = 'x' OR 'failed' = "name""#
        ))

    let bounds = TypedSample.filter { $0.b >= Double(lo) * 1000 - 1 && $0.b < hi * 1000 + 1 && $0.a % 10 == lo % 10 && $0.a > lo * 3 - 1 }
    shapes.append((bounds, #""b" >= 999.0 AND "b" < 2501.0 AND "a" % 10 = 1 AND "a" > 2"#))

    let sums = TypedSample.filter { $0.a * $0.a - $0.b / 2 + 1 > $0.a && $0.a + lo < $0.a * 2 && -$0.a < 3 && abs($0.b) != hi }
    shapes.append((sums, #""a" * "a" - "b" / 2 + 1 > "a" AND "a" + 1 < "a" * 2 AND -"a" < 3 AND abs("b") <> 2.5"#))

    let lists = TypedSample.filter {
        [.queued, .failed].contains($0.name) && (lo...lo + 10).contains($0.a) && ![1, 2].contains($0.a) && $0.info.like("x%")
    }
    shapes.append((lists, #""name" IN ('queued', 'failed') AND "a" BETWEEN 1 AND 11 AND "a" NOT IN (1, 2) AND "info" LIKE 'x%'"#))

    let groups = TypedSample.filter {
        ($0.name == .queued || $0.name == .failed) && ($0.c == nil || $0.c < date) && !($0.a < 3 && $0.b > 1) && $0.a >= minimum ?? 0
    }
    shapes.append(
        (
            groups,
            #"("name" = 'queued' OR "name" = 'failed') AND ("c" IS NULL OR "c" < \#(day)) AND NOT ("a" < 3 AND "b" > 1.0) AND "a" >= 0"#
        ))

    return shapes
}
