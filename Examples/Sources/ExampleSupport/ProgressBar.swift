import Foundation

/// A line on standard error that shows the progress of a long step, if standard error is a terminal: `Indexing ███████████░░░░░░░░░ 55 %`.
public final class ProgressBar {
    private static let width = 40
    private let title: String
    private let count: Int
    private let isShown = isatty(STDERR_FILENO) != 0
    private var percent = -1

    fileprivate init(_ title: String, count: Int) {
        self.title = title
        self.count = count
    }

    /// Shows how much is done.
    public func show(_ done: Int) {
        let percent = done * 100 / max(count, 1)
        guard isShown, percent != self.percent else { return }
        self.percent = percent
        let filled = percent * Self.width / 100
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: Self.width - filled)
        FileHandle.standardError.write(Data("\r\(title) \(bar) \(percent) %".utf8))
    }

    fileprivate func remove() {
        if isShown { FileHandle.standardError.write(Data("\r\u{1B}[K".utf8)) }
    }
}

/// Performs a long step with a progress bar, which is removed at the end. So the output of a program is the same in a terminal and in a
/// file.
///
/// - Parameters:
///   - title: a name for the step.
///   - count: the number that is passed to `ProgressBar.show(_:)` at the end of the step.
public func showingProgress<Result>(_ title: String, of count: Int, _ work: (ProgressBar) throws -> Result) rethrows -> Result {
    let bar = ProgressBar(title, count: count)
    bar.show(0)
    defer { bar.remove() }
    return try work(bar)
}
