import Dispatch
import Foundation
import SQLiteDriver
import Testing

/// Records the queues that accesses run on.
@Suite struct AccessQueueTests {
    private static let key = DispatchSpecificKey<String>()

    private func makeTarget(_ name: String, _ qos: DispatchQoS = .unspecified) -> DispatchQueue {
        let queue = DispatchQueue(label: name, qos: qos, attributes: .concurrent)
        queue.setSpecific(key: Self.key, value: name)
        return queue
    }

    /// The target queue that accesses of all forms run on.
    private func targets(_ accesses: [(@escaping @Sendable () -> Void) -> Void]) -> [String?] {
        accesses.map { access in
            let done = Semaphore("the access has run")
            let name = Box<String?>(nil)
            access {
                name.value = DispatchQueue.getSpecific(key: Self.key)
                done.signal()
            }
            done.wait()
            return name.value
        }
    }

    @Test
    func `Accesses run on their target`() throws {
        var configuration = Configuration()
        configuration.targetQueue = makeTarget("target")
        let queue = try DatabaseQueue(configuration: configuration)
        #expect(
            targets([
                { body in try? queue.read { _ in body() } },
                { body in try? queue.write { _ in body() } },
                { body in queue.asyncRead { _ in body() } },
                { body in queue.asyncWriteWithoutTransaction { _ in body() } },
            ]) == ["target", "target", "target", "target"])
        let other = try DatabaseQueue()
        #expect(targets([{ body in other.asyncRead { _ in body() } }]) == [nil])
    }

    @Test
    func `Writes can have a target queue of their own`() throws {
        let folder = try TemporaryFolder()
        var configuration = Configuration()
        configuration.targetQueue = makeTarget("target")
        configuration.writeTargetQueue = makeTarget("writes")
        let pool = try DatabasePool(path: folder.path("a.sqlite"), configuration: configuration)
        let snapshot = try pool.makeSnapshot()
        #expect(
            targets([
                { body in try? pool.read { _ in body() } },
                { body in pool.asyncRead { _ in body() } },
                { body in snapshot.asyncRead { _ in body() } },
                { body in try? pool.write { _ in body() } },
                { body in pool.asyncWriteWithoutTransaction { _ in body() } },
                { body in pool.asyncBarrierWriteWithoutTransaction { _ in body() } },
            ]) == ["target", "target", "target", "writes", "writes", "writes"])
        configuration.readonly = true
        let reader = try DatabasePool(path: folder.path("a.sqlite"), configuration: configuration)
        #expect(targets([{ body in reader.asyncWriteWithoutTransaction { _ in body() } }]) == ["target"])
        configuration.readonly = false
        configuration.targetQueue = nil
        let queue = try DatabaseQueue(configuration: configuration)
        #expect(targets([{ body in queue.asyncRead { _ in body() } }]) == ["writes"])
    }

    @Test
    func `The target queue decides the quality of service`() {
        var configuration = Configuration()
        #expect(configuration.readQoS == .default)
        configuration.qos = .utility
        #expect(configuration.readQoS == .utility && configuration.writeQoS == .utility)
        configuration.targetQueue = makeTarget("target", .background)
        #expect(configuration.readQoS == .background && configuration.writeQoS == .background)
        configuration.writeTargetQueue = makeTarget("writes", .userInitiated)
        #expect(configuration.readQoS == .background && configuration.writeQoS == .userInitiated)
        configuration.readonly = true
        #expect(configuration.writeQoS == .background)
    }

    @Test
    func `A serial target makes databases take turns`() throws {
        var configuration = Configuration()
        configuration.targetQueue = DispatchQueue(label: "serial")
        let queues = try (0..<4).map { _ in try DatabaseQueue(configuration: configuration) }
        // Only the target queue prevents concurrent increments.
        let count = Box(0)
        let group = DispatchGroup()
        for _ in 0..<200 {
            for queue in queues {
                group.enter()
                queue.asyncWriteWithoutTransaction { _ in
                    count.value += 1
                    group.leave()
                }
            }
        }
        group.wait(for: "the ends of the writes")
        #expect(count.value == 800)
    }
}
