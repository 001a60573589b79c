import QueryInterface

// Batches of insertions. Records are written in groups, by one statement for several rows, where nothing can tell the difference except the
// time of `didInsert` and `didSave`: see `Plans/RecordPlans+Groups.swift`. Other records are written one by one.

/// A batch of insertions or upserts.
@usableFromInline
struct InsertionBatch {
    @usableFromInline let db: Database
    @usableFromInline let insertion: Insertion
    @usableFromInline let details: WriteDetails?

    /// How many records are written one by one before there is a group again.
    @usableFromInline var singleCount: Int

    /// The group of the last records.
    @usableFromInline var use: GroupUse?

    /// The objects in the group.
    @usableFromInline var objects: [ObjectIdentifier] = []

    /// - Parameter minimumCount: how many records the batch has at least, as far as that is known.
    @inlinable
    init(_ db: Database, _ insertion: Insertion, _ details: WriteDetails?, minimumCount: Int) {
        self.db = db
        self.insertion = insertion
        self.details = details
        singleCount = minimumCount < RecordGroup.minimumBatchCount ? RecordGroup.minimumBatchCount : 0
    }

    /// Returns the group for the next records, or nil if the next record is written alone.
    ///
    /// - Parameters:
    ///   - record: the next record. If it is of a subclass, its declared type may have no table.
    ///   - count: the number of records that follow.
    @inlinable
    mutating func group<Record: MutablePersistableRecord>(for record: Record, atMost count: Int) throws -> RecordGroup? {
        if singleCount > 0 {
            singleCount -= 1
            return nil
        }
        if record.subclass != nil { return nil }
        return try findGroup(RecordPlans.plans(for: Record.self, in: db), insertion.resolution(for: Record.self), atMost: count)
    }

    @usableFromInline
    mutating func findGroup(
        _ plans: RecordPlans, _ resolution: Database.ConflictResolution, atMost count: Int
    ) throws -> RecordGroup? {
        let next = try plans.group(after: use, details, resolution, db, singleCount: &singleCount)
        if let use, use.group !== next?.group { use.end() }
        use = next
        guard let group = next?.group else {
            singleCount -= 1
            return nil
        }
        return group.count <= count ? group : nil
    }

    /// Ends the batch.
    @usableFromInline
    mutating func end() {
        use?.end()
        use = nil
    }
}

extension Insertion {
    @inlinable
    func resolution<Record: MutablePersistableRecord>(for type: Record.Type) -> Database.ConflictResolution {
        conflictResolution ?? Record.persistenceConflictPolicy.conflictResolutionForInsert
    }
}

extension MutableCollection where Element: MutablePersistableRecord {
    /// Inserts or upserts the records, in groups where that is possible, and keeps their changes when all are written.
    @inlinable
    mutating func insertAll(
        _ db: Database, _ insertion: Insertion, _ details: WriteDetails? = nil, progress: ((Int) throws -> Void)?
    ) throws {
        if let progress { return try writeAll(db, insertion, details, progress: progress) }
        try inBatch(db) { records in
            let count = records.count
            var batch = InsertionBatch(db, insertion, details, minimumCount: count)
            defer { batch.end() }
            try records.insert(count, &batch)
        }
    }

    /// Inserts the first records.
    @inlinable
    mutating func insert(_ count: Int, _ batch: inout InsertionBatch) throws {
        var index = startIndex
        var remaining = count
        while remaining > 0 {
            if let group = try batch.group(for: self[index], atMost: remaining) {
                remaining -= try insert(group, &batch, from: &index)
            } else {
                try self[index].perform(batch.insertion, batch.db, batch.details)
                formIndex(after: &index)
                remaining -= 1
            }
        }
    }

