internal import Foundation
public import Testing

extension Trait where Self == ConditionTrait {
    /// For tests with a large server, or with a browser: `.ci/packages --full` installs them, and `.ci/full servers`
    /// runs their tests. If one is missing then, its tests fail.
    public static var realServers: Self {
        .enabled(
            if: ProcessInfo.processInfo.environment["ISTEP_TEST_SERVERS"] == "1",
            "it needs a large server or a browser: .ci/full servers")
    }
}
