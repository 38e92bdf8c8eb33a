import Testing

/// The statuses of the local page are chosen in StepPages and LocalServer, their reason phrases in one table.
@Suite(.timeLimit(.minutes(5))) struct StatusTests {
    @Test func `each status that the local page sends has a reason phrase`() throws {
        let modules = try Source.modules()
        let server = try #require(modules["LocalServer"]), pages = try #require(modules["StepPages"])
        let table = try #require(server.first { $0.name == "ResponseHead.swift" })
        let known = Set(table.code.compactMap { $0.text.firstMatch(of: /^case (\d{3}): "/).map { String($0.1) } })
        var sent: Set<String> = []
        for (_, line) in (server + pages).flatMap(\.code) {
            for match in line.matches(of: /(?:status: |isForPrograms \? |failure\(|plain\(|refused\()(\d{3})\b/) {
                sent.insert(String(match.1))
            }
        }
        #expect(sent.isSuperset(of: ["200", "401", "403", "404", "429"]), "\(sent)")
        #expect(sent.subtracting(known).isEmpty)
    }
}
