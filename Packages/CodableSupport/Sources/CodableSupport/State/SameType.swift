/// Returns a value of a generic type as the type that it has.
///
/// Where the compiler knows the generic type, as in all hot code, it removes the comparison and the cast: `as!` would be a call.
///
/// - Precondition: both types are the same, which the caller has usually just found by comparing them.
@inline(__always)
func sameType<Value, Result>(_ value: Value, as type: Result.Type) -> Result {
    precondition(Value.self == Result.self)
    return unsafeBitCast(value, to: Result.self)
}
