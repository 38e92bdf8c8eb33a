import Foundation
import SimulatedBlueZ
import StepDomain
import Support
import TestSupport
import Testing

/// `istep serve` from outside: who gets in, where it listens, how it begins and ends.
@Suite(.timeLimit(.minutes(5))) struct ServeTests {
    @Test func `the address works once, and only the browser that opened it sees the pages`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        _ = try await istep("plan", "8000")
        try await serving(istep) { address, running in
            let stranger = PageVisitor(port: UInt16(try #require(URL(string: address)?.port)))
            #expect(try await stranger.get("/plan").status == 403)
            let visitor = try await PageVisitor.open(address)
            let page = try await visitor.get("/plan")
            #expect(page.status == 200 && page.text.contains("8000"))
            #expect(
                try await stranger.get(try #require(URL(string: address)).path).status == 403, "the token is used up")
            #expect(try await stranger.get("/plan").status == 403)
            running.send(SIGINT)
            let result = await running.result
            #expect(result.status == 0 && result.error.isEmpty, "\(result)")
            // Neither the cookie nor another token is printed.
            #expect(
                !result.output.contains(visitor.cookie.dropFirst(visitor.cookie.count - 64))
                    && result.output.matches(of: /[0-9a-f]{64}/).count == 1)
        }
    }

    @Test func `a change of the configuration holds at once, and nothing is shared while it has an error`() async throws
    {
        let folder = try Folder()
        let istep = Command(folder: folder)
        let configuration = URL(fileURLWithPath: folder.path + "/config/istep/config.toml")
        try FileManager.default.createDirectory(
            at: configuration.deletingLastPathComponent(), withIntermediateDirectories: true)
        _ = try await istep("correct", "yesterday", "--steps", "4000")
        let day = try #require(try await istep("show", "yesterday", "--json").json["day"] as? String)
        try await serving(istep) { address, _ in
            let visitor = try await PageVisitor.open(address)
            #expect(try await visitor.get("/share").text.contains("No destination is configured"))
            // As when a destination was removed, or is misspelled.
            #expect(try await visitor.post("/share", "destination=server&day=\(day)").status == 303)
            let unknown = try await visitor.activity()
            #expect(unknown.contains("There is no destination &#39;server&#39;. Set one up:"), "\(unknown)")
            let table = "[share.server]\nkind = \"file\"\npath = \"\(folder.path)/days.csv\"\n"
            try Data(table.utf8).write(to: configuration)
            #expect(try await visitor.get("/share").text.contains("<bdi>server</bdi>"))
            #expect(try await visitor.get("/day/\(day)").text.contains("<strong><bdi>server</bdi></strong>"))
            try Data((table + "colour = 1\n[share.other\n").utf8).write(to: configuration)
            let wrong = try await visitor.get("/share").text
            #expect(wrong.contains("The destinations cannot be used") && wrong.contains("config.toml"), "\(wrong)")
            #expect(try await visitor.post("/share", "destination=server&day=\(day)").status == 303)
            #expect(try await visitor.activity().contains("config.toml"))
            #expect(!FileManager.default.fileExists(atPath: folder.path + "/days.csv"))
            try Data(table.utf8).write(to: configuration)
            #expect(try await visitor.post("/share", "destination=server&day=\(day)").status == 303)
            #expect(try await visitor.activity().contains("Share"))
            #expect(try String(contentsOfFile: folder.path + "/days.csv", encoding: .utf8).contains("4000"))
        }
    }

    @Test func `a wrong user in the configuration leaves a choice, and a second call an address`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        _ = try await istep("plan", "8000")
        let configuration = URL(fileURLWithPath: folder.path + "/config/istep/config.toml")
        try FileManager.default.createDirectory(
            at: configuration.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("user = \"zoe\"\n".utf8).write(to: configuration)
        try await serving(istep) { address, _ in
            let visitor = try await PageVisitor.open(address)
            let page = try await visitor.get("/plan")
            #expect(page.status == 503 && page.text.contains("href=\"/plan?user=anna\""), "\(page.text)")
            #expect(try await visitor.get("/plan?user=anna").status == 200)
            let again = try await istep("serve", "--port", "\(visitor.port)")
            #expect(again.status == 0 && ServedAddress.first(in: again.output) != nil, "\(again)")
            let typing = try await istep("serve", "--port", "\(visitor.port)", "--user", "ana")
            #expect(typing.status == 64, "\(typing)")
            // It is read again.
            try Data("user = \"anna\"\n".utf8).write(to: configuration)
            #expect(try await visitor.get("/plan").status == 200)
        }
    }

    @Test func `a second call gives another address to the same pages`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        _ = try await istep("plan", "8000")
        try await serving(istep) { address, _ in
            let port = try #require(URL(string: address)?.port)
            let again = try await istep("serve", "--port", "\(port)", "--json")
            #expect(again.status == 0 && again.json["running"] as? Bool == true, "\(again)")
            let other = try #require(again.json["address"] as? String)
            #expect(other != address)
            let (first, second) = (try await PageVisitor.open(address), try await PageVisitor.open(other))
            #expect(first.cookie != second.cookie)
            #expect(try await first.get("/plan").status == 200)
            #expect(try await second.get("/plan").status == 200)
        }
    }

    @Test func `the browser is led to the pages by a file, and no argument has the token`() async throws {
        let folder = try Folder()
        var istep = Command(folder: folder)
        let bin = folder.path + "/bin"
        try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
        // A browser that writes down what it was called with, and what it was led to.
        try Data("#!/bin/sh\necho \"$@\" >'\(folder.path)/called'; cp \"$1\" '\(folder.path)/opened'\n".utf8).write(
            to: URL(fileURLWithPath: bin + "/xdg-open"))
        chmod(bin + "/xdg-open", 0o700)
        istep.environment["PATH"] = bin + ":" + (istep.environment["PATH"] ?? "")
        _ = try await istep("plan", "8000")
        let running = try istep.start(["serve", "--port", "0", "--open"])
        try await running.until { ServedAddress.first(in: $0) != nil }
        let address = try #require(ServedAddress.first(in: running.outputSoFar))
        try await FileChanges.wait(in: folder.path) {
            (try? String(contentsOfFile: folder.path + "/opened", encoding: .utf8))?.contains("</html>") ?? false
        }
        running.send(SIGTERM)
        #expect(await running.result.error.isEmpty)
        let opened = try String(contentsOfFile: folder.path + "/opened", encoding: .utf8)
        let called = try String(contentsOfFile: folder.path + "/called", encoding: .utf8)
        #expect(
            opened.contains("0; url=\(address)\"") && !called.contains("token") && !called.contains(address.suffix(64)),
            "\(called)")
        let mode =
            try FileManager.default.attributesOfItem(atPath: called.trimmingCharacters(in: .newlines))[
                .posixPermissions] as? Int
        #expect(mode == 0o600)
        // Without a browser, the address is there to be opened by hand.
        istep.environment["PATH"] = "/nonexistent"
        let without = try istep.start(["serve", "--port", "0", "--open"])
        try await without.untilError { $0.contains("No browser could be started") }
        without.send(SIGTERM)
        #expect(ServedAddress.first(in: await without.result.output) != nil)
    }

    /// Some programs in place of xdg-open show the page themselves, and end when it is closed.
    @Test func `the server answers a browser command that does not return at once`() async throws {
        let folder = try Folder()
        var istep = Command(folder: folder)
        let bin = folder.path + "/bin"
        try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
        let browser = """
            #!/usr/bin/python3
            import os, re, sys, urllib.request
            address = re.search('url=([^"]+)"', open(sys.argv[1]).read()).group(1)
            page = urllib.request.build_opener(urllib.request.ProxyHandler({})).open(address, timeout=120).read()
            with open('\(folder.path)/fetched.part', 'wb') as file: file.write(page)
            os.rename('\(folder.path)/fetched.part', '\(folder.path)/fetched')

            """
        try Data(browser.utf8).write(to: URL(fileURLWithPath: bin + "/xdg-open"))
        chmod(bin + "/xdg-open", 0o700)
        istep.environment["PATH"] = bin + ":" + (istep.environment["PATH"] ?? "")
        _ = try await istep("plan", "8000")
        let running = try istep.start(["serve", "--port", "0", "--open"])
        try await FileChanges.wait(in: folder.path) { FileManager.default.fileExists(atPath: folder.path + "/fetched") }
        running.send(SIGTERM)
        #expect(await running.result.error.isEmpty)
        #expect(try String(contentsOfFile: folder.path + "/fetched", encoding: .utf8).contains("Continue to the pages"))
    }

    @Test func `another program of the user on the port is not mistaken for the server`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        _ = try await istep("plan", "8000")
        let script = """
            import http.server
            class Other(http.server.BaseHTTPRequestHandler):
                def do_GET(self):
                    print(self.path, flush=True)
                    self.send_response(200)
                    self.end_headers()
                    self.wfile.write(b"hello")
                def log_message(self, *words): pass
            server = http.server.HTTPServer(("127.0.0.1", 0), Other)
            print("port", server.server_port, flush=True)
            server.serve_forever()
            """
        let process = ChildProcess()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = ["-c", script]
        let other = try Running(process)
        try await other.until { $0.hasSuffix("\n") }
        let port = try #require(other.outputSoFar.firstMatch(of: /port ([0-9]+)/)?.1)
        let result = try await istep("serve", "--port", "\(port)", "--open")
        #expect(
            result.status == 75 && result.error.contains("Port \(port) is in use") && result.output.isEmpty, "\(result)"
        )
        other.send(SIGTERM)
        #expect(!(await other.result.output.contains("/open/")), "it learns no token")
    }

    @Test func `a server of another history is not taken for this one`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        _ = try await istep("plan", "8000")
        let another = folder.path + "/another.sqlite"
        _ = try await istep("plan", "9000", "--db", another)
        try await serving(istep) { address, _ in
            let port = try #require(URL(string: address)?.port)
            let result = try await istep("serve", "--port", "\(port)", "--db", another)
            #expect(result.status == 75 && result.error.contains("is in use") && result.output.isEmpty, "\(result)")
            #expect(try await istep("serve", "--port", "\(port)", "--json").json["running"] as? Bool == true)
        }
    }

    /// A server shows all users of its history: a household needs one.
    @Test func `a second call for another user opens the pages of that user at the same server`() async throws {
        try await Household.live { home in
            try await home.addRing()
            try await home.addWatch("--user", "ben")
            try await serving(home.istep, ["--user", "ben"]) { address, _ in
                let port = String(try #require(URL(string: address)?.port))
                #expect(try await PageVisitor.open(address).first == "/")
                // Without the option, it is the user who is logged in, as in every command.
                let calls: [(words: [String], user: String)] = [
                    (["--user", "ben"], "ben"), (["--user", "anna"], "anna"), ([], "anna"),
                ]
                for (words, user) in calls {
                    let again = try await home.istep.run(["serve", "--port", port, "--json"] + words)
                    #expect(again.status == 0 && again.json["running"] as? Bool == true, "\(again)")
                    let visitor = try await PageVisitor.open(try #require(again.json["address"] as? String))
                    #expect(visitor.first == "/?user=\(user)")
                    let page = try await visitor.get(visitor.first)
                    let choice = "aria-label=\"User: \(user)\""
                    #expect(page.status == 200 && page.text.contains(choice), "\(page.text.prefix(3000))")
                }
                let typing = try await home.istep("serve", "--port", port, "--user", "bne")
                #expect(
                    typing.status == 64 && typing.error.contains("There is no user 'bne'") && typing.output.isEmpty,
                    "\(typing)")
            }
        }
    }

    @Test func `a new user finds, adds and forgets a pedometer in the pages`() async throws {
        try await Household.live { home in
            try await serving(home.istep, ["--timeout", "5"]) { address, _ in
                let visitor = try await PageVisitor.open(address)
                #expect(try await visitor.get("/").text.contains("First steps"))
                #expect(try await visitor.post("/devices/scan").status == 303)
                let searched = try await visitor.activity()
                #expect(searched.contains(home.ring.address), "\(searched.suffix(3000))")
                #expect(try await visitor.get("/devices/add").text.contains("value=\"\(home.ring.address)\""))
                #expect(try await visitor.post("/devices/add", "device=\(home.ring.address)&name=ring").status == 303)
                let added = try await visitor.activity()
                #expect(added.contains("Added ring ("), "\(added.suffix(3000))")
                #expect(try await home.istep("devices").output.contains(home.ring.address))
                #expect(try await visitor.post("/devices/forget", "pedometer=\(home.ring.address)").status == 303)
                #expect(try await !home.istep("devices").output.contains(home.ring.address))
            }
            await home.expectNothingLeftOpen()
        }
    }

    @Test func `a sync that was begun on the page is ended before the server ends`() async throws {
        try await Household.live { home in
            try await home.addRing()
            // The ring never answers the battery request: the link is up when the signal comes.
            home.ring.behaviour.ignored = [0x03]
            try await serving(home.istep, ["--timeout", "120"]) { address, running in
                let visitor = try await PageVisitor.open(address)
                #expect(try await visitor.post("/sync").status == 303)
                for await event in home.stack.events {
                    if case .wrote(_, _, let bytes) = event, bytes.first == 0x03 { break }
                }
                running.send(SIGTERM)
                let result = await running.result
                #expect(result.status == 0 && result.error.isEmpty, "\(result)")
                await home.expectNothingLeftOpen()
            }
        }
    }

    @Test func `wrong options are refused with advice`() async throws {
        let folder = try Folder()
        let istep = Command(folder: folder)
        #expect(try await istep("serve", "--port", "70000").status == 64)
        #expect(try await istep("serve", "--socket", "x", "--open").status == 64)
        #expect(try await istep("serve", "--socket", folder.path).status == 64)
        // Without a runtime directory, a second server cannot be given a token: the port is in use.
        try await serving(istep) { address, _ in
            let temporary = try Folder()
            var other = Command(folder: try Folder())
            other.environment["XDG_RUNTIME_DIR"] = nil
            other.environment["TMPDIR"] = temporary.path
            let result = try await other.run(["serve", "--port", "\(try #require(URL(string: address)?.port))"])
            #expect(
                result.status == 75 && result.error.contains("is in use") && result.error.contains("with --port"),
                "\(result)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path).isEmpty)
        }
    }
}
