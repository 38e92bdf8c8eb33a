import PageExchange
import StepDomain
import StepServices
import TestSupport
import Testing

@testable import StepPages

/// What the forms begin: a sync, a share, and their progress and results.
@Suite(.timeLimit(.minutes(5))) struct LocalActivityTests {
    /// Returns once nothing runs any longer.
    private func finish(_ pages: LocalPages) async { for await _ in pages.activity.events() {} }

    @Test func `a sync shows its progress and its result`() async throws {
        let fixture = try PagesFixture.ofAnna()
        let pedometer = try #require(fixture.history.pedometers().first)
        fixture.reader.script(pedometer.id, .progress(.connecting), .finish(ReadReport(battery: 55)))
        let pages = fixture.pages
        let begun = await fixture.post("/sync", "", to: pages)
        #expect(begun.status == 303 && begun.header("Location") == "/activity")
        await finish(pages)
        let page = await pages.respond(to: PagesFixture.request("GET", "/activity")).text
        #expect(page.contains("Sync: done") && page.contains("ring: no steps, battery 55 %"), "\(page)")
    }

    @Test func `a sync waits for a time server if the clock may be wrong, and says so if none answers`() async throws {
        var fixture = try PagesFixture.ofAnna()
        let time = TestTime(PagesFixture.now)
        (fixture.isClockBelieved, fixture.clock) = (false, SkippingClock(time))
        let pedometer = try #require(fixture.history.pedometers().first)
        fixture.reader.script(pedometer.id, .finish(ReadReport(battery: 55)))
        let pages = fixture.pages
        _ = await fixture.post("/sync", "", to: pages)
        await finish(pages)
        let page = await pages.respond(to: PagesFixture.request("GET", "/activity")).text
        #expect(page.contains("ring: no steps, battery 55 %") && page.contains("clock may be wrong"), "\(page)")
    }

    @Test func `while a sync runs, another one is refused, and its page refreshes itself`() async throws {
        let fixture = try PagesFixture.ofAnna()
        let pedometer = try #require(fixture.history.pedometers().first)
        fixture.reader.script(pedometer.id, .progress(.searching), .hang)
        let pages = fixture.pages
        _ = await fixture.post("/sync", "", to: pages)
        for await _ in fixture.reader.hanging { break }
        let page = await pages.respond(to: PagesFixture.request("GET", "/activity")).text
        #expect(
            page.contains("<noscript><meta http-equiv=\"refresh\" content=\"2\"></noscript>")
                && page.contains("/istep.js"))
        #expect(page.contains("id=\"activity-line\"") && page.contains("ring: searching"))
        let again = await fixture.post("/sync", "", to: pages)
        #expect(again.status == 409 && again.text.contains("href=\"/activity\">See its progress</a>"), "\(again.text)")
        var events: [String] = []
        for await event in pages.activity.events() {
            events.append(event)
            break
        }
        #expect(events == ["data: ring: searching\n\n"])
    }

    @Test func `a sync that goes on when the server ends is cancelled and waited for, and none is begun any longer`()
        async throws
    {
        let fixture = try PagesFixture.ofAnna()
        let pedometer = try #require(fixture.history.pedometers().first)
        fixture.reader.script(pedometer.id, .progress(.searching), .hang)
        let pages = fixture.pages
        #expect(!pages.isBusy)
        _ = await fixture.post("/sync", "", to: pages)
        for await _ in fixture.reader.hanging { break }
        #expect(pages.isBusy)
        await pages.end()
        #expect(
            !pages.isBusy && fixture.history.syncs(of: pedometer.id, until: nil, limit: 1).first?.outcome == .failed)
        #expect(await fixture.post("/sync", "", to: pages).status == 409)
    }

    private struct OutOfRange: ReportableError {
        let description = "it is away"
        let category = FailureCategory.temporary
        let advice: String? = "Bring it close: `istep scan`"
    }

    @Test func `the result of a sync that failed says what to do`() async throws {
        let fixture = try PagesFixture.ofAnna()
        let pedometer = try #require(fixture.history.pedometers().first)
        fixture.reader.script(pedometer.id, .fail(OutOfRange()))
        let pages = fixture.pages
        _ = await fixture.post("/sync", "", to: pages)
        await finish(pages)
        let page = await pages.respond(to: PagesFixture.request("GET", "/activity")).text
        #expect(
            page.contains("finished with errors") && page.contains("Bring it close:") && page.contains("istep scan"),
            "\(page)")
    }

    @Test func `a notice about a rejected day ends when the day is dropped`() async throws {
        let garden = ScriptedDestination("garden")
        var fixture = try PagesFixture.ofAnna()
        fixture.destinations = [garden]
        let pages = fixture.pages
        let day = PagesFixture.today.advanced(by: -1)
        garden.script(.fail(ShareFailure(.rejected, "too many steps")))
        _ = await fixture.post("/share", "destination=garden&day=\(day)", to: pages)
        await finish(pages)
        #expect(fixture.history.standingNotices().contains { $0.notice.kind == .shareRejected })
        #expect(await fixture.post("/outbox/drop", "destination=garden&day=\(day)", to: pages).status == 303)
        #expect(!fixture.history.standingNotices().contains { $0.notice.kind == .shareRejected })
    }

    @Test func `a due day of a destination that failed waits for the next attempt`() async throws {
        var fixture = try PagesFixture.ofAnna()
        fixture.destinations = [ScriptedDestination("garden")]
        let day = PagesFixture.today.advanced(by: -1)
        try fixture.history.record([
            ShareEntry(
                user: 1, day: day, destination: "garden", attempts: 1, lastError: "down", changedAt: PagesFixture.now)
        ])
        #expect(await fixture.get("/share").text.contains("to be sent; tried once: down"))
        try fixture.history.record(
            DestinationState(name: "garden", notBefore: PagesFixture.now + 60, failures: 1, lastError: "down"))
        #expect(await fixture.get("/share").text.contains("waits for the next attempt; tried once: down"))
    }

    @Test func `a day is shared, retried and dropped`() async throws {
        let garden = ScriptedDestination("garden")
        var fixture = try PagesFixture.ofAnna()
        fixture.destinations = [garden]
        let pages = fixture.pages
        let day = PagesFixture.today.advanced(by: -1)
        garden.script(.fail(ShareFailure(.rejected, "too many <steps>")))
        #expect(await fixture.post("/share", "destination=garden&day=\(day)", to: pages).status == 303)
        await finish(pages)
        let failed = await pages.respond(to: PagesFixture.request("GET", "/activity")).text
        #expect(failed.contains("finished with errors") && failed.contains("too many &lt;steps&gt;"), "\(failed)")
        #expect(await fixture.get("/share").text.contains("rejected; tried once: too many &lt;steps&gt;"))
        _ = await fixture.post("/outbox/retry", "destination=garden&day=\(day)", to: pages)
        await finish(pages)
        #expect(garden.steps(day) == 4000)
        #expect(await fixture.get("/day/\(day)").text.contains("sent Wed 18 Nov, 12:00"))
        try fixture.history.record([
            ShareEntry(user: 1, day: day.advanced(by: -1), destination: "garden", changedAt: PagesFixture.now)
        ])
        #expect(
            await fixture.post("/outbox/drop", "destination=garden&day=\(day.advanced(by: -1))", to: pages).status
                == 303)
        #expect(fixture.history.entries(for: "garden", in: [.pending]).isEmpty)
        #expect(await fixture.post("/share", "destination=garden&day=2027-01-01", to: pages).status == 400)
    }

    @Test func `commands of a result have the options that they need, and it leads back to Share`() async throws {
        let garden = ScriptedDestination("garden")
        var fixture = try PagesFixture.ofAnna()
        fixture.destinations = [garden]
        fixture.demo = "--demo"
        let pages = fixture.pages, day = PagesFixture.today.advanced(by: -1)
        garden.script(.fail(ShareFailure(.credentials, "401")), .fail(ShareFailure(.credentials, "401")))
        _ = await fixture.post("/share", "destination=garden&day=\(day)", to: pages)
        await finish(pages)
        _ = await fixture.post("/outbox/retry", "destination=garden", to: pages)
        await finish(pages)
        let text = await pages.respond(to: PagesFixture.request("GET", "/activity")).text
        #expect(text.contains("istep --demo outbox retry garden"), "\(text)")
        #expect(text.contains("href=\"/share\""), "\(text)")
    }
}
