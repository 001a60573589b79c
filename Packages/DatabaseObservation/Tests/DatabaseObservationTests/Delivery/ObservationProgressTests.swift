import Testing

@testable import DatabaseObservation

@Suite struct ObservationProgressTests {
    @Test
    func `The first fetch begins immediately, and a delivered value is waited for`() {
        let progress = Progress()
        #expect(progress.start())
        #expect(progress.phase == .fetching)
        #expect(!progress.didFetch(at: 0, hasValue: true))
        #expect(progress.phase == .delivering)
        #expect(!progress.didDeliver())
        #expect(progress.phase == .waiting)
    }

    @Test
    func `Changes during a fetch or a delivery lead to one more fetch`() {
        let progress = Progress()
        #expect(progress.start())
        #expect(!progress.change(at: 1))
        #expect(!progress.change(at: 2))
        #expect(!progress.didFetch(at: 0, hasValue: true))
        #expect(!progress.change(at: 3))
        #expect(progress.didDeliver())
        #expect(!progress.didFetch(at: 3, hasValue: true))
        #expect(!progress.didDeliver())
    }

    @Test
    func `A commit that a fetch has seen leads to no other fetch, even if it is reported later`() {
        let progress = Progress()
        #expect(progress.start())
        #expect(!progress.change(at: 1))
        #expect(!progress.didFetch(at: 2, hasValue: true))
        #expect(!progress.didDeliver())
        #expect(!progress.change(at: 2))
        #expect(progress.change(at: 3))
    }

    @Test
    func `A required commit is fetched once, and immediately if the observer is ready`() {
        let progress = Progress()
        #expect(progress.start())
        #expect(!progress.isCurrent(3))
        #expect(!progress.require(2, isReady: false))
        #expect(!progress.didFetch(at: 3, hasValue: true))
        #expect(progress.isCurrent(3))
        #expect(!progress.isCurrent(2))
        #expect(!progress.require(3, isReady: false))
        #expect(!progress.require(4, isReady: false))
        #expect(!progress.isCurrent(3))
        #expect(progress.require(5, isReady: true))
        #expect(progress.phase == .fetching)
        #expect(!progress.didFetch(at: 5, hasValue: true))
        #expect(!progress.didDeliver())
        #expect(progress.isCurrent(5))
        #expect(!progress.require(5, isReady: false))
        #expect(progress.require(6, isReady: false))
        #expect(progress.end())
        #expect(!progress.require(9, isReady: true))
        #expect(!progress.isCurrent(5))
    }

    @Test
    func `A fetch without a value to deliver is followed by the next one, or by none`() {
        let progress = Progress()
        #expect(progress.start())
        #expect(!progress.change(at: 1))
        #expect(progress.didFetch(at: 0, hasValue: false))
        #expect(!progress.didFetch(at: 1, hasValue: false))
        #expect(progress.phase == .waiting)
    }

    @Test
    func `Nothing begins after the end`() {
        for steps in 0..<4 {
            let progress = Progress()
            if steps > 0 { _ = progress.start() }
            if steps > 1 { _ = progress.didFetch(at: 0, hasValue: true) }
            if steps > 2 { _ = progress.didDeliver() }
            #expect(progress.end())
            #expect(!progress.end())
            #expect(!progress.start())
            #expect(!progress.change(at: 9))
            #expect(!progress.didFetch(at: 1, hasValue: true))
            #expect(!progress.didDeliver())
            #expect(progress.phase == .ended)
        }
    }

    @Test
    func `After any sequence of steps, a waiting observation has seen the last change`() {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<1_000 {
            let progress = Progress()
            var commit = 0
            var required = 0
            var fetches = [progress.start() ? commit : nil].compactMap { $0 }
            var contained = -1
            for _ in 0..<40 {
                switch Int.random(in: 0..<4, using: &generator) {
                case 0:
                    commit += 1
                    required = commit
                    if progress.change(at: commit) { fetches.append(commit) }
                case 1:
                    commit += 1
                case 2:
                    guard let snapshot = fetches.popLast() else { break }
                    contained = max(snapshot, contained)
                    if progress.didFetch(at: snapshot, hasValue: Bool.random(using: &generator)) { fetches.append(commit) }
                default:
                    if progress.didDeliver() { fetches.append(commit) }
                }
                #expect(fetches.count == (progress.phase == .fetching ? 1 : 0))
                if progress.phase == .waiting { #expect(contained >= required) }
            }
        }
    }
}

/// A progress whose steps can be expected.
private final class Progress {
    private var progress = ObservationProgress()
    var phase: ObservationProgress.Phase { progress.phase }

    func start() -> Bool { progress.start() }
    func change(at commit: Int) -> Bool { progress.change(at: commit) }
    func didFetch(at commit: Int, hasValue: Bool) -> Bool { progress.didFetch(at: commit, hasValue: hasValue) }
    func didDeliver() -> Bool { progress.didDeliver() }
    func require(_ commit: Int, isReady: Bool) -> Bool { progress.require(commit, isReady: isReady) }
    func isCurrent(_ commit: Int) -> Bool { progress.isCurrent(commit) }
    func end() -> Bool { progress.end() }
}
