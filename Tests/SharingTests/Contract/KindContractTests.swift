import HTTP
import Settings
@testable import Sharing
import StepDomain
import Testing

/// What holds for every kind of destination before anything is sent.
@Suite(.timeLimit(.minutes(5))) struct KindContractTests {
    @Test func `every kind of destination has a fixture for the contract tests`() {
        let missing = Set(DestinationRegistry.kinds.map(\.key)).subtracting(Fixture.all.map(\.kind))
        #expect(missing.isEmpty, "no fixture in Contract/Fixtures")
    }

    @Test func `the place of a secret is known`() throws {
        func place(_ keys: String) throws -> String? {
            try Fixture.destination("[share.garden]\nkind = 'rest'\nurl = 'https://example.org'\n\(keys)").secretPlace
        }
        #expect(try place("ca_file = '/x/ca.pem'\ntoken_file = '~/token'") == "the file \"/home/anna/token\"")
        #expect(try place("token_env = 'TOKEN'") == "the environment variable TOKEN")
        #expect(try place("") == nil)
    }

    @Test func `the keys of kinds are unique and sorted`() {
        let keys = DestinationRegistry.kinds.map(\.key)
        #expect(keys == Set(keys).sorted())
    }

    @Test(arguments: DestinationRegistry.kinds.map(\.key)) func `the example of a kind is valid`(_ key: String) throws {
        let kind = try #require(DestinationRegistry.kind(key))
        let destination = try Fixture.destination(kind.example, environment: [:])
        #expect(destination.kind == key)
        #expect(!destination.name.isEmpty && !destination.location.isEmpty)
        #expect(!kind.title.isEmpty && !kind.title.contains("\n"))
    }

    /// Removing the number sign before a key must not result in the error that there is no such key.
    @Test(arguments: DestinationRegistry.kinds.map(\.key)) func `every commented key in the example exists`(
        _ key: String
    ) throws {
        let kind = try #require(DestinationRegistry.kind(key))
        let lines = kind.example.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        var tried = 0
        for index in lines.indices {
            guard let match = lines[index].firstMatch(of: /^# ?([a-z_]+ = .*)$/) else { continue }
            tried += 1
            var changed = lines
            changed[index] = String(match.1)
            for problem in problems(changed.joined(separator: "\n")) {
                if case .unknownEntry = problem { Issue.record("\(match.1): \(problem)") }
                if case .syntax = problem { Issue.record("\(match.1): \(problem)") }
            }
        }
        // Beside `since`, `unfinished` and `enabled`, which every kind has.
        #expect(tried > 3, "keys that are not set stand in the example as comments")
    }

    @Test(arguments: ["mastodon", "sms"]) func `the example of a post names each figure`(_ key: String) throws {
        let example = try #require(DestinationRegistry.kind(key)).example
        for figure in PostFigure.allCases { #expect(example.contains("{\(figure.rawValue)}"), "\(figure)") }
    }

    @Test func `the example of a body names each value, that of Mastodon has the standard text`() throws {
        let rest = try #require(DestinationRegistry.kind("rest")).example
        for name in BodyTemplate.Name.allCases { #expect(rest.contains("{\(name.rawValue)}"), "\(name)") }
        let mastodon = try #require(DestinationRegistry.kind("mastodon")).example
        let text = PostTemplate.standard.replacing("\n", with: "\\n")
        #expect(mastodon.contains("# text = \"\(text)\"\n"))
    }

    @Test(arguments: DestinationRegistry.kinds.map(\.key)) func `every line of the example has at most 120 characters`(
        _ key: String
    ) throws {
        let kind = try #require(DestinationRegistry.kind(key))
        for line in kind.example.split(separator: "\n") { #expect(line.count <= 120, "\(line)") }
    }

    @Test(arguments: [
        "beeminder", "fhir", "home-assistant", "influx", "intervals-icu", "mastodon", "rest", "soap",
    ]) func `certificates of the user's own verify the server`(_ key: String) async throws {
        let example = try #require(DestinationRegistry.kind(key)).example
        let text = example.replacing(/_file = .*/, with: "_env = 'SECRET'") + "\nca_file = '/etc/ssl/own.pem'"
        // They are no secret, which only its owner may read.
        let table = try #require(try SettingsTable.destinations(in: text, path: "istep.toml").first)
        #expect(!table.secrets(home: "/home/anna").contains { "\($0.secret)".contains("own.pem") })
        let destination = try Fixture.destination(
            text, environment: ["SECRET": "s"], transport: { TrustingTransport() })
        let failure = await #expect(throws: ShareFailure.self) { _ = try await destination.check() }
        #expect(failure?.reason == "trusts /etc/ssl/own.pem")
    }

    @Test(arguments: Fixture.all) func `an unknown key is rejected with the nearest key`(_ fixture: Fixture)
        async throws
    {
        try await fixture.withVenue { venue in
            let text = "[share.garden]\nkind = \"\(fixture.kind)\"\n\(venue.keys)\nusres = \"anna\"\n"
            let found = problems(text)
            #expect(found.count == 1)
            guard case .unknownEntry("usres", _, _, let nearest, _) = found.first else {
                Issue.record("\(found)")
                return
            }
            #expect(nearest == "users")
        }
    }

    @Test(arguments: Fixture.all) func `a table without keys is reported only for missing keys`(_ fixture: Fixture) {
        let found = problems("[share.garden]\nkind = \"\(fixture.kind)\"\n")
        #expect(!found.isEmpty, "every kind needs at least one key of its own")
        for problem in found {
            guard case .missingEntry = problem else {
                Issue.record("\(problem)")
                return
            }
        }
    }

    @Test(arguments: Fixture.all) func `every kind reads the common keys`(_ fixture: Fixture) async throws {
        try await fixture.withVenue { venue in
            let destination = try fixture.destination(
                venue, more: "users = [\"Anna\"]\nsince = 2014-04-01\nunfinished = false\n")
            #expect(destination.name == "garden" && destination.kind == fixture.kind)
            #expect(
                destination.terms == ShareTerms(users: ["Anna"], since: Day("2014-04-01"), acceptsUnfinishedDays: false)
            )
            #expect(destination.traits.batch >= 1)
            #expect(destination.traits.batch == 1 || destination.traits.resending == .replaces)
        }
    }

    private func problems(_ text: String) -> [SettingsError] {
        do throws(SettingsProblems) {
            guard let table = try SettingsTable.destinations(in: text, path: "istep.toml").first else {
                Issue.record("there is no table of a destination in: \(text)")
                return []
            }
            let destinationEnvironment = DestinationEnvironment(
                variables: [:], home: "/home/anna", transport: { NoTransport() })
            _ = try DestinationRegistry.destination(from: table, in: destinationEnvironment)
            return []
        } catch {
            return error.errors
        }
    }
}

/// Says which certificates it would verify a server by, and sends nothing.
private struct TrustingTransport: HTTPTransport {
    var authorities = "the system's"

    func trusting(_ authorities: String) -> TrustingTransport { TrustingTransport(authorities: authorities) }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        throw .notSent(reason: "trusts \(authorities)")
    }
}
