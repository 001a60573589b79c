import Foundation
import FuzzTargets

/// The target that the environment names.
private let target: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["STRATA_FUZZ"] ?? ""
    guard let target = FuzzTarget(rawValue: name) else {
        fatalError("STRATA_FUZZ is \"\(name)\", and not one of \(FuzzTarget.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return target
}()

/// Checks one input. The fuzzer's main function calls this.
@_cdecl("LLVMFuzzerTestOneInput")
public func checkInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do {
        try target.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
    } catch {
        fatalError("\(error)")
    }
    return 0
}
