import Foundation
import PrivateBus
import SimulatedBlueZ
import SystemdTestSupport
import TestSupport
import Testing

/// With `--json` every command prints one document as `istep json --schema` declares it; a failing command reports the
/// reason the same way.
@Suite(.timeLimit(.minutes(5))) struct JSONOutputTests {
    /// The outputs of command lines, checked together at the end.
    private final class Outputs {
        let istep: Command
        private var check: JSONSchemaCheck

        init(_ istep: Command) async throws {
            self.istep = istep
            let schema = try await istep("json", "--schema")
            #expect(schema.status == 0)
            check = JSONSchemaCheck(schema: schema.output)
        }

        func add(_ text: String, as document: String, _ name: String) { check.add(text, as: document, name) }

        /// - Parameter status: the exit code, if the command fails and still has a document.
        @discardableResult
        func expect(_ document: String, _ words: String..., status: Int32 = 0) async throws -> Command.Result {
            let result = try await istep.run(words + ["--json"])
            #expect(result.status == status, "\(words): \(result.error)")
            check.add(result.output, as: document, words.joined(separator: " "))
            return result
        }

        /// The command fails: the document has the exit code and the words that standard error has.
        func expectFailure(_ category: String, _ status: Int32, _ words: String...) async throws {
            let result = try await expect("error", words, status: status)
            let error = result.json["error"] as? [String: Any]
            #expect(
                error?["category"] as? String == category && error?["exitCode"] as? Int == Int(status),
                "\(words): \(result.output)")
            #expect(!result.error.isEmpty, "\(words)")
        }

        private func expect(_ document: String, _ words: [String], status: Int32) async throws -> Command.Result {
            let result = try await istep.run(words + ["--json"])
            #expect(result.status == status, "\(words): \(result.error)")
            check.add(result.output, as: document, words.joined(separator: " "))
            return result
        }

        func expectNoComplaints() throws {
            let complaints = try check.complaints()
            #expect(complaints.isEmpty, "\(complaints.joined(separator: "\n"))")
        }
    }

    @Test func `every successful command prints a JSON document that matches the schema`() async throws {
        try await Household.live { home in
            let outputs = try await Outputs(home.istep)
            try await outputs.expect("scan", "scan", "--timeout", "4")
            try await outputs.expect("devices", "add", home.ring.address, "--timeout", "120", "--name", "ring")
            // This comes first: a watch reads at once what was not read in the last minutes.
            let watch = try home.istep.start(["watch", "--json"])
            try await watch.until { $0.hasSuffix("}\n") }
            watch.send(SIGTERM)
            outputs.add(await watch.result.output, as: "sync", "watch")
            try await outputs.expect(
                "profile", "profile", "--height", "178", "--weight", "72", "--sex", "male", "--birth", "1980-01-02")
            try await outputs.expect("plan", "plan", "8000", "--on", "sun=rest")
            try await outputs.expect("sync", "sync")
            try await outputs.expect("show", "show")
            try await outputs.expect("show", "show", "yesterday")
            try await outputs.expect("show", "show", "2014-04-20")
            try await outputs.expect("report", "report", "-o", home.folder.path + "/report.html")
            let server = try home.istep.start(["serve", "--port", "0", "--json"])
            try await server.until { $0.hasSuffix("}\n") }
            server.send(SIGTERM)
            outputs.add(await server.result.output, as: "serve", "serve")
            try await outputs.expect("show", "correct", "2014-04-20", "--steps", "5000", "--reason", "no ring")
            try await outputs.expect("show", "correct", "2014-04-20", "--remove")
            try await outputs.expect("history", "history")
            try await outputs.expect("history", "history", "year", "--by", "week")
            try await outputs.expect("status", "status")
            let devices = try await outputs.expect("devices", "devices").json["pedometers"] as? [[String: Any]]
            #expect(devices?.first?["battery"] is Int && devices?.first?["readThrough"] is String)
            try await outputs.expect("profile", "profile")
            try await outputs.expect("plan", "plan")
            try await outputs.expect("destinations", "share", "--list")
            try home.folder.configure("[share.diary]\nkind = \"file\"\npath = \"\(home.folder.path)/steps.csv\"\n")
            try await outputs.expect("destinations", "share", "--list", "--check")
            try await outputs.expect("previews", "share", "yesterday", "--dry-run")
            try await outputs.expect("share", "share", "yesterday")
            let queued =
                try await outputs.expect("outbox", "share", "-3", "--queue").json["entries"] as? [[String: Any]]
            #expect(queued?.map { $0["state"] as? String } == ["pending"])
            try await outputs.expect("outbox", "outbox")
            let dropped =
                try await outputs.expect("outbox", "outbox", "drop", "diary", "-3").json["entries"] as? [[String: Any]]
            #expect(dropped?.count == 1 && dropped?.first?["day"] as? String == queued?.first?["day"] as? String)
            #expect((try await home.istep("outbox", "--json").json["entries"] as? [Any])?.isEmpty == true)
            try await outputs.expect("share", "outbox", "retry", "diary")
            try await outputs.expect("share", "outbox", "send")
            try await outputs.expect("outbox", "outbox", "list", "--all")
            try await outputs.expect("sync", "sync", "--unattended")
            // There is no pedometer that keeps only today's count.
            try await outputs.expect("sync", "sync", "--unattended", "--counters")
            try await outputs.expect("sync", "sync", "--counters")
            try await outputs.expect("config", "config", "check")
            try await outputs.expect("kinds", "config", "kinds")
            try await outputs.expect("example", "config", "example", "rest")
            try await outputs.expect("doctor", "doctor", "--no-radio", "--no-network")
            try await outputs.expect("version", "--version")
            try await outputs.expect("devices", "devices", "ring", "--rename", "band")
            try await outputs.expect("devices", "devices", "band", "--rename", "ring")
            try await outputs.expect("devices", "forget", "ring")
            try outputs.expectNoComplaints()
        }
    }

    @Test func `every command that fails prints the reason in one document`() async throws {
        let folder = try Folder()
        let outputs = try await Outputs(Command(folder: folder))
        for command in ["show", "status", "devices", "profile", "plan", "share", "outbox", "sync", "watch"] {
            try await outputs.expectFailure("unavailable", 69, command)
        }
        try await outputs.expectFailure("unavailable", 69, "forget", "ring")
        try await outputs.expectFailure("unavailable", 69, "scan", "--timeout", "1")
        try await outputs.expectFailure("unavailable", 69, "add", "--timeout", "1")
        try await outputs.expectFailure("unavailable", 69, "auto")
        // Input that the parser does not understand.
        try await outputs.expectFailure("usage", 64, "show", "someday")
        try await outputs.expectFailure("usage", 64, "frobnicate")
        try await outputs.expectFailure("usage", 64, "demo")
        try await outputs.expectFailure("usage", 64, "profile", "--height", "1.78")
        try await outputs.expectFailure("usage", 64, "config", "example", "pigeon")

        try await outputs.expect("plan", "plan", "8000")
        try await outputs.expectFailure("usage", 64, "show", "9999-12-31")
        try await outputs.expectFailure("usage", 64, "sync")
        try await outputs.expectFailure("usage", 64, "forget", "ring")
        try await outputs.expectFailure("usage", 64, "outbox", "drop", "nowhere")
        try await outputs.expectFailure("usage", 64, "outbox", "list", "nowhere")
        try await outputs.expectFailure("usage", 64, "share", "--to", "nowhere")
        try await outputs.expectFailure("configuration", 78, "share")
        let file = folder.path + "/mine.txt"
        try Data("not a database, but precious".utf8).write(to: URL(fileURLWithPath: file))
        try await outputs.expectFailure("data", 65, "show", "--db", file)
        try folder.configure("nonsense = 1\n")
        try await outputs.expectFailure("configuration", 78, "show")
        try await outputs.expect("config", "config", "check", status: 78)
        // Its findings give the reason.
        try await outputs.expect("doctor", "doctor", "--no-radio", status: 78)
        try outputs.expectNoComplaints()
    }

    @Test func `a command that fails in part prints its own document and no error document`() async throws {
        try await Household.live { home in
            let outputs = try await Outputs(home.istep)
            _ = try await home.istep("add", home.ring.address, "--timeout", "120", "--name", "ring")
            try home.folder.configure("[share.diary]\nkind = \"flie\"\n")
            let sync = try await outputs.expect("sync", "sync", status: 78)
            let failures = sync.json["failures"] as? [[String: Any]]
            #expect(failures?.first?["category"] as? String == "configuration", "\(sync.output)")
            #expect(sync.error.contains("did you mean `file`?"))
            try home.folder.configure(
                "[share.mine]\nkind = \"command\"\ncommand = [\"/bin/sh\", \"-c\", \"exit 75\"]\n")
            await home.stack.inject(.outOfRange, for: home.ring.address)
            try await outputs.expect("sync", "sync", "--timeout", "1", status: 75)
            try await outputs.expect("sync", "sync", "--timeout", "1", "--unattended", status: 75)
            try await outputs.expect("share", "share", "yesterday", status: 75)
            try await outputs.expect("status", "status")
            try outputs.expectNoComplaints()
        }
    }

    @Test func `the documents of automatic sync match the schema`() async throws {
        let units = [
            "istep-sync.timer", "istep-sync.service", "istep-midnight.timer", "istep-midnight.service",
            "istep-watch.service",
        ]
        let folder = try Folder()
        let bus = try await PrivateBus.start()
        defer { bus.stop() }
        let fake = try await FakeSystemd.start(bus.address, units: FakeSystemd.installed(units), linger: false)
        var istep = Command(folder: folder, bus: bus.address)
        istep.environment["DBUS_SESSION_BUS_ADDRESS"] = bus.address
        let outputs = try await Outputs(istep)
        for words in ["on", "status", "off"] { try await outputs.expect("auto", "auto", words) }
        await fake.close()
        try outputs.expectNoComplaints()
    }

    @Test func `the reference is printed for people, too`() async throws {
        let istep = Command(folder: try Folder())
        let text = try await istep("json")
        #expect(text.status == 0 && text.output.contains("istep add, istep devices, istep forget\n"))
        #expect(try await istep("json", "--json").output == (try await istep("json", "--schema").output))
        #expect(try await istep("help", "json").output.contains("--schema"))
        let part = try await istep("json", "gatt", "list")
        #expect(
            part.status == 0 && part.output.hasPrefix("istep gatt list\n") && !part.output.contains("istep gatt read"))
        #expect(try await istep("json", "share --dry-run", "--schema").output.contains("#/$defs/previews"))
        for words in [["json", "today"], ["json", "users", "list"], ["help", "today"]] {
            let described = try await istep.run(words)
            #expect(described.status == 0 && !described.output.isEmpty, "\(words): \(described)")
        }
        let unknown = try await istep("json", "shwo")
        #expect(unknown.status == 64 && unknown.output == "")
        #expect(unknown.error.contains("'shwo'") && unknown.error.contains("show, correct, history"))
    }
}
