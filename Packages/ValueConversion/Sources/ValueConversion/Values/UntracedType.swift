/// Returns the type of an object, as an existential, so that its use as a generic argument means the object's own class.
///
/// In optimized builds, Swift 6.3 traces such a type back to `type(of:)`, and takes the declared type of the object in its place.
@inline(never)
@usableFromInline
package func untraced<Existential>(_ type: Existential) -> Existential { type }
