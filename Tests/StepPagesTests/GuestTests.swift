import PageExchange
import StepDomain
import TestSupport
import Testing

@testable import StepPages

/// What others in the house see, and what they do not.
@Suite(.timeLimit(.minutes(5))) struct GuestTests {
    /// Base64 of `istep:correct horse`.
    private static let credentials = "aXN0ZXA6Y29ycmVjdCBob3JzZQ=="
    private static let host = "steps.home.example"

    private func fixture(user: String? = nil) throws -> PagesFixture {
        var fixture = try PagesFixture.ofAnna()
        _ = try fixture.walk(
            fixture.history.addUser(named: "bob"), steps: [333], named: "band", address: "C0:DE:52:02:A1:B3")
        fixture.destinations = [ScriptedDestination("garden")]
        fixture.guest = GuestAccess(host: Self.host, credentials: Self.credentials, user: user)
        return fixture
    }

    private func request(
        _ target: String, _ method: String = "GET", credentials: String? = credentials, host: String = host,
        form: String = ""
    ) -> PageRequest? {
        PagesFixture.request(
            method, target, form: form,
            headers: ["host": host, "authorization": credentials.map { "Basic \($0)" } ?? "", "cookie": ""])
    }

    @Test func `days are shown to those who have the password`() async throws {
        let pages = try fixture().pages
        for path in [
            "/", "/day", "/day/2026-11-17", "/week", "/month", "/year", "/range?from=2026-11-15&to=2026-11-18",
            "/day.json", "/month.csv", "/year.svg", "/istep.css", "/icon.svg",
        ] {
            let response = await pages.respond(to: request(path))
            #expect(response.status == 200, "\(path)")
            #expect(response.header("Content-Security-Policy") != nil && response.header("Set-Cookie") == nil)
        }
        #expect(await pages.respond(to: request("/day?user=bob")).text.contains(">333</text>"))
        #expect(await pages.respond(to: request("/day", "HEAD")).status == 200)
    }

    /// Browsers leave the standard port out.
    @Test func `a host may be named with the port 443`() async throws {
        var fixture = try fixture()
        fixture.guest = GuestAccess(host: Self.host + ":443", credentials: Self.credentials, user: nil)
        #expect(await fixture.pages.respond(to: request("/")).status == 200)
        #expect(await fixture.pages.respond(to: request("/", host: Self.host + ":443")).status == 200)
        fixture.guest = GuestAccess(host: Self.host + ":8443", credentials: Self.credentials, user: nil)
        #expect(await fixture.pages.respond(to: request("/")).status == 421)
    }

    @Test(arguments: [nil, "", "aXN0ZXA6d3Jvbmc=", "aXN0ZXA6Y29ycmVjdCBob3JzZQ", "x y"])
    func `without the password nothing is shown`(_ credentials: String?) async throws {
        let pages = try fixture().pages
        for path in ["/", "/day", "/istep.css", "/day.json", "/nowhere"] {
            let response = await pages.respond(to: request(path, credentials: credentials))
            #expect(response.status == 401, "\(path)")
            #expect(response.header("WWW-Authenticate") == "Basic realm=\"istep\", charset=\"UTF-8\"")
            #expect(!response.text.contains("anna") && !response.text.contains("<style>\n"))
        }
        // The cookie and the token of the user's own pages open nothing.
        let own = await pages.respond(to: PagesFixture.request("GET", "/", headers: ["host": Self.host]))
        #expect(own.status == 401)
    }

    /// The form of a correction says that its reason is not shared.
    @Test func `guests see no reasons, pedometers, syncs and step lengths`() async throws {
        var fixture = try fixture()
        let day = Day("2026-11-17")!
        let anna = try #require(fixture.history.users().first { $0.name == "anna" })
        fixture.history.setCorrection(
            StepCorrection(steps: 4321, reason: "a visit to the clinic"), of: anna.id, on: day, at: PagesFixture.now)
        let pages = fixture.pages
        let paths = [
            "/day/2026-11-17", "/day/2026-11-17.json", "/day", "/day.json", "/", "/month", "/month.json", "/month.csv",
        ]
        let words = ["clinic", "step length", ">Sources<", "in Plan"]
        for path in paths {
            let text = await pages.respond(to: request(path)).text
            for word in words { #expect(!text.contains(word), "\(path): \(word)") }
        }
        #expect(await pages.respond(to: request("/day/2026-11-17")).text.contains("4,321"))
        // The owner sees each of them.
        fixture.guest = nil
        fixture.history.setProfile(Profile(validFrom: day, height: 1.78), of: anna.id)
        let own = await fixture.get("/day/2026-11-17").text + fixture.get("/").text
        for word in words { #expect(own.contains(word), "\(word)") }
    }

    /// RFC 9110, 11.6.2: one or more blanks.
    @Test func `several blanks may stand before the credentials`() async throws {
        let pages = try fixture().pages
        let target = PagesFixture.request(
            "GET", "/day", headers: ["host": Self.host, "authorization": "basic   \(Self.credentials)", "cookie": ""])
        #expect(await pages.respond(to: target).status == 200)
    }

    @Test func `another host is refused, and so is everything that could change something`() async throws {
        let fixture = try fixture(), pages = fixture.pages
        for host in ["127.0.0.1:7839", "evil.example", "steps.home.example:8443", ""] {
            #expect(await pages.respond(to: request("/", host: host)).status == 421, "\(host)")
        }
        let key = "key=\(PagesFixture.formKey)&"
        for (path, form) in [
            ("/correction", "day=2026-11-17&steps=5"), ("/plan", RequestGuardTests.plan), ("/sync", ""),
            ("/devices/forget", "pedometer=C0:DE:52:02:A1:B2"), ("/share", "destination=garden&day=2026-11-17"),
        ] {
            for method in ["POST", "PUT", "DELETE"] {
                #expect(await pages.respond(to: request(path, method, form: key + form)).status == 405, "\(path)")
            }
        }
        #expect(fixture.history.pedometers().count == 2 && !pages.isBusy)
        #expect(try fixture.history.plans(of: 1).isEmpty)
    }

    @Test(arguments: [
        "/share", "/devices", "/devices/add", "/devices/forget?pedometer=C0:DE:52:02:A1:B2", "/plan", "/activity",
        "/events", "/open/\(String(repeating: "a", count: 64))", "/nowhere",
    ])
    func `pages of the machine and its services are not there`(_ path: String) async throws {
        let response = try await fixture().pages.respond(to: request(path))
        #expect(response.status == 404 && !response.text.contains("C0:DE"), "\(path)")
    }

    @Test(arguments: ["/", "/day", "/day/2026-11-17", "/week", "/year", "/nowhere"])
    func `pages have no forms, no notices, and no links to what is not there`(_ path: String) async throws {
        let fixture = try fixture()
        _ = fixture.history.update(
            active: [Notice(.machine, since: PagesFixture.now - 9, .nightsFailed(nights: 2, reason: "no adapter"))],
            withdrawn: [], at: PagesFixture.now)
        let text = await fixture.pages.respond(to: request(path)).text
        for word in [
            "method=\"post\"", PagesFixture.formKey, "no adapter", "garden", "href=\"/share", "href=\"/devices",
            "href=\"/plan", "href=\"/activity", "C0:DE", "action=\"/sync",
        ] {
            #expect(!text.contains(word), "\(path) has \(word)")
        }
    }

    @Test func `only the days of one user are shown where that was asked for`() async throws {
        let pages = try fixture(user: "Bob").pages
        let text = await pages.respond(to: request("/day")).text
        #expect(text.contains(">333</text>") && !text.contains("anna"))
        let other = await pages.respond(to: request("/day?user=anna"))
        #expect(other.status == 404 && !other.text.contains(">100</text>"))
    }

    @Test func `passwords cannot be guessed`() throws {
        let guest = GuestAccess(host: Self.host, credentials: Self.credentials, user: nil)
        let right = try #require(request("/")), wrong = try #require(request("/", credentials: "eDp5"))
        let now = PagesFixture.now
        #expect(guest.refusal(of: right, at: now) == nil)
        for _ in 0..<GuestAccess.maximumWrong { #expect(guest.refusal(of: wrong, at: now)?.status == 401) }
        // Neither answer shows whether it was the right one.
        #expect(guest.refusal(of: wrong, at: now + 59)?.status == 429)
        #expect(guest.refusal(of: right, at: now + 59)?.status == 429)
        #expect(guest.refusal(of: right, at: now + 60) == nil)
        // A clock that was put back does not refuse for longer.
        for _ in 0..<GuestAccess.maximumWrong { _ = guest.refusal(of: wrong, at: now + 100) }
        #expect(guest.refusal(of: right, at: now) == nil)
    }

    @Test func `guests are not told to sync`() async throws {
        var fixture = try PagesFixture.ofAnna([9000, nil])
        fixture.guest = GuestAccess(host: Self.host, credentials: Self.credentials, user: nil)
        let text = await fixture.pages.respond(to: request("/")).text
        #expect(text.contains("Nothing is known of the hours of today.") && !text.contains("Sync to"))
        fixture.guest = nil
        #expect(await fixture.get("/").text.contains("Sync to read your pedometer."))
    }

    @Test func `errors do not name files and commands of the machine`() async throws {
        var fixture = try fixture()
        fixture.isEmpty = true
        let response = await fixture.pages.respond(to: request("/"))
        #expect(response.status == 503 && response.text.contains("cannot be shown now"))
        #expect(!response.text.contains("Missing") && !response.text.contains("<code>"))
        #expect(await fixture.pages.respond(to: nil).status == 400)
    }
}
