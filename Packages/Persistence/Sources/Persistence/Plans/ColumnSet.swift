/// Some columns of a record.
@usableFromInline
struct ColumnSet {
    @usableFromInline let names: Set<String>

    /// A bit for each column's position in records of this layout. Comparing bits is faster than comparing names. Zero if only the names are
    /// known.
    let bits: UInt64
    let layout: Int

    @usableFromInline
    init(_ names: Set<String>, bits: UInt64 = 0, layout: Int = 0) {
        self.names = names
        self.bits = bits
        self.layout = layout
    }
}

/// The sets of columns that changed in recent records, each with the plan that updates them.
@usableFromInline
struct ChangePlans {
    /// The maximum number of sets. Few types need as many.
    static let capacity = 16

    struct Entry {
        let columns: ColumnSet
        let generation: Int
        var plan: RecordPlan?
    }

    private var entries: [Entry] = []
    private var last = 0

    /// The plan of the most recently used set: successive records usually change in the same columns.
    @usableFromInline
    var lastPlan: RecordPlan? { last < entries.count ? entries[last].plan : nil }

    /// Returns the set with the given bits, for a layout and a schema generation.
    mutating func columns(_ bits: UInt64, layout: Int, _ generation: Int) -> ColumnSet? {
        find(bits, layout, generation).map { entries[$0].columns }
    }

    mutating func add(_ columns: ColumnSet, _ generation: Int) {
        if entries.count == Self.capacity { entries.removeAll() }
        last = entries.count
        entries.append(Entry(columns: columns, generation: generation))
    }

    mutating func plan(of columns: ColumnSet, _ generation: Int) -> RecordPlan? {
        find(columns.bits, columns.layout, generation).flatMap { entries[$0].plan }
    }

    mutating func setPlan(_ plan: RecordPlan, of columns: ColumnSet) {
        if let index = find(columns.bits, columns.layout, plan.generation) { entries[index].plan = plan }
    }

    private mutating func find(_ bits: UInt64, _ layout: Int, _ generation: Int) -> Int? {
        func isFound(at index: Int) -> Bool {
            entries[index].columns.bits == bits && entries[index].columns.layout == layout && entries[index].generation == generation
        }
        if last < entries.count, isFound(at: last) { return last }
        guard let index = entries.indices.first(where: isFound) else { return nil }
        last = index
        return index
    }
}
