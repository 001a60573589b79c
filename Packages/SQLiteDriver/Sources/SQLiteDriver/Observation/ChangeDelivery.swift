extension TransactionObservation {
    final class Observation {
        private weak var weakObserver: (any TransactionObserver)?
        private let strongObserver: (any TransactionObserver)?
        let extent: Database.TransactionObservationExtent
        /// Whether the observation began inside a read-only transaction.
        let isOfReading: Bool
        var isPaused = false
        var isRemoved = false

        init(_ observer: any TransactionObserver, _ extent: Database.TransactionObservationExtent, isOfReading: Bool) {
            self.extent = extent
            self.isOfReading = isOfReading
            weakObserver = observer
            strongObserver = extent == .observerLifetime ? nil : observer
        }

        var observer: (any TransactionObserver)? { weakObserver }
    }

    /// A change to report: an event, or changes without events.
    struct Change {
        enum Content {
            case event(DatabaseEvent)
            case region(DatabaseRegion)
        }

        let content: Content
        let observations: [Observation]
    }

    /// The delivery that is running on this thread, so that its observer can pause it.
    @TaskLocal private static var delivery: Delivery?

    /// The observation that is being notified.
    ///
    /// `@unchecked Sendable`: the object does not leave the thread.
    private final class Delivery: @unchecked Sendable {
        var observation: Observation?
    }

    func deliver(_ changes: [Change]) {
        if changes.isEmpty { return }
        let delivery = Delivery()
        notifying {
            Self.$delivery.withValue(delivery) {
                for change in changes {
                    for observation in change.observations where !observation.isPaused && !observation.isRemoved {
                        guard let observer = observation.observer else { continue }
                        delivery.observation = observation
                        switch change.content {
                        case .event(let event): observer.databaseDidChange(with: event)
                        case .region(let region): observer.databaseDidChange(in: region)
                        }
                    }
                }
            }
        }
    }

    static func pauseDelivery(to observer: any TransactionObserver) {
        guard let observation = delivery?.observation, observation.observer === observer else { return }
        observation.isPaused = true
    }
}
