#if canImport(Combine)
    import Combine
    import Dispatch

    extension DatabaseMigrator {
        /// Returns a publisher that runs all migrations that have not run yet, when it is subscribed to.
        ///
        /// ```swift
        /// let cancellable = migrator.migratePublisher(queue).sink { completion in
        ///     // finished, or the error
        /// } receiveValue: { _ in }
        /// ```
        ///
        /// Each subscription migrates. Cancelling a subscription does not interrupt the migrations.
        ///
        /// - Parameters:
        ///   - writer: a queue or a pool.
        ///   - scheduler: where the publisher completes.
        /// - Returns: a publisher of one value, or of a ``MigrationError``.
        public func migratePublisher(
            _ writer: any DatabaseWriter, receiveOn scheduler: some Scheduler = DispatchQueue.main
        ) -> AnyPublisher<Void, any Error> {
            accessPublisher(receiveOn: scheduler) { promise in
                asyncMigrate(writer) { result in promise(result.map { _ in }) }
            }
        }
    }
#endif
