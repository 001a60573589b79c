/// A key of ``Attachments``. It names one object that a layer attaches to a connection, a statement or a row, and its type.
@usableFromInline
package protocol AttachmentKey {
    /// The class of the object. An object may be its own key.
    associatedtype Value: AnyObject = Self
}

/// An object of ``Attachments`` that its layer can make again at any time: a connection that releases memory drops it.
package protocol ReleasableAttachment: AnyObject {}

/// A table of objects, at most one for each ``AttachmentKey``, in which layers keep their state with the object it belongs to.
///
/// Looking up the key that was last used costs one comparison; other keys cost a dictionary lookup.
@usableFromInline
package final class Attachments {
    @usableFromInline let recent = OwnedMemory(Entry())
    private var objects: [ObjectIdentifier: AnyObject] = [:]

    @usableFromInline
    struct Entry {
        /// A number that identifies the key, 0 for none. Comparing optional identifiers compiles to twice as much code.
        @usableFromInline var key = 0
        /// The object; not nil if there is a key.
        @usableFromInline var object: AnyObject?

        init() {}

        init(key: ObjectIdentifier, object: AnyObject?) {
            self.key = object == nil ? 0 : Int(bitPattern: key)
            self.object = object
        }

        @inlinable
        @inline(__always)
        func object(for key: ObjectIdentifier) -> AnyObject? {
            self.key == Int(bitPattern: key) ? object.unsafelyUnwrapped : nil
        }
    }

    /// Creates an empty table.
    package init() {}

    /// Returns the object of a key, which `make` creates if there is none.
    ///
    /// - Complexity: O(1).
    @inlinable
    package func value<Key: AttachmentKey>(for key: Key.Type, orMake make: () throws -> Key.Value) rethrows -> Key.Value {
        if let object = recent.pointee.object(for: ObjectIdentifier(key)) {
            return unsafeDowncast(object, to: Key.Value.self)
        }
        if let object = lookup(ObjectIdentifier(key)) {
            return unsafeDowncast(object, to: Key.Value.self)
        }
        let object = try make()
        set(object, for: ObjectIdentifier(key))
        return object
    }

    /// Returns the object of a key, if that key was used last.
    ///
    /// Very hot code uses this method to avoid retaining the object: with a single way to find it, the compiler sees that a retain
    /// is unnecessary.
    @inlinable
    package func recentValue<Key: AttachmentKey>(for key: Key.Type) -> Key.Value? {
        guard let object = recent.pointee.object(for: ObjectIdentifier(key)) else { return nil }
        return unsafeDowncast(object, to: Key.Value.self)
    }

    /// Returns the object of a key, or nil.
    @inlinable
    package func value<Key: AttachmentKey>(for key: Key.Type) -> Key.Value? {
        if let object = recent.pointee.object(for: ObjectIdentifier(key)) {
            return unsafeDowncast(object, to: Key.Value.self)
        }
        return lookup(ObjectIdentifier(key)).map { unsafeDowncast($0, to: Key.Value.self) }
    }

    /// Sets the object of a key, and replaces the previous one; nil removes it.
    package func setValue<Key: AttachmentKey>(_ value: Key.Value?, for key: Key.Type) {
        set(value, for: ObjectIdentifier(key))
    }

    /// Removes all objects.
    func removeAll() {
        recent.pointee = Entry()
        objects.removeAll()
    }

    /// Removes the objects that can be made again.
    func releaseMemory() {
        recent.pointee = Entry()
        objects = objects.filter { !($0.value is any ReleasableAttachment) }
    }

    @usableFromInline
    func lookup(_ key: ObjectIdentifier) -> AnyObject? {
        guard let object = objects[key] else { return nil }
        recent.pointee = Entry(key: key, object: object)
        return object
    }

    @usableFromInline
    func set(_ object: AnyObject?, for key: ObjectIdentifier) {
        objects[key] = object
        recent.pointee = Entry(key: key, object: object)
    }
}
