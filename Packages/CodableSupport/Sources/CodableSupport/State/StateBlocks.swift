import Foundation
import Persistence

// Decoders, encoders and their containers point to their state, and a program can keep them for as long as it likes. So the memory of a
// state is never freed, but reused for states of the same kind. It contains a generation, which is odd while a record is being coded, and
// which changes with each record and each use of the memory. Decoders, encoders and containers compare the generation first.

/// The unused memory blocks of states of one kind.
final class StateBlocks<State>: Sendable {
    private let blocks = Guarded<[UnsafeMutablePointer<State>]>([])

    /// Returns memory that holds an empty state.
    ///
    /// - Parameter make: makes an empty state.
    func take(orMake make: () -> State) -> UnsafeMutablePointer<State> {
        if let block = blocks.withLock({ $0.popLast() }) { return block }
        let block = UnsafeMutablePointer<State>.allocate(capacity: 1)
        block.initialize(to: make())
        return block
    }

    /// - Parameter block: memory whose state has been emptied.
    func giveBack(_ block: UnsafeMutablePointer<State>) {
        blocks.withLock { $0.append(block) }
    }
}

/// A cell with the generation of a container's record, which the container itself retains.
final class GenerationCell {
    private let memory: OwnedMemory<Int>

    var pointer: UnsafeMutablePointer<Int> { memory.pointer }

    init(_ generation: Int) {
        memory = OwnedMemory(generation)
    }
}

extension UnsafeMutablePointer<Int> {
    /// Allocates a cell, which the caller must free.
    static func cell(_ generation: Int) -> Self {
        let cell = allocate(capacity: 1)
        cell.initialize(to: generation)
        return cell
    }
}

/// Stops the program, because a decoder or one of its containers does not belong to the record that is being decoded.
@inline(never)
func stopForStaleDecoder() -> Never {
    fatalError(
        "A decoder, or one of its containers, was used after its record had been decoded. Decode what is needed in init(from:), and keep "
            + "the values.")
}

/// Stops the program, because an encoder or one of its containers does not belong to the record that is being encoded.
@inline(never)
func stopForStaleEncoder() -> Never {
    fatalError(
        "An encoder, or one of its containers, was used after its record had been encoded. Encode what is to be written in encode(to:).")
}
