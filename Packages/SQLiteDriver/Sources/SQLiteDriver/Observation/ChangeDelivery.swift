extension TransactionObservation {
    final class Observation {
        private weak var weakObserver: (any TransactionObserver)?
        private let strongObserver: (any TransactionObserver)?
        let extent: Database.TransactionObservationExtent
        /// Whether the observation began inside a read-only transaction.
        let isOfReading: Bool
        var isPaused = false
        var isRemoved = false
        /// Whether the observation began in a write that was undone, of a transaction with others that were not.
        var isUndone = false

        init(_ observer: any TransactionObserver, _ extent: Database.TransactionObservationExtent, isOfReading: Bool) {
            self.extent = extent
            self.isOfReading = isOfReading
            weakObserver = observer
            strongObserver = extent == .observerLifetime ? nil : observer
        }

        var observer: (any TransactionObserver)? { weakObserver }

        /// Whether the observer wants events of a kind.
        func observes(_ kind: DatabaseEventKind) -> Bool {
            guard let observer else { return false }
            return !observer.databaseEventObservationStrategy.requiresDatabaseEventKind || observer.observes(eventsOfKind: kind)
        }
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

    func deliver(_ changes: [Change]) {
        if changes.isEmpty { return }
        let outer = notifiedObservation
        defer { notifiedObservation = outer }
        notifying {
            for change in changes {
                for observation in change.observations where !observation.isPaused && !observation.isRemoved {
                    guard let observer = observation.observer else { continue }
                    notifiedObservation = observation
                    switch change.content {
                    case .event(let event): observer.databaseDidChange(with: event)
                    case .region(let region): observer.databaseDidChange(in: region)
                    }
                }
            }
        }
    }

    /// Pauses the observation that this thread is notifying of a change, if it is one of the observer.
    static func pauseDelivery(to observer: any TransactionObserver) {
        let observations = Database.accessedByThread.lazy.compactMap { $0.observation.notifiedObservation }
        observations.first { $0.observer === observer }?.isPaused = true
    }
}
