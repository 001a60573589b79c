/// A layer's own entries of ``DatabaseRegistry``, for every program that links the layer, even one that never calls it: a schema may name
/// the layer's functions and collations.
///
/// The driver finds the layer when it opens a connection, by asking whether one of the types below conforms to this protocol. The layer adds
/// that conformance. So no code runs before `main`, and no library refers to a symbol of a library that is built on it, which would not link
/// where each one is a framework.
package protocol LayerRegistration {
    /// Adds the layer's entries to ``DatabaseRegistry``. It is called once, on the thread that opens a connection.
    static func register()
}

/// Conforms to ``LayerRegistration`` in the layer that has functions and collations.
package enum FunctionLayer {}

/// Conforms to ``LayerRegistration`` in the layer that has handlers of changes without triggers.
package enum ChangeHandlerLayer {}
