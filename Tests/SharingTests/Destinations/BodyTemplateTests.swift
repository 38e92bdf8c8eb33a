import Foundation
import HTTP
import StepDomain
import Support
import Testing

@testable import Sharing

/// Bodies in the user's words.
@Suite(.timeLimit(.minutes(5))) struct BodyTemplateTests {
    private static let table = "[share.garden]\nkind = 'rest'\nurl = 'https://example.org/hook'\n"

    private func body(_ keys: String, _ day: SharedDay = .easter()) throws -> String {
        try body(of: Fixture.destination(Self.table + keys).preview([SharePayload(day)]))
    }

    /// What is after the empty line.
    private func body(of preview: String) throws -> String {
        String(preview[try #require(preview.firstRange(of: "\n\n")).upperBound...])
    }

    /// A day of a user, of which only the steps are known.
    private func barely(_ name: String) -> SharedDay {
        .easter(of: User(id: 1, name: name), metres: nil, kilocalories: nil, goal: nil)
    }

    @Test func `names are replaced by the figures of the day`() throws {
        let template = """
            {"on": "{date}", "of": {"year": "{year}"}, "{user}": "{destination}", "{}": {}, "d": "{weekday} {month}/{day}",
            "a": [{steps}, {distance_m}, {energy_kcal}, {goal}, {percentage}], "b": [{complete}, {corrected}, {in_progress}]}
            """
        #expect(
            try body("body = '''\(template)'''") == """
                {"on": "2014-04-20", "of": {"year": "2014"}, "Anna": "garden", "{}": {}, "d": "Sunday 04/20",
                "a": [8123, 5432, 232, 10000, 81.2], "b": [true, false, false]}
                """)
    }

    @Test func `a text for people is that of a post, or the user's own`() throws {
        #expect(
            try body(#"body = '{"content": "{text}"}'"#)
                == #"{"content": "Sunday 2014-04-20: 8,123 steps\n81% of the goal of 10,000 · 5.4 km · 232 kcal"}"#)
        let own = "body = '{text}'\ncontent_type = 'text/plain'\ntext = '{distance} on {date}'\nunits = 'imperial'"
        #expect(try body(own) == "3.4 mi on 2014-04-20")
    }

    /// No name changes what the receiver understands.
    @Test(arguments: [
        ("application/json", #"{"a": "{user}"}"#, #"{"a": "\"},\n<&+"}"#),
        ("application/vnd.x+json; charset=utf-8", #"["{user}"]"#, #"["\"},\n<&+"]"#),
        ("application/x-www-form-urlencoded", "a={user}&b={goal}", "a=%22%7D%2C%0A%3C%26%2B&b="),
        ("application/xml", "<a>{user}</a>", "<a>&quot;},\n&lt;&amp;+</a>"),
        ("text/html; charset=utf-8", "<b>{user}</b>", "<b>&quot;},\n&lt;&amp;+</b>"),
        ("text/plain", "{user}", "\"},\n<&+"),
    ]) func `values are escaped as the type of the body requires`(
        _ type: String, _ template: String, _ body: String
    ) throws {
        let template = try BodyTemplate(template, contentType: type, post: PostTemplate("{date}"))
        #expect(template.body(barely("\"},\n<&+"), destination: "garden") == body)
    }

    @Test func `a figure that is not known is null, or empty, or leaves out its line`() throws {
        let day = barely("Anna")
        #expect(try body(#"body = '{"g": {goal}, "p": {percentage}}'"#, day) == #"{"g": null, "p": null}"#)
        #expect(
            try body("content_type = 'application/x-www-form-urlencoded'\nbody = 'a={steps}&b={goal}'", day)
                == "a=8123&b=")
        #expect(
            try body("content_type = 'text/plain'\nbody = '''\na {steps}\nb {goal}\nc {steps}\n'''", day)
                == "a 8123\nc 8123")
    }

    @Test(arguments: [
        (#"body = '{"a": {stepz}}'"#, "{stepz} is not one of them"), (#"body = '{"a": {text}}'"#, "JSON once"),
        (#"body = '{"a": "{steps}'"#, "JSON once"), ("body = 'steps={steps}'", "JSON once"),
        (#"body = '{"a": {Steps}}'"#, "{Steps} is not one of them"),
        (#"body = '{"a": { steps }}'"#, "{ steps } is not one"),
        ("text = '{date}'", "left out without `body`"), ("content_type = 'text/plain'", "left out without `body`"),
        ("body = '{steps}'\ntext = '{date}'", "does not contain {text}"),
        ("body = '{steps}'\ncontent_type = 'text/plain; x: y'", "media type"),
        ("body = '{steps}'\ncontent_type = 'text'", "media type"),
        ("body = '{steps}'\nsamples = true", "with `body`"),
        ("method = 'POST'\nfixed = true\ncorrects = true", "where `idempotent` is false"),
    ]) func `what cannot be meant is refused`(_ keys: String, _ words: String) throws {
        let found = Fixture.problems(Self.table + keys)
        #expect(found.contains { $0.contains(words) }, "\(found)")
    }

    @Test func `a message is sent once, to the address as it is`() throws {
        func destination(_ keys: String) throws -> any ShareDestination {
            try Fixture.destination("\(Self.table)body = '{\"a\": {steps}}'\n\(keys)")
        }
        let preview = try destination("").preview([SharePayload(.easter())])
        #expect(preview.hasPrefix("POST /hook HTTP/1.1\n") && preview.contains("\nContent-Type: application/json\n"))
        let once = try destination("").traits
        #expect(once.resending == .repeats && !once.corrects && !once.acceptsUnfinishedDays && !once.isPersonal)
        let kept = try destination("idempotent = true\ncorrects = false").traits
        #expect(kept.resending == .replaces && !kept.corrects && !kept.acceptsUnfinishedDays)
        #expect(try destination("latest = true").traits.showsLatestOnly)
        // Another user's day would replace it.
        #expect(kept.isPersonal)
        let table = Self.table + "body = '{\"{user}\": 1}'\nidempotent = true"
        #expect(try !Fixture.destination(table).traits.isPersonal)
    }

    // MARK: The secret part of an address

    @Test func `the secret part of an address is sent and never shown`() async throws {
        let transport = ScriptedTransport(.reply(400, "no hook 12:a/B%26"))
        let destination = try Fixture.destination(
            """
            [share.garden]
            kind = 'rest'
            url = 'https://example.org/bot{token}/send?x={date}'
            body = '{steps}'
            token_env = 'HOOK'
            """, environment: ["HOOK": "12:a/B&"], transport: { transport })
        let failure = await destination.failure(delivering: SharePayload(.easter()))
        let request = try #require(transport.requests.first)
        #expect("\(request.url)" == "https://example.org/bot12:a/B%26/send?x=2014-04-20")
        #expect(failure?.reason == "example.org answered 400: no hook \(Secret.bullets)")
        #expect(!request.headers.contains { $0.name == "Authorization" })
        let preview = try destination.preview([SharePayload(.easter())])
        #expect(!preview.contains("shown") && preview.contains("/send?x=2014-04-20 HTTP/1.1\n"), "\(preview)")
        #expect(request.preview.hasPrefix("POST /bot\(Secret.bullets)/send?x=2014-04-20 HTTP/1.1\n"))
        #expect(destination.location == "https://example.org")
    }

    @Test func `a secret part needs a token, and no other way to authenticate`() throws {
        let table = "[share.garden]\nkind = 'rest'\nurl = 'https://example.org/{token}'\nbody = '{steps}'\n"
        #expect(Fixture.problems(table).contains { $0.contains("token") })
        let both = Fixture.problems(table + "token_env = 'HOOK'\nauth = 'bearer'")
        #expect(both.contains { $0.contains("left out if `url` contains {token}") }, "\(both)")
        let destination = try Fixture.destination(table + "token_env = 'HOOK'", environment: [:])
        #expect(destination.problems().count == 1)
    }

    @Test func `a whole address in place of its secret part is refused, also by a check`() async throws {
        let destination = try Fixture.destination(
            "[share.garden]\nkind = 'rest'\nurl = 'https://example.org/{token}'\nbody = '{steps}'\ntoken_env = 'HOOK'",
            environment: ["HOOK": "https://example.org/T/B"], transport: { NoTransport() })
        let failure = await destination.failure(delivering: SharePayload(.easter()))
        #expect(failure?.kind == .misconfigured && failure?.reason.contains("whole address") == true)
        let check = await #expect(throws: ShareFailure.self) { _ = try await destination.check() }
        #expect(check?.reason == failure?.reason && destination.problems().count == 1)
    }

    @Test func `a body of which nothing is left is not sent`() async throws {
        let destination = try Fixture.destination(
            Self.table + "body = 'goal {goal}'\ncontent_type = 'text/plain'", transport: { NoTransport() })
        #expect(await destination.failure(delivering: SharePayload(barely("Anna")))?.kind == .rejected)
    }

    @Test func `a rest day has no percentage, which is null or rejects the day, and never 0`() async throws {
        let restDay = SharedDay.easter(goal: nil)
        #expect(try body("body = '{percentage}'", restDay) == "null")
        for type in ["text/plain", "application/x-www-form-urlencoded"] {
            let destination = try Fixture.destination(
                Self.table + "body = '{percentage}'\ncontent_type = '\(type)'", transport: { NoTransport() })
            let failure = await destination.failure(delivering: SharePayload(restDay))
            #expect(failure?.kind == .rejected && failure?.reason.contains("a rest day has no percentage") == true)
            #expect(try self.body(of: destination.preview([SharePayload(.easter())])) == "81.2")
        }
        let withSteps = "content_type = 'text/plain'\nbody = '''\n{steps}\n{percentage} %\n'''"
        #expect(try body(withSteps, restDay) == "8123")
    }

    // MARK: The manual

    @Test func `the tables of the manual are valid, and their bodies are what they say`() throws {
        let tables = try Manual.blocks("toml", on: "services.md")
        #expect(tables.count > 8 && tables.allSatisfy { $0.hasPrefix("[share.") })
        for table in tables {
            let destination = try Fixture.destination(table, environment: [:])
            for day in [SharedDay.easter(), barely("Anna \"x\"")] {
                let preview = try destination.preview([SharePayload(day)])
                let body = try body(of: preview)
                #expect(body.contains("8123") || body.contains("8,123"), "\(preview)")
                if preview.contains("Content-Type: application/json") {
                    #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(body.utf8)) }
                }
            }
        }
    }
}
