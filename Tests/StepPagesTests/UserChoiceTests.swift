import PageExchange
import StepDomain
import TestSupport
import Testing

@testable import StepPages

/// The pages where the configuration names a user whom the history does not have.
@Suite(.timeLimit(.minutes(5))) struct UserChoiceTests {
    private static let paths = [
        "/", "/day", "/day/2026-11-17", "/week", "/month", "/year", "/share", "/devices", "/devices/add", "/plan",
        "/activity",
    ]

    private func fixture(others: [String] = []) throws -> PagesFixture {
        var fixture = try PagesFixture.ofAnna()
        for name in others { _ = fixture.history.addUser(named: name) }
        fixture.wanted = "zoe"
        return fixture
    }

    @Test(arguments: paths) func `every page says what is wrong, and leads to its own for each user`(_ path: String)
        async throws
    {
        for others in [[], ["bob"]] {
            let fixture = try fixture(others: others)
            let (status, text) = await fixture.get(path)
            #expect(status == 503 && text.contains("There is no user &#39;zoe&#39; in this history"), "\(text)")
            #expect(text.contains("the key <code>user</code> of the configuration"))
            // No form that nobody could be meant by.
            #expect(!text.contains("method=\"post\""))
            for name in ["anna"] + others {
                #expect(text.contains("href=\"\(path)?user=\(name)\""), "\(path) of \(name)")
                #expect(await fixture.get("\(path)?user=\(name)").status == 200, "\(path) of \(name)")
            }
        }
    }

    @Test(arguments: paths) func `a user who was chosen stays chosen in every link and form`(_ path: String)
        async throws
    {
        let text = await (try fixture()).get("\(path)?user=anna").text
        let links = text.matches(of: /href="(\/[^"]*)"/).map { String($0.1) }
            .filter { !$0.hasPrefix("/istep.css") && !$0.hasPrefix("/icon.svg") }
        #expect(!links.isEmpty)
        for link in links { #expect(link.contains("user=anna"), "\(path): \(link)") }
        let forms = text.matches(of: /<form.*?<\/form>/.dotMatchesNewlines()).map { String($0.0) }
        #expect(!forms.isEmpty)
        for form in forms { #expect(form.contains("name=\"user\" value=\"anna\""), "\(path): \(form)") }
    }

    @Test func `the days of a range stay chosen`() async throws {
        let text = await (try fixture()).get("/range?from=2026-11-15&to=2026-11-18").text
        #expect(text.contains("href=\"/range?from=2026-11-15&amp;to=2026-11-18&amp;user=anna\""), "\(text)")
    }

    @Test func `a form without a user changes nothing, and one with a user is carried out`() async throws {
        let fixture = try fixture()
        let refused = await fixture.post("/correction", "day=2026-11-17&steps=5000")
        #expect(refused.status == 503 && refused.text.contains("href=\"/?user=anna\""))
        #expect(fixture.history.users().map(\.name) == ["anna"])
        let saved = await fixture.post("/correction", "user=anna&day=2026-11-17&steps=5000")
        #expect(saved.status == 303 && saved.header("Location")?.contains("user=anna") == true)
        #expect(await fixture.get("/day/2026-11-17?user=anna").text.contains("5,000"))
        #expect(await fixture.get("/day?user=zoe").status == 404)
    }

    /// It was carried out for another user, who was added while the page was open.
    @Test func `a form of the only user stays this user's when another one is added`() async throws {
        let fixture = PagesFixture()
        let ben = try fixture.walk(fixture.history.addUser(named: "ben"), steps: [9000, 100])
        let page = await fixture.get("/day/2026-11-17").text
        let form = try #require(page.firstMatch(of: /<form[^>]*action="\/correction".*?<\/form>/.dotMatchesNewlines()))
            .0
        #expect(form.contains("name=\"user\" value=\"ben\""), "\(form)")
        #expect(!page.contains("user=ben"), "links need no name")
        _ = fixture.history.addUser(named: "anna")
        _ = await fixture.post("/correction", "user=ben&day=2026-11-17&steps=5000")
        let data = try fixture.history.dayData(
            of: #require(fixture.history.users().named("ben")), on: Day("2026-11-17")!)
        #expect(data.correction?.steps == 5000 && data.tracks.map(\.pedometer) == [ben.id])
    }

    @Test func `guests see the days of a user of the history, and not the name that is configured`() async throws {
        var fixture = try fixture(others: ["bob"])
        fixture.guest = GuestAccess(host: "steps.home.example", credentials: "eDp5", user: nil)
        let response = await fixture.pages.respond(
            to: PagesFixture.request(
                "GET", "/day",
                headers: ["host": "steps.home.example", "authorization": "Basic eDp5", "cookie": ""]))
        #expect(response.status == 200 && !response.text.contains("zoe"))
    }
}
