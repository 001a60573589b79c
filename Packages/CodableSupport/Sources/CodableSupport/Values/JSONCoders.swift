import Foundation
import Persistence

/// The JSON encoders and decoders of types that are stored as JSON, one for each type: making one for each value took a seventh of
/// the time of coding a small one.
final class JSONCoders: @unchecked Sendable {
    // Sendable because a lock guards the mutable state. The coders themselves may be used by several threads at once.

    static let shared = JSONCoders()

    private let lock = NSLock()
    private var encoders: [ObjectIdentifier: JSONEncoder] = [:]
    private var decoders: [ObjectIdentifier: JSONDecoder] = [:]

    func encoder(for type: (some DatabaseValueConvertible).Type) -> JSONEncoder {
        if let encoder = lock.withLock({ encoders[ObjectIdentifier(type)] }) { return encoder }
        // Made outside the lock, because it runs the user's code.
        let encoder = type.databaseJSONEncoder()
        return lock.withLock {
            if let other = encoders[ObjectIdentifier(type)] { return other }
            encoders[ObjectIdentifier(type)] = encoder
            return encoder
        }
    }

    func decoder(for type: (some DatabaseValueConvertible).Type) -> JSONDecoder {
        if let decoder = lock.withLock({ decoders[ObjectIdentifier(type)] }) { return decoder }
        let decoder = type.databaseJSONDecoder()
        return lock.withLock {
            if let other = decoders[ObjectIdentifier(type)] { return other }
            decoders[ObjectIdentifier(type)] = decoder
            return decoder
        }
    }
}
