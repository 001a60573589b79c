// SQLite's C API by hand: the yardstick of `make bench`.
//
//     baseline --serve NAME
//
// This program has nothing of Strata, so that it stays the same while Strata changes: see Shared/Side.swift for its options. A change to it
// moves the yardstick.

let sides =
    fetchSides + columnSides + eventSides + [fetchJSON] + insertSides + changeSides + associationSides + [rebuildSide] + searchSides
guard try Side.act(sides, Array(CommandLine.arguments.dropFirst())) else { fail("usage: baseline --sides | --serve NAME | --count NAME") }
