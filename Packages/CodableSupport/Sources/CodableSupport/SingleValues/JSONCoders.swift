import Foundation
import Persistence

/// The JSON encoders and decoders of types that are stored as JSON, one for each type: creating one for each value took a seventh of the
/// time of coding a small value.
enum JSONCoders {
    // Several threads may use a coder at once.
    private static let encoders = Guarded<[ObjectIdentifier: JSONEncoder]>([:])
    private static let decoders = Guarded<[ObjectIdentifier: JSONDecoder]>([:])

    static func encoder(for type: (some DatabaseValueConvertible).Type) -> JSONEncoder {
        coder(of: type, in: encoders) { type.databaseJSONEncoder() }
    }

    static func decoder(for type: (some DatabaseValueConvertible).Type) -> JSONDecoder {
        coder(of: type, in: decoders) { type.databaseJSONDecoder() }
    }

    private static func coder<Coder>(of type: Any.Type, in coders: Guarded<[ObjectIdentifier: Coder]>, orMake make: () -> Coder) -> Coder {
        if let coder = coders.withLock({ $0[ObjectIdentifier(type)] }) { return coder }
        // Created outside the lock, because it runs the user's code.
        let made = make()
        return coders.withLock { coders in
            if let other = coders[ObjectIdentifier(type)] { return other }
            coders[ObjectIdentifier(type)] = made
            return made
        }
    }
}
