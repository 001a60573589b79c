import DatabaseObservation
import Foundation
import Testing

/// The schedulers of observations.
enum Scheduler: CaseIterable {
    case queue, concurrentQueue, task, backgroundTask, mainActor, immediate

    /// Starts an observation. Its error is an issue of the test, unless there is a collector for errors.
    func start<Reducer>(
        _ observation: ValueObservation<Reducer>, in reader: some DatabaseReader, _ values: Collector<Reducer.Value>,
        errors: Collector<String>? = nil
    ) async -> AnyDatabaseCancellable {
        let onError: @Sendable (any Error) -> Void = { error in
            if let errors { errors.append("\(error)") } else { Issue.record(error) }
        }
        let onChange: @Sendable (Reducer.Value) -> Void = { values.append($0) }
        switch self {
        case .queue:
            let queue = DispatchQueue(label: "values")
            return observation.start(in: reader, scheduling: .async(onQueue: queue), onError: onError, onChange: onChange)
        case .concurrentQueue:
            return observation.start(in: reader, scheduling: .async(onQueue: .global()), onError: onError, onChange: onChange)
        case .task:
            return observation.start(in: reader, scheduling: .task, onError: onError, onChange: onChange)
        case .backgroundTask:
            return observation.start(in: reader, scheduling: .task(priority: .background), onError: onError, onChange: onChange)
        case .mainActor:
            return await observation.start(in: reader, scheduling: .mainActor, onError: onError, onChange: onChange)
        case .immediate:
            return await MainActor.run {
                let before = values.all.count + (errors?.all.count ?? 0)
                let cancellable = observation.start(in: reader, scheduling: .immediate, onError: onError, onChange: onChange)
                #expect(values.all.count + (errors?.all.count ?? 0) > before)
                return cancellable
            }
        }
    }
}
