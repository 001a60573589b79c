#if canImport(Combine)
    import Combine
    import Dispatch

    extension DatabaseReader {
        /// Returns a publisher that reads from the database when it is subscribed to.
        ///
        /// ```swift
        /// let cancellable = reader.readPublisher { db in
        ///     try Player.fetchAll(db)
        /// }.sink { completion in
        ///     // finished, or the error
        /// } receiveValue: { players in }
        /// ```
        ///
        /// Each subscription reads. Cancelling a subscription does not interrupt a read that has begun.
        ///
        /// - Parameters:
        ///   - scheduler: where the value is published.
        ///   - value: reads from the database, in a read-only transaction.
        /// - Returns: a publisher of one value, or of the error of the closure or of the access.
        public func readPublisher<Output: Sendable>(
            receiveOn scheduler: some Scheduler = DispatchQueue.main, value: @escaping @Sendable (Database) throws -> Output
        ) -> AnyPublisher<Output, any Error> {
            accessPublisher(receiveOn: scheduler) { [self] promise in
                asyncRead { db in promise(Result { try value(db.get()) }) }
            }
        }
    }

    extension DatabaseWriter {
        /// Returns a publisher that writes to the database in a transaction when it is subscribed to.
        ///
        /// ```swift
        /// let cancellable = writer.writePublisher { db in
        ///     try Player(name: "Arthur").insert(db)
        /// }.sink { completion in
        ///     // finished, or the error
        /// } receiveValue: { }
        /// ```
        ///
        /// Each subscription writes. Cancelling a subscription does not interrupt a write that has begun.
        ///
        /// - Parameters:
        ///   - scheduler: where the result is published.
        ///   - updates: writes to the database.
        /// - Returns: a publisher of the closure's result, or of the error after which nothing was written.
        public func writePublisher<Output: Sendable>(
            receiveOn scheduler: some Scheduler = DispatchQueue.main, updates: @escaping @Sendable (Database) throws -> Output
        ) -> AnyPublisher<Output, any Error> {
            accessPublisher(receiveOn: scheduler) { [self] promise in
                asyncWrite(updates) { _, result in promise(result) }
            }
        }

        /// Returns a publisher that writes to the database in a transaction when it is subscribed to, and then reads what it has written,
        /// while other accesses may write again.
        ///
        /// ```swift
        /// let publisher = writer.writePublisher { db in
        ///     try Player(name: "Arthur").insert(db)
        /// } thenRead: { db, _ in
        ///     try Player.fetchCount(db)
        /// }
        /// ```
        ///
        /// - Parameters:
        ///   - scheduler: where the value is published.
        ///   - updates: writes to the database.
        ///   - value: reads from the database as the transaction has left it. It gets the result of `updates`.
        /// - Returns: a publisher of one value, or of the error of a closure or of an access.
        public func writePublisher<UpdatesOutput: Sendable, Output: Sendable>(
            receiveOn scheduler: some Scheduler = DispatchQueue.main, updates: @escaping @Sendable (Database) throws -> UpdatesOutput,
            thenRead value: @escaping @Sendable (Database, UpdatesOutput) throws -> Output
        ) -> AnyPublisher<Output, any Error> {
            accessPublisher(receiveOn: scheduler) { [self] promise in
                asyncWrite(updates) { [self] _, result in
                    switch result {
                    case .failure(let error): promise(.failure(error))
                    case .success(let written): spawnConcurrentRead { db in promise(Result { try value(db.get(), written) }) }
                    }
                }
            }
        }
    }

    /// Returns a publisher that begins an access for each subscription, and publishes its result.
    package func accessPublisher<Output: Sendable>(
        receiveOn scheduler: some Scheduler,
        _ begin: @escaping @Sendable (_ promise: @escaping @Sendable (Result<Output, any Error>) -> Void) -> Void
    ) -> AnyPublisher<Output, any Error> {
        Deferred {
            Future<Output, any Error> { promise in
                nonisolated(unsafe) let promise = promise
                begin { promise($0) }
            }
        }
        .receive(on: scheduler)
        .eraseToAnyPublisher()
    }
#endif
