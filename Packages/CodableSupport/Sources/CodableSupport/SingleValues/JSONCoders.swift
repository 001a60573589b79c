import Foundation
import Persistence

/// The JSON encoders and decoders of types that are stored as JSON, one for each type: creating one for each value took a seventh of the
/// time of coding a small value.
enum JSONCoders {
    // Several threads may use a coder at the same time.
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

extension JSONEncoder {
    /// Returns the JSON of a value as a string.
    ///
    /// - Throws: the encoder's error; an `EncodingError` without the value, which may be private.
    func text(of value: some Encodable) throws -> String {
        do {
            return String(decoding: try encode(value), as: UTF8.self)
        } catch EncodingError.invalidValue(let value, let context) {
            throw EncodingError.invalid(value, context)
        }
    }
}

extension EncodingError {
    /// Returns the error for a value, with the value's type in its place: Swift prints what the error contains.
    ///
    /// - Parameter showsValues: whether the error may contain the value.
    static func invalid(_ value: Any, _ context: Context, showsValues: Bool = false) -> EncodingError {
        .invalidValue(showsValues ? value : type(of: value), context)
    }
}
