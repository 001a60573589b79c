import Persistence

// Decoders, encoders and their containers refer to the state of their record, and a program can keep them for as long as it likes. A class
// reference would be retained and released at each call of the standard library, which copies keyed containers. So they have a handle to
// the memory of the state, which is never freed, but reused for states of the same kind. The memory contains a generation, which is odd
// while a record is being coded, and which changes with each record and each use of the memory. They compare the generation first.

/// The state of coding records, in memory that is reused.
@usableFromInline
protocol CodingState {
    /// Odd while a record is being coded. A number is never used again.
    var generation: Int { get }

    /// Empties the memory for its next use, and gives it another generation.
    mutating func empty()

    /// Stops the program, because a coder or one of its containers does not belong to the record that is being coded.
    static func stopForStaleCoder() -> Never
}

/// A handle to a state: the only access to its memory. The methods of states belong to their handles, because a method of the structure
/// would copy it, and retain everything that it refers to.
@frozen
@usableFromInline
struct StateHandle<State: CodingState>: Equatable {
    @usableFromInline let pointer: UnsafeMutablePointer<State>

    fileprivate init(_ pointer: UnsafeMutablePointer<State>) { self.pointer = pointer }

    @inlinable
    var pointee: State {
        @inline(__always)
        unsafeAddress { UnsafePointer(pointer) }
        @inline(__always)
        nonmutating unsafeMutableAddress { pointer }
    }

    /// Returns the handle. Stops the program if the state no longer codes the record of a generation.
    @inline(__always)
    func checked(_ generation: Int) -> Self {
        if pointee.generation != generation { State.stopForStaleCoder() }
        return self
    }
}

/// The unused memory of states of one kind.
final class StateBlocks<State: CodingState>: Sendable {
    private let blocks = Guarded<[UnsafeMutablePointer<State>]>([])

    /// Returns memory that holds an empty state.
    ///
    /// - Parameter make: makes an empty state.
    func take(orMake make: () -> State) -> StateHandle<State> {
        if let block = blocks.withLock({ $0.popLast() }) { return StateHandle(block) }
        let block = UnsafeMutablePointer<State>.allocate(capacity: 1)
        block.initialize(to: make())
        return StateHandle(block)
    }

    /// Empties the memory of a state, for its next use.
    func giveBack(_ state: StateHandle<State>) {
        state.pointee.empty()
        blocks.withLock { $0.append(state.pointer) }
    }
}

/// A cell with the generation of a container's record.
struct GenerationCell {
    private let pointer: UnsafeMutablePointer<Int>

    /// Allocates a cell, which the caller must free.
    init(_ generation: Int) {
        pointer = .allocate(capacity: 1)
        pointer.initialize(to: generation)
    }

    var generation: Int {
        @inline(__always)
        get { pointer.pointee }
        @inline(__always)
        nonmutating set { pointer.pointee = newValue }
    }

    func free() { pointer.deallocate() }
}

/// Frees a cell.
final class CellOwner {
    let cell: GenerationCell

    init(_ generation: Int) { cell = GenerationCell(generation) }

    deinit { cell.free() }
}