    /// Inserts a group of records, or fewer ones one by one, if a record does not fit.
    ///
    /// - Returns: the number of records.
    @inlinable
    mutating func insert(_ group: RecordGroup, _ batch: inout InsertionBatch, from index: inout Index) throws -> Int {
        // The memory of records that are written alone is not used meanwhile.
        let plans = RecordPlans.plans(for: Element.self, in: batch.db)
        let contents = plans.state.pointee.contents.take()
        defer { plans.state.pointee.contents = contents }
        // Only objects are asked: asking a struct would copy it, and retain each of its strings.
        let hasObjects = Element.self is AnyObject.Type
        let first = index
        var count = 0
        var isComplete = true
        group.begin()
        batch.objects.removeAll(keepingCapacity: true)
        do {
            while isComplete, count < group.count {
                isComplete = !hasObjects || self[index].canJoin(group, &batch)
                if !isComplete { break }
                isComplete = try self[index].encode(count, of: group, plans)
                formIndex(after: &index)
                count += 1
            }
        } catch {
            // The error of an earlier record comes first.
            try insertOneByOne(0..<count, of: group, &batch, from: first)
            throw error
        }
        var written = 0
        if isComplete { written = try plans.run(group, batch.details, batch.insertion.resolution(for: Element.self), batch.db) }
        var next = first
        if group.state.pointee.needsRowIDs {
            callBack(written, of: group, plans, from: &next)
        } else if written < count {
            formIndex(&next, offsetBy: written)
        }
        if written < count {
            batch.singleCount = group.count
            try insertOneByOne(written..<count, of: group, &batch, from: next)
        }
        return count
    }

    /// Calls the callbacks of the records that were written with their group. Their memory is moved to the successes meanwhile.
    @inlinable
    mutating func callBack(_ count: Int, of group: RecordGroup, _ plans: RecordPlans, from index: inout Index) {
        for position in 0..<count {
            let success = plans.success(position, of: group)
            self[index].didInsert(success)
            let saved = PersistenceSuccess((consume success).written)
            self[index].didSave(saved)
            group.state.pointee.contents[position] = (consume saved).written.container.contents
            formIndex(after: &index)
        }
    }

    /// Writes the records of a group that were not written with it.
    @inline(never)
    @inlinable
    mutating func insertOneByOne(
        _ positions: Range<Int>, of group: RecordGroup, _ batch: inout InsertionBatch, from first: Index
    ) throws {
        let plans = RecordPlans.plans(for: Element.self, in: batch.db)
        let resolution = batch.insertion.resolution(for: Element.self)
        var index = first
        for position in positions {
            let success = try plans.insert(position, of: group, batch.details, resolution, batch.db)
            self[index].didInsertUnlessSkipped(success)
            self[index].didSave(PersistenceSuccess(success.written))
            formIndex(after: &index)
        }
    }
}

extension MutablePersistableRecord {
    /// Returns whether the record, an object, can be encoded before the callbacks of the previous records of a group are called.
    @inline(never)
    @inlinable
    func canJoin(_ group: RecordGroup, _ batch: inout InsertionBatch) -> Bool {
        // A subclass has its own plans. An object that occurs twice has the row ID of its first insertion when it is inserted again.
        let object = ObjectIdentifier(self as AnyObject)
        if subclass != nil || group.state.pointee.needsRowIDs && batch.objects.contains(object) { return false }
        batch.objects.append(object)
        return true
    }

    /// Encodes the record in a group. It is mutating, so that it is encoded where it is.
    @inlinable
    @inline(__always)
    mutating func encode(_ index: Int, of group: RecordGroup, _ plans: RecordPlans) throws -> Bool {
        try plans.encode(self, index, of: group)
    }
}

extension Sequence where Element: MutablePersistableRecord {
    /// Inserts or upserts copies of the records, in groups where that is possible.
    ///
    /// - Parameter written: called with each copy after it was written.
    @inlinable
    func insertEach(
        _ db: Database, _ insertion: Insertion, _ details: WriteDetails? = nil, progress: ((Int) throws -> Void)?,
        written: (Element) -> Void = { _ in }
    ) throws {
        if let progress { return _ = try writeEach(db, insertion, details, progress: progress, written: written) }
        try db.inBatch {
            var batch = InsertionBatch(db, insertion, details, minimumCount: underestimatedCount)
            defer { batch.end() }
            var group: [Element] = []
            var count = 0
            for var record in self {
                if group.isEmpty {
                    count = try batch.group(for: record, atMost: Int.max)?.count ?? 0
                    if count == 0 {
                        try record.perform(insertion, db, details)
                        written(record)
                        continue
                    }
                }
                group.append(record)
                if group.count == count { try group.insertCopies(&batch, written) }
            }
            try group.insertCopies(&batch, written)
        }
    }
}

extension Array where Element: MutablePersistableRecord {
    /// Inserts the records, which a sequence has returned, and removes them.
    @inlinable
    mutating func insertCopies(_ batch: inout InsertionBatch, _ written: (Element) -> Void) throws {
        try insert(count, &batch)
        forEach(written)
        removeAll(keepingCapacity: true)
    }
}
