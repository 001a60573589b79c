import DqliteCluster
import Foundation
import Testing

/// The tutorials of Examples/, run as a reader would run them.
@Suite(.timeLimit(.minutes(20)))
struct TutorialTests {
    @Test(arguments: Examples.tutorials)
    func `A tutorial runs to its end, prints what it teaches, and complains of nothing`(_ name: String) async throws {
        // In a folder of its own: a tutorial must find its data wherever it is called from.
        let result = try await Examples.run(name, in: TemporaryFolder())
        #expect(result.isSuccess, "\(result)")
        #expect(result.error.isEmpty, "\(result)")
        let expectedLines = try #require(keyLines[name], "A new tutorial needs key lines here")
        for line in expectedLines {
            #expect(result.lines.contains(line), "\(result)")
        }
    }

    @Test
    func `The tutorial on readers measures that readers of a pool read during a write, and readers of a queue after it`() async throws {
        let result = try await Examples.run("07-ReadersAndWriter", in: TemporaryFolder())
        /// Rows, the time of the write, reads, the longest wait of a reader.
        func numbers(_ name: String) throws -> [Double] {
            let line = try #require(result.lines.first { $0.hasPrefix("\(name) ") }, "\(result)")
            return line.split(separator: " ").compactMap { Double($0) }
        }
        let queue = try numbers("DatabaseQueue")
        let pool = try numbers("DatabasePool")
        try #require(queue.count == 4 && pool.count == 4, "\(result)")
        // The landings after the first, and their pieces.
        #expect(queue[0] == 72_025, "\(result)")
        #expect(pool[0] == 72_025, "\(result)")
        #expect(queue[2] == 0, "\(result)")
        #expect(pool[2] > 0, "\(result)")
    }

    @Test
    func `A tutorial can run again`() async throws {
        let folder = try TemporaryFolder()
        // One that measures nothing: numbers differ from run to run.
        let name = "06-AllTogether"
        let first = try await Examples.run(name, in: folder)
        let second = try await Examples.run(name, in: folder)
        #expect(second.isSuccess, "\(second)")
        #expect(first.output == second.output)
    }

