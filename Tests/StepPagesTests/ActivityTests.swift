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

    /// The cancellation of a task holds a lock that `yield` needs, while it ends the stream that the task reads.
    @Test func `browsers leave while progress is shown`() async {
        for _ in 0..<2_000 {
            let activity = Activity()
            let (begun, begin) = AsyncStream.makeStream(of: Void.self)
            let (followed, follow) = AsyncStream.makeStream(of: Void.self)
            #expect(
                activity.start("Sync") { show in
                    for await _ in followed {}
                    for line in 0..<50 { show("\(line)") }
                    return Activity.Result(lines: ["done"])
                })
            let events = activity.events()
            let browser = Task {
                for await _ in events {
                    follow.finish()
                    begin.finish()
                }
            }
            for await _ in begun {}
            browser.cancel()
            await browser.value
            await activity.stop()
            #expect(activity.state == .ended(title: "Sync", lines: ["done"], hasFailed: false))
        }
    }

    @Test func `browsers that have left make room for others`() async {
        let activity = Activity()
        let (end, ends) = AsyncStream.makeStream(of: Void.self)
        #expect(
            activity.start("Sync") { _ in
                for await _ in end {}
                return Activity.Result(lines: ["done"])
            })
        for _ in 0..<40 {
            var events = activity.events().makeAsyncIterator()
            #expect(await events.next() == "data: Starting\n\n")
        }
        ends.finish()
        await activity.stop()
    }
}
