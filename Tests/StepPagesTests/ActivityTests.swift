import Synchronization
import Testing

@testable import StepPages

@Suite(.timeLimit(.minutes(5))) struct ActivityTests {
    /// A server that systemd starts waits for the end of what runs, before it ends itself.
    @Test func `progress that is reported after the end of a sync does not begin it again`() async {
        let activity = Activity()
        let progress = Mutex<(@Sendable (String) -> Void)?>(nil)
        let isStarted = activity.start("Sync") { show in
            progress.withLock { $0 = show }
            show("searching")
            return Activity.Result(lines: ["done"])
        }
        #expect(isStarted)
        await activity.stop()
        progress.withLock { $0 }?("too late")
        #expect(activity.state == .ended(title: "Sync", lines: ["done"], hasFailed: false))
    }
}
