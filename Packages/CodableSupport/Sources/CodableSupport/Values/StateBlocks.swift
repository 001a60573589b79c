import Foundation
import Persistence

// Decoders, encoders and their containers point to the state that they work with, and a program can keep them for as long as it likes.
// So the memory of a state is never freed: it is used again, for states of the same kind. It carries a generation, which is odd while a
// record is being coded, and which each record and each use of the memory changes; who points to it compares the generation first.

/// The memory of states of one kind that is not in use.
///
/// `@unchecked Sendable`: the lock guards the array.
final class StateBlocks<State>: @unchecked Sendable {
    private let lock = NSLock()
    private var blocks: [UnsafeMutablePointer<State>] = []

    /// Memory that holds a state without anything in it.
    ///
    /// - Parameter make: makes such a state.
    func take(orMake make: () -> State) -> UnsafeMutablePointer<State> {
        if let block = lock.withLock({ blocks.popLast() }) { return block }
        let block = UnsafeMutablePointer<State>.allocate(capacity: 1)
        block.initialize(to: make())
        return block
    }

    /// - Parameter block: memory whose state has been emptied.
    func giveBack(_ block: UnsafeMutablePointer<State>) {
        lock.withLock { blocks.append(block) }
    }
}

/// A cell with the generation of the record that a container was given out for, where the container itself keeps it.
final class GenerationCell {
    private let memory: OwnedMemory<Int>

    var pointer: UnsafeMutablePointer<Int> { memory.pointer }

    init(_ generation: Int) {
        memory = OwnedMemory(generation)
    }
}

extension UnsafeMutablePointer<Int> {
    /// A cell whose owner frees it.
    static func cell(_ generation: Int) -> Self {
        let cell = allocate(capacity: 1)
        cell.initialize(to: generation)
        return cell
    }
}

/// Stops the program: a decoder, or one of its containers, is not that of the record that is being decoded.
@inline(never)
func stopForStaleDecoder() -> Never {
    fatalError(
        "A decoder, or one of its containers, was used after its record had been decoded. Decode what is needed in init(from:), and keep "
            + "the values.")
}

/// Stops the program: an encoder, or one of its containers, is not that of the record that is being encoded.
@inline(never)
func stopForStaleEncoder() -> Never {
    fatalError(
        "An encoder, or one of its containers, was used after its record had been encoded. Encode what is to be written in encode(to:).")
}
