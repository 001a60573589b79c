import Foundation
import QueryInterface

/// The tables of the random requests, with names that need quotes, keys of all kinds, and values of all storage classes.
enum RandomSchema {
    static let creation = #"""
        CREATE TABLE "select" (
            "id" INTEGER PRIMARY KEY, "group" INTEGER, "a ""b""" TEXT, "😀" REAL, "da'ta" BLOB, "Order" NUMERIC, any,
            "parent" INTEGER REFERENCES "select", "json" TEXT);
        CREATE TABLE "my table" (
            "code" TEXT NOT NULL COLLATE NOCASE, "part" INTEGER NOT NULL, "select" INTEGER REFERENCES "select", "id" any,
            PRIMARY KEY ("code", "part")) WITHOUT ROWID;
        CREATE TABLE "x""y" (
            "my table" TEXT, "part" INTEGER, "from" TEXT, "select" INTEGER REFERENCES "select",
            "sum" INTEGER GENERATED ALWAYS AS ("part" + "select"),
            FOREIGN KEY ("my table", "part") REFERENCES "my table");
        INSERT INTO "select" VALUES
            (1, 1, 'a', 0.5, x'00', 1, 1, NULL, '{"a":1}'), (2, 1, 'A', -0.5, x'', 1.0, 1.5, 1, '[1,2]'),
            (3, 2, 'b%_', 1.25, NULL, '1', 'x', 1, '{"a":null}'), (4, 2, 'b''"', NULL, x'6162', 'ab', x'78', 2, '"t"'),
            (5, NULL, '', 1e300, x'ff', NULL, NULL, 2, NULL), (6, 3, NULL, 9e999, 'text', -2, -9223372036854775808, 5, '{"a":[2]}'),
            (7, 3, ' é ', -9e999, 3, 9223372036854775807, '12abc', 5, '7'), (8, 0, '10', 10.0, 0.25, 0, 0, NULL, 'null'),
            (9, -1, 'ab', 2.0, x'00ff', '0x10', -0.0, 8, '[]'), (10, 2, 'AB ', 3.0, NULL, 1e-9, 'X', 8, '{}');
        INSERT INTO "my table" VALUES
            ('a', 1, 1, 1), ('a', 2, 1, NULL), ('B', 1, 2, 'x'), ('B', 2, 3, 2.5), ('', 0, NULL, x'01'), ('é', 1, 5, '1'), ('c', 3, 6, 7);
        INSERT INTO "x""y" VALUES
            ('a', 1, 'one', 1), ('A', 1, 'two', 2), ('a', 1, NULL, 2), ('b', 1, 'it''s', NULL), ('b', 2, '😀', 3), (NULL, 1, 'x', 5),
            ('c', NULL, 'y', 6), ('c', 3, '', 7), ('é', 1, 'z', 9), ('a', 2, 'ONE', 10), ('a', 1, 'one', 1);
        """#

    /// A table with its columns and associations.
    struct TableModel {
        let table: Table<Row>
        let columns: [String]
        /// Columns with numbers whose sums neither overflow nor are rounded.
        let addable: [String]
        let toOne: [Way]
        let toMany: [ManyWay]
        let jsonColumn: String?
    }

    /// An association, and the index of its destination table.
    typealias Way = (association: any AssociationToOne<Row, Row>, key: String, destination: Int)

    /// An association to many rows. `isDirect` is true if each row is found only once.
    typealias ManyWay = (association: any AssociationToMany<Row, Row>, key: String, destination: Int, isDirect: Bool)

    private static let first = Table<Row>("select")
    private static let second = Table<Row>("my table")
    private static let third = Table<Row>("x\"y")

    private static let parent = first.belongsTo(first, key: "the parent")
    private static let children = first.hasMany(first, key: "children")
    private static let parts = first.hasMany(second, key: "parts")
    private static let notes = first.hasMany(third, key: "no\"tes")
    private static let partOwner = second.belongsTo(first, key: "owner")
    private static let partNotes = second.hasMany(third, key: "notes")
    private static let noteOwner = third.belongsTo(first, key: "owner")
    private static let notePart = third.belongsTo(second, key: "part")

    static let tables: [TableModel] = [
        TableModel(
            table: first, columns: ["id", "group", "a \"b\"", "😀", "da'ta", "Order", "any", "parent"], addable: ["id", "group"],
            toOne: [
                (parent, "the parent", 0),
                (first.hasOne(first, through: parent, using: parent, key: "grandparent"), "grandparent", 0),
            ],
            toMany: [
                (children, "children", 0, true), (parts, "parts", 1, true), (notes, "no\"tes", 2, true),
                (first.hasMany(first, through: children, using: children, key: "grandchildren"), "grandchildren", 0, false),
                (first.hasMany(third, through: parts, using: partNotes, key: "part notes"), "part notes", 2, false),
                (
                    first.hasMany(
                        third, through: first.hasMany(second, through: children, using: parts, key: "child parts"), using: partNotes,
                        key: "notes of child parts"), "notes of child parts", 2, false
                ),
                (first.hasMany(second, through: notes, using: notePart, key: "noted"), "noted", 1, false),
            ],
            jsonColumn: "json"),
        TableModel(
            table: second, columns: ["code", "part", "select", "id"], addable: ["part", "select"],
            toOne: [
                (partOwner, "owner", 0), (second.hasOne(first, through: partOwner, using: parent, key: "up"), "up", 0),
            ],
            toMany: [
                (partNotes, "notes", 2, true),
                (second.hasMany(first, through: partNotes, using: noteOwner, key: "noters"), "noters", 0, false),
                (second.hasMany(second, through: partOwner, using: parts, key: "siblings"), "siblings", 1, false),
            ],
            jsonColumn: nil),
        TableModel(
            table: third, columns: ["my table", "part", "from", "select", "sum"], addable: ["part", "select", "sum"],
            toOne: [
                (noteOwner, "owner", 0), (notePart, "part", 1),
                (third.hasOne(first, through: notePart, using: partOwner, key: "part owner"), "part owner", 0),
            ],
            toMany: [
                (third.hasMany(third, through: notePart, using: partNotes, key: "others"), "others", 2, false)
            ],
            jsonColumn: nil),
    ]
}
