import PageExchange
import StepDomain
import TestSupport
import Testing

@testable import StepPages

/// The form that corrects a day.
@Suite(.timeLimit(.minutes(5))) struct CorrectionFormTests {
    private let day = PagesFixture.today.advanced(by: -1)

    private func correction(_ fixture: PagesFixture) throws -> StepCorrection? {
        try fixture.history.dayData(of: fixture.history.users()[0], on: day).correction
    }

    @Test func `a day is corrected, shown as such, and set back`() async throws {
        let fixture = try PagesFixture.ofAnna()
        let before = await fixture.get("/day/\(day)").text
        #expect(before.contains("action=\"/correction\"") && !before.contains("action=\"/correction/remove\""))
        let saved = await fixture.post("/correction", "day=\(day)&steps=9000&reason=left+it+at+home")
        #expect(saved.status == 303 && saved.header("Location") == "/day/\(day)?saved=correction")
        let stored = try correction(fixture)
        #expect(stored?.steps == 9000 && stored?.reason == "left it at home" && stored?.enteredAt == PagesFixture.now)
        let page = await fixture.get("/day/\(day)?saved=correction").text
        #expect(page.contains("role=\"status\"") && page.contains("The correction is saved."))
        #expect(page.contains("name=\"steps\" value=\"9000\"") && page.contains("value=\"left it at home\""))
        #expect(page.contains("Without the correction, the day has 4,000 counted steps."))
        let removed = await fixture.post("/correction/remove", "day=\(day)")
        #expect(removed.status == 303 && removed.header("Location") == "/day/\(day)?saved=counted")
        #expect(try correction(fixture) == nil)
        // A page that was loaded before.
        let again = await fixture.post("/correction/remove", "day=\(day)")
        #expect(again.status == 409 && again.text.contains("Tue 17 Nov has no correction."))
    }

    @Test func `a day that was shared waits after its correction until it is sent again`() async throws {
        var fixture = try PagesFixture.ofAnna()
        fixture.destinations = [ScriptedDestination("diary", terms: ShareTerms(since: day))]
        let pages = fixture.pages
        func share() async {
            _ = await fixture.post("/share", "day=\(day)&destination=diary", to: pages)
            for await _ in pages.activity.events() {}
        }
        await share()
        #expect(await fixture.get("/share").text.contains("up to date"))
        _ = await fixture.post("/correction", "day=\(day)&steps=9,000")
        #expect(try correction(fixture)?.steps == 9000)
        #expect(await fixture.get("/day/\(day)").text.contains("changed since it was sent"))
        let waiting = await fixture.get("/share").text
        #expect(waiting.contains("1 day waits") && waiting.contains("Send now"), "\(waiting)")
        #expect(!waiting.contains("Drop…") && !waiting.contains("up to date"))
        await share()
        #expect(await fixture.get("/share").text.contains("up to date"))
        #expect(!(await fixture.get("/day/\(day)").text.contains("changed since it was sent")))
    }

    @Test(arguments: [
        ("steps=200001", "steps", "200001 steps are not plausible for a day. A day has 0 to 200,000 steps."),
        ("steps=12k", "steps", "A number of steps is written like 8000."),
        ("steps=-5", "steps", "A number of steps is written like 8000."),
        ("reason=tired", "steps", "Enter the steps of the day."),
        (
            "steps=5&reason=a%07b", "reason",
            "The reason is empty, is too long, or has characters that cannot be shown. Give 1 to 200 characters"
        ),
    ])
    func `a wrong value is returned with the reason at its field, and nothing is stored`(
        _ form: String, _ field: String, _ words: String
    ) async throws {
        let fixture = try PagesFixture.ofAnna()
        let response = await fixture.post("/correction", "day=\(day)&\(form)")
        #expect(response.status == 422, "\(form)")
        #expect(response.text.contains("id=\"\(field)-error\">\(words)"), "\(response.text.suffix(3000))")
        #expect(try correction(fixture) == nil)
    }

    @Test(arguments: ["", "day=x", "day=2027-01-01&steps=5"])
    func `a day that cannot be corrected is refused`(_ form: String) async throws {
        let fixture = try PagesFixture.ofAnna()
        for target in ["/correction", "/correction/remove"] {
            let response = await fixture.post(target, form)
            #expect(response.status == 400 && response.text.contains("<h1>The form is incomplete</h1>"), "\(target)")
        }
    }

    @Test func `a day before 1970 has no form, and a form for it is refused`() async throws {
        let fixture = try PagesFixture.ofAnna()
        #expect(!(await fixture.get("/day/1969-12-31").text.contains("/correction")))
        #expect(await fixture.post("/correction", "day=1969-12-31&steps=5").status == 400)
    }

    @Test func `the form needs the key of the session, and is of the user who is shown`() async throws {
        let fixture = try PagesFixture.ofAnna()
        let bob = fixture.history.addUser(named: "bob")
        let foreign = await fixture.pages.respond(
            to: PagesFixture.request("POST", "/correction", form: "key=wrong&day=\(day)&steps=5"))
        #expect(foreign.status == 403)
        let saved = await fixture.post("/correction", "user=bob&day=\(day)&steps=5")
        #expect(saved.header("Location") == "/day/\(day)?saved=correction&user=bob")
        #expect(try correction(fixture) == nil)
        #expect(try fixture.history.dayData(of: bob, on: day).correction?.steps == 5)
        #expect(!(await fixture.get("/day/\(day)?saved=%3Cb%3E&user=bob").text.contains("<b>")))
    }
}
