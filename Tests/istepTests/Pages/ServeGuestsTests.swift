import Foundation
import Support
import TestSupport
import Testing

/// `istep serve --guests`.
@Suite(.timeLimit(.minutes(5))) struct ServeGuestsTests {
    @Test func `guests see days with the password, and no other server is mistaken for theirs`() async throws {
        let folder = try Folder(), file = folder.path + "/guests"
        let istep = Command(folder: folder)
        _ = try await istep("correct", "yesterday", "--steps", "4321")
        let day = try #require(try await istep("show", "yesterday", "--json").json["day"] as? String)
        try Data("correct horse\n".utf8).write(to: URL(fileURLWithPath: file))
        chmod(file, 0o644)
        let words = ["serve", "--port", "0", "--guests", "steps.home.example", "--password-file", file]
        let open = try await istep.run(words)
        #expect(open.status == 78 && open.error.contains(file), "\(open)")
        chmod(file, 0o600)
        let running = try istep.start(words)
        try await running.until { $0.contains("Ctrl-C") }
        let port = try #require(running.outputSoFar.firstMatch(of: /127\.0\.0\.1:([0-9]+)/)?.1)
        func get(_ target: String, _ password: String) async throws -> String {
            let credentials = Data("istep:\(password)".utf8).base64EncodedString()
            return try await blocking {
                let client = try LoopbackClient(port: try #require(UInt16(port)))
                client.send(
                    "GET \(target) HTTP/1.1\r\nHost: steps.home.example\r\nAuthorization: Basic \(credentials)\r\nConnection: close\r\n\r\n"
                )
                return client.receiveAll()
            }
        }
        // As nginx passes a request on that a browser has sent by HTTP/2.
        let proxied = try await blocking {
            let client = try LoopbackClient(port: try #require(UInt16(port)))
            let credentials = Data("istep:correct horse".utf8).base64EncodedString()
            client.send(
                "GET /day HTTP/1.0\r\nHost: steps.home.example\r\nConnection: close\r\nauthorization: Basic \(credentials)\r\n"
                    + "user-agent: x\r\naccept-encoding: gzip, br\r\nX-Forwarded-For: 192.0.2.7\r\nX-Forwarded-Proto: https\r\n\r\n"
            )
            return client.receiveAll()
        }
        #expect(proxied.contains(" 200 ") && proxied.contains("</html>"), "\(proxied.prefix(300))")
        #expect(try await get("/day", "wrong").hasPrefix("HTTP/1.1 401 "))
        let shown = try await get("/day/\(day).csv", "correct horse")
        #expect(shown.hasPrefix("HTTP/1.1 200 ") && shown.contains("4321"), "\(shown)")
        #expect(try await get("/plan", "correct horse").hasPrefix("HTTP/1.1 404 "))
        // An ordinary call does not take it for the user's own pages.
        let own = try await istep("serve", "--port", String(port))
        #expect(own.status == 75 && own.error.contains("is in use"), "\(own)")
        running.send(SIGTERM)
        let result = await running.result
        #expect(result.status == 0 && !result.output.contains("correct horse"), "\(result)")
        let document = try istep.start(words + ["--json"])
        try await document.until { $0.contains("\n}") }
        document.send(SIGTERM)
        let output = await document.result.output
        var check = JSONSchemaCheck(schema: try await istep("json", "--schema", "serve").output)
        check.add(output, as: "guests", "serve --guests")
        #expect(try check.complaints().isEmpty && output.contains("\"host\" : \"steps.home.example\""), "\(output)")
        try Data("short\n".utf8).write(to: URL(fileURLWithPath: file))
        #expect(try await istep.run(words).error.contains("shorter than 12 characters"))
        for wrong in [["--guests", "x y"], ["--guests", "x"], ["--guests", "x", "--password-file", file, "--open"]] {
            #expect(try await istep.run(["serve"] + wrong).status == 64, "\(wrong)")
        }
    }
}
