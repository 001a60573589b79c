import Foundation
import RowDecoding

/// Waits until no commit is in progress: a snapshot that is taken meanwhile may or may not contain that commit.
///
/// Most commits that don't wait for the disk end within the first turns. For other commits the thread sleeps, but only for some
/// milliseconds in total: it is then better to wait for the writer between two commits.
struct CommitWait {
    let counter: CommitCounter
    /// The number of times that the thread may still sleep.
    var remainingSleeps = 40

    mutating func run() {
        for _ in 0..<64 {
            if !counter.isCommitInProgress { return }
            sched_yield()
        }
        for _ in 0..<min(20, remainingSleeps) {
            if !counter.isCommitInProgress { return }
            usleep(50)
            remainingSleeps -= 1
        }
    }
}
