internal import Foundation
public import Glibc
public import Support

extension Spawn {
    /// Starts a program of a test.
    ///
    /// - Parameters:
    ///   - arguments: the first is the program's path.
    ///   - environment: nil for that of this process. A clock that these tests run with (`.ci/environments`) is the
    ///     child's clock in any case.
    ///   - descriptors: the child's descriptors 0, 1, 2 … in order.
    ///   - leadsGroup: the child leads a process group of its own.
    public static func start(
        _ arguments: [String], environment: [String: String]? = nil, descriptors: [Int32], leadsGroup: Bool = false
    ) throws(Failure) -> pid_t {
        let own = ProcessInfo.processInfo.environment
        let clock = own.filter { ["LD_PRELOAD", "SHIFTED_CLOCK"].contains($0.key) }
        return try start(
            arguments[0], arguments, environment: (environment ?? own).merging(clock) { own, _ in own },
            descriptors: Dictionary(uniqueKeysWithValues: zip(0..., descriptors)), leadsGroup: leadsGroup)
    }
}
