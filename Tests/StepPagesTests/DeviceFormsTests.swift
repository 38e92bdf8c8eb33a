import PageExchange
import StepDomain
import StepServices
import TestSupport
import Testing

@testable import StepPages

/// The forms that add, rename and forget pedometers.
@Suite(.timeLimit(.minutes(5))) struct DeviceFormsTests {
    private static let address = "C0:DE:52:02:A1:B2"
    private static let other = ScannedDevice(
        address: "C0:DE:00:00:00:02", addressType: "random", name: "R02_<b>", rssi: -60, kind: ScriptedCatalog.ring,
        evidence: .name)

    private func fixture(_ devices: [ScannedDevice]) throws -> PagesFixture {
        var fixture = try PagesFixture.ofAnna()
        fixture.scanner = ScriptedPedometerScanner(devices)
        return fixture
    }

    private func finish(_ pages: LocalPages) async -> String {
        for await _ in pages.activity.events() {}
        return await pages.respond(to: PagesFixture.request("GET", "/activity")).text
    }

    private func get(_ target: String, _ pages: LocalPages) async -> String {
        await pages.respond(to: PagesFixture.request("GET", target)).text
    }

    @Test func `sources of imports are listed, and are no pedometers to read`() async throws {
        let fixture = try PagesFixture.ofAnna()
        #expect(await !fixture.get("/devices").text.contains("Sources of imports"))
        _ = fixture.history.addPedometer(
            Pedometer(
                user: 1, model: "import:csv", address: "IMPORT-0000000001", addressType: "public", name: "phone")
        )
        let text = await fixture.get("/devices").text
        #expect(text.contains("Sources of imports") && text.contains("<bdi>phone</bdi>"))
        #expect(!text.contains("IMPORT-0000000001"), "there is nothing to forget or to rename by a form")
    }

    @Test func `a pedometer is searched for, chosen and added`() async throws {
        let fixture = try fixture([
            Self.other, ScannedDevice(address: Self.address, addressType: "random", name: "R02_A1B2"),
            ScannedDevice(address: "C0:DE:00:00:00:09", addressType: "random", name: "lamp"),
        ])
        let pages = fixture.pages
        let before = await get("/devices/add", pages)
        #expect(before.contains("Search for pedometers") && !before.contains("C0:DE:00:00:00:02"))
        #expect(await fixture.post("/devices/scan", "", to: pages).header("Location") == "/activity")
        let searched = await finish(pages)
        #expect(searched.contains("Search for pedometers: done") && searched.contains("href=\"/devices/add\""))
        #expect(searched.contains("1 other device in range is not recognised"))
        let page = await get("/devices/add", pages)
        #expect(page.contains("R02_&lt;b&gt;") && page.contains("by its name: a ring") && page.contains("-60 dBm"))
        #expect(page.contains("registered as &#39;ring&#39;") && !page.contains("lamp"))
        // Only for the one that is not registered.
        #expect(page.matches(of: /name="device" value="C0:DE/).count == 1)
        #expect(await fixture.post("/devices/add", "device=C0:DE:00:00:00:02", to: pages).status == 303)
        let added = await finish(pages)
        #expect(added.contains("Added R02_&lt;b&gt; (model ring) for anna."), "\(added)")
        #expect(fixture.history.pedometers().map(\.address).contains("C0:DE:00:00:00:02"))
        #expect(fixture.scanner.log.last == "check R02_<b>")
    }

    @Test func `a pedometer is added by address or name, for the user who is shown`() async throws {
        let fixture = try fixture([Self.other])
        _ = fixture.history.addUser(named: "bob")
        let pages = fixture.pages
        #expect(await fixture.post("/devices/add", "user=bob&device=r02_&name=bedroom", to: pages).status == 303)
        #expect(await finish(pages).contains("Added bedroom (model ring) for bob."))
        let added = try #require(fixture.history.pedometers().first { $0.name == "bedroom" })
        #expect(fixture.history.users().first { $0.id == added.user }?.name == "bob")
    }

    @Test(arguments: [
        ("", "device", "Enter its address"), ("device=C0:DE", "device", "&#39;C0:DE&#39; is not an address."),
        ("device=x&name=a%07b", "name", "The name is not valid: "),
    ])
    func `a wrong address or name is returned with the reason at its field, before the radio is used`(
        _ form: String, _ field: String, _ words: String
    ) async throws {
        let fixture = try fixture([Self.other])
        let response = await fixture.post("/devices/add", form)
        #expect(response.status == 422 && response.text.contains("id=\"\(field)-error\">\(words)"))
        #expect(fixture.scanner.log.isEmpty && fixture.history.pedometers().count == 1)
    }

    @Test func `a failure to add is shown with what to do`() async throws {
        let fixture = try fixture([])
        let pages = fixture.pages
        _ = await fixture.post("/devices/add", "device=\(Self.address)", to: pages)
        let page = await finish(pages)
        #expect(page.contains("finished with errors") && page.contains("is registered already"), "\(page)")
    }

    @Test func `without a history, a search creates one, and nothing else does`() async throws {
        var fixture = PagesFixture()
        fixture.isEmpty = true
        fixture.scanner = ScriptedPedometerScanner([Self.other])
        let pages = fixture.pages
        #expect(await get("/", pages).contains("action=\"/devices/scan\""))
        #expect(await fixture.post("/sync", "", to: pages).text.contains("First steps"))
        #expect(await get("/devices/add", pages).contains("First steps"))
        #expect(await fixture.post("/devices/scan", "", to: pages).status == 303)
        _ = await finish(pages)
        _ = await fixture.post("/devices/add", "device=C0:DE:00:00:00:02&name=ring", to: pages)
        #expect(await finish(pages).contains("Added ring (model ring) for anna."))
        #expect(fixture.history.users().map(\.name) == ["anna"])
        #expect(await get("/devices", pages).contains("<bdi>ring</bdi>"))
    }

    @Test func `a pedometer is renamed`() async throws {
        let fixture = try fixture([])
        #expect(await fixture.get("/devices").text.contains("id=\"name-1\" name=\"name\" value=\"ring\""))
        let renamed = await fixture.post("/devices/rename", "pedometer=\(Self.address)&name=bedroom")
        #expect(renamed.status == 303 && renamed.header("Location") == "/devices?saved=renamed")
        #expect(fixture.history.pedometers().map(\.name) == ["bedroom"])
        #expect(await fixture.get("/devices?saved=renamed").text.contains("The pedometer has its new name."))
        _ = try fixture.walk(fixture.history.users()[0], steps: [5], named: "band", address: "C0:DE:52:02:A1:B3")
        for (name, words) in [
            ("BAND", "A pedometer named &#39;band&#39; exists already. Choose another name."),
            ("C0:DE:00:00:00:09", "is an address, and not a name. Choose another name."),
            ("a%07b", "The name is not valid: "), ("", "Enter a name."),
        ] {
            let refused = await fixture.post("/devices/rename", "pedometer=\(Self.address)&name=\(name)")
            #expect(refused.status == 422 && refused.text.contains(words), "\(name)")
            // Folded up, it would not be seen.
            #expect(refused.text.matches(of: /<details class="numbers edit" open="open">/).count == 1)
            #expect(refused.text.contains("id=\"name-1-error\"") && !refused.text.contains("id=\"name-2-error\""))
        }
        #expect(fixture.history.pedometers().map(\.name) == ["band", "bedroom"])
    }

    @Test func `a pedometer is forgotten after a question that says what is lost`() async throws {
        let fixture = try fixture([])
        #expect(await fixture.get("/devices").text.contains("href=\"/devices/forget?pedometer=C0%3ADE"))
        let question = await fixture.get("/devices/forget?pedometer=\(Self.address)")
        #expect(question.status == 200 && question.text.contains("Its steps stay in the history."))
        #expect(question.text.contains("are lost when it overwrites them") && question.text.contains("Keep it"))
        #expect(fixture.history.pedometers().count == 1)
        let forgotten = await fixture.post("/devices/forget", "pedometer=\(Self.address)")
        #expect(forgotten.status == 303 && forgotten.header("Location") == "/devices?saved=forgotten")
        #expect(fixture.history.pedometers().isEmpty && fixture.scanner.log.isEmpty)
        #expect(await fixture.get("/day/2026-11-17").text.contains("4,000"))
        for target in ["/devices/forget", "/devices/rename"] {
            let again = await fixture.post(target, "pedometer=\(Self.address)&name=x")
            #expect(again.status == 404 && again.text.contains("There is no pedometer"), "\(target)")
            #expect(await fixture.post(target, "").status == 400)
        }
        #expect(await fixture.get("/devices/forget?pedometer=nobody").status == 404)
    }

    @Test(arguments: ["/devices/scan", "/devices/add", "/devices/rename", "/devices/forget"])
    func `a form of another page changes nothing`(_ target: String) async throws {
        let fixture = try fixture([Self.other])
        let response = await fixture.pages.respond(
            to: PagesFixture.request(
                "POST", target, form: "key=wrong&pedometer=\(Self.address)&device=\(Self.other.address)&name=x"))
        #expect(response.status == 403)
        #expect(fixture.history.pedometers().map(\.name) == ["ring"] && fixture.scanner.log.isEmpty)
    }
}
