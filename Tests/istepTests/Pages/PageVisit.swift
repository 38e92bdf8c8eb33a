import Foundation
import SimulatedBlueZ
import StepDomain
import TestSupport
import Testing

/// A person who opens the pages for the first time, with a ring that was registered and a file to share with.
func visitingPages(
    _ timing: Timing = .immediate, _ body: (Household, Browser, _ base: String) async throws -> Void
) async throws {
    try await Household.live(timing) { home in
        _ = try await home.istep("add", home.ring.address, "--timeout", "120", "--name", "ring")
        _ = try await home.istep("plan", "8000", "--on", "sun=rest")
        try home.folder.configure("[share.diary]\nkind = \"file\"\npath = \"\(home.folder.path)/steps.csv\"\n")
        let server = try home.istep.start(["serve", "--port", "0", "--timeout", "120"])
        let pattern = /(http:\/\/127\.0\.0\.1:[0-9]+)\/open\/[0-9a-f]{64}/
        try await server.until { $0.contains(pattern) }
        let match = try #require(server.outputSoFar.firstMatch(of: pattern))
        let browser = try await Browser.open()
        do {
            try await browser.go(String(match.0))
            try await browser.until { $0 == "Overview – istep" }
            try await body(home, browser, String(match.1))
            // Nothing was loaded from anywhere else, and no script has failed.
            // The third: the page that chromium begins with.
            let own = [String(match.1), "data:", "chrome://", "file:///"]
            let elsewhere = try await browser.requestedAddresses().filter { address in
                !own.contains { address.hasPrefix($0) }
            }
            #expect(elsewhere.isEmpty, "\(elsewhere)")
            let errors = try await browser.consoleErrors().filter { !$0.contains("422") && !$0.contains("404") }
            #expect(errors.isEmpty, "\(errors)")
        } catch {
            Issue.record("\(error): \((try? await browser.source.prefix(3000)) ?? "")")
        }
        await browser.close()
        server.send(SIGTERM)
        let result = await server.result
        #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
    }
}