    @Test
    func `A tutorial that can't create its database prints one line`() async throws {
        let folder = try TemporaryFolder()
        // A file, where the folder of the databases should be.
        try folder.write("", to: "strata-examples-\(NSUserName())")
        let result = try await Examples.run(try #require(Examples.tutorials.first), in: folder)
        #expect(result.status == 1, "\(result)")
        #expect(result.error.split(separator: "\n").count == 1, "\(result)")
        #expect(result.output.isEmpty, "\(result)")
    }

    @Test
    func `Every tutorial has its key lines`() {
        #expect(Examples.tutorials == keyLines.keys.sorted())
    }
}

private let keyLines = [
    "01-SQLAndStatements": [
        "Mission     Flight          Lunar module   Launch (UTC)       In flight",
        "Apollo 7    Earth orbit     –              1968-10-11 15:02   10 d 20 h",
        "Apollo 11   lunar landing   Eagle          1969-07-16 13:32    8 d 03 h",
        "Apollo 13   lunar flyby     Aquarius       1970-04-11 19:13    5 d 23 h",
        "Apollo 11 was flown by Neil Armstrong, Michael Collins, Buzz Aldrin.",
        "A second Apollo 11? UNIQUE constraint failed: mission.number",
        "After the rollback, all 33 seats are still taken.",
    ],
    "02-RowsAndValues": [
        "The missions brought 381.7 kg of the Moon home.",
        "Far in the north of it lie Hadley–Apennine and Taurus–Littrow.",
        "There were 4 kinds of flight; one was a flyby.",
        "The last splashdown was on 1972-12-19 19:24, UTC.",
        "Apollo 17   lunar landing   1972-12-07 05:33   1972-12-19 19:24   12 d 14 h",
        "Apollo 12   Oceanus Procellarum     3.012° S  23.422° W          31.5           34.3",
        "Apollo 13   –",
        "No coercion: could not decode Int from column 0 \"site\": its value is TEXT - columns: [site] - SQL: "
            + "`SELECT site FROM landing WHERE mission = 11`",
    ],
    "03-RecordsByHand": [
        "Inserted 33 seats, and 29 people to take them.",
        "John Young      Apollo 10, Command Module Pilot   Apollo 16, Commander",
        "Number 26 now goes by the name of Ken Mattingly.",
        "Snoopy the beagle is number 30, and on board: true.",
        "Off he goes: true. On board: false.",
        "And he can't come back by an update: no row in table astronaut with this id.",
    ],
    "04-CodableRecords": [
        #"    launch = "1969-07-16 13:32:00.000""#,
        #"    lunar_module = "Eagle""#,
        #"    crew = "[{\"name\":\"Neil Armstrong\",\"seat\":\"Commander\"},{\"name\":\"Michael Collins\","#
            + #"\"seat\":\"Command Module Pilot\"},{\"name\":\"Buzz Aldrin\",\"seat\":\"Lunar Module Pilot\"}]""#,
        "Apollo 8    –              1968-12-21 12:51   Frank Borman, James Lovell, William Anders",
        "David Scott              2   22 d 08 h",
        "On paper, Apollo 11 landed with LM-5.",
        "Undone, since Apollo 11 must have a launch: launch was \"one summer morning\".",
    ],
    "05-Queries": [
        #"SELECT * FROM "mission" WHERE "flight" IN ('lunar orbit', 'lunar flyby')"#,
        #"SELECT * FROM "mission" WHERE "lunarModule" IS NULL"#,
        "Apollo 7   Earth orbit   –              1968-10-11 15:02",
        #"SELECT * FROM "mission" WHERE "launch" >= '1969-01-01 00:00:00.000' AND "launch" < '1970-01-01 00:00:00.000' "#
            + #"ORDER BY "launch" DESC LIMIT 2"#,
        "In 1969 4 missions flew, of 11.",
        "The first landing was Apollo 11's, launched 1969-07-16 13:32 UTC.",
        "Apollo 13 and its Aquarius did not land.",
        "Apollo 17   Taurus–Littrow               75.0          110.5            1.47",
    ],
    "06-AllTogether": [
        "Apollo 12   Yankee Clipper and Intrepid   1969-11-14 16:22   10 d 05 h   lunar landing",
        "Apollo 11   Mare Tranquillitatis    0.674° N  23.473° E          21.6           21.6",
        "Eugene Cernan and Harrison Schmitt spent 75.0 h at Taurus–Littrow.",
        "Together, 12 people have walked on the Moon. They came home with 381.7 kg of it.",
        "There was no Apollo 18: FOREIGN KEY constraint failed. The 29 astronauts are as they were.",
    ],
    "08-TenQuestions": [
        #"SELECT "landing"."site", date("mission"."launch") AS "launch", "seat"."astronaut" AS "commander" FROM "landing" "#
            + #"JOIN "mission" ON "mission"."number" = "landing"."missionNumber" "#
            + #"JOIN "seat" ON "seat"."missionNumber" = "mission"."number" AND "seat"."name" = 'Commander' ORDER BY "launch""#,
        "Taurus–Littrow         1972-12-07   Eugene Cernan",
        "    13   lunar flyby",
        "James Lovell          2   8,13",
        "1969          4         2",
        "Harrison Schmitt    75.0",
        "    10           2",
        "Taurus–Littrow           110.5    381.7              1",
        "    14                 295.1",
        "Thomas Mattingly",
        "Charles Duke                2",
    ],
    "09-CallbacksAndTimestamps": [
        "Inserted 3 landings, all of them created at 1970-01-02 00:00.",
        "In the variable, too: updated at 1970-01-03 00:00.",
        "Has the name changed? false.",
        "Apollo 11   Mare Tranquillitatis           22.0   1970-01-02 00:00   1970-01-03 00:00",
        "Taken back: nobody brings -8.0 kg back from Mare Tranquillitatis.",
        "Fra Mauro was not there.",
        "1970-01-03 00:00   Mare Tranquillitatis: 21.6 kg become 22.0 kg",
    ],
    "10-UpsertsAndBatches": [
        "33 seats, 29 astronauts. Who flew twice:",
        "John Young            2   Commander",
        "John Young is number 11, with 2 flights to Space Shuttle.",
        "3817 samples; the last is number 3817.",
        "Not halved: the museum still has 381.7 kg.",
        "Returned: numbers 1, 2, 3, 4, 5.",
        "Samples in the house: 3606.",
    ],
    "11-Migrations": [
        "seat        33   id, missionNumber, name, astronaut",
        "seat          33   id, missionNumber, name, astronautId",
        "astronaut     29   id, name",
        #"run "strict missions""#,
        #"-     "lunarModule" TEXT"#,
        #"+     "landerName" TEXT"#,
        "+ ) STRICT;",
        "2 of 2 done: strict missions",
        "unique seats failed: UNIQUE constraint failed: seat.astronautId",
        "All that it did is undone: true. The versions before it stay.",
        "Version 5, after missions, crew, astronauts, landings, strict missions, unique seats",
        #"An old program: the database has migrations that this program does not know: "astronauts", "crew", "landings", "#
            + #""strict missions", "unique seats". Use a newer version of the program."#,
    ],
    "12-FullTextSearch": [
        "lunar surf →",
        "oxygen \"tank →",
        "    nothing; did you mean lightning?",
        #"("landing" OR "descend" *) NOT NEAR("first" "samples", 5)"#,
        "    飛行士 with SQLite's tokenizer: nothing",
    ],
    "13-Cluster": DqliteNode.isAvailable
        ? [
            "250 grams are lent.",
            "350 grams are lent.",
            "The loan is not written again.",
            "Another node leads: true.",
        ] : ["This tutorial needs libdqlite. On Debian: apt-get install libdqlite0"],
    "14-LiveBoard": [
        "Apollo 11 has landed: Mare Tranquillitatis",
        "Apollo 14 has all its samples: 42.3 kg",
        "Apollo 17 has landed: Taurus–Littrow",
        "Apollo 17 has all its samples: 110.5 kg",
        "From most to least: Apollo 17, 16, 15, 14, 12, 11",
    ],
    "16-SQLFiles": [
        "Rated 1 book.", "Ursula: The Dispossessed, rated 5", "Ursula: The Telling, not rated",
        "Ursula wrote The Dispossessed.", "Stanisław wrote nothing yet.",
        "Stanisław has 0 books, on average not rated.", "Ursula has 2 books, on average 5.0.",
        "Found: The Telling",
        "Titles: [\"The Dispossessed\", \"The Telling\"]", "In a test: []",
    ],
    "15-Server": [
        "A browser watches 0 notes.",
        "POST /notes by Neil Armstrong: 201",
        "The browser sees the note of Michael Collins.",
        "A note without text: 400",
        "No JSON: 400",
        "No such page: 404",
        "Found: The [surface] is fine and powdery.",
        "Load test: 800 requests were answered, and 0 were not.",
        "A board without notes: 404",
        "POST /notes?board=moon: 201",
        "Healthy: true, with 2 open boards.",
        "Of the notes, scanned most: SELECT * FROM \"note\" ORDER BY \"id\" DESC LIMIT ?",
        "Notes on the board main: 83",
        "Notes on the board moon: 1",
    ],
    "07-ReadersAndWriter": [
        "What the readers of the DatabaseQueue found:",
        "What the readers of the DatabasePool found:",
        "    4320 pieces, 21.6 kg, as much as was brought",
        "    76340 pieces, 381.7 kg, as much as was brought",
        "The snapshot that was made before: 4320 pieces, 21.6 kg.",
        "A read now: 76340 pieces, 381.7 kg.",
        "A concurrent read between two writes: 4320 pieces, 21.6 kg.",
        "A read after them: 0 pieces, 0.0 kg.",
    ],
]
