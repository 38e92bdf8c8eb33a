import HTTP
import StepDomain
import Testing

@Suite(.timeLimit(.minutes(5))) struct RESTTests {
    private func preview(_ keys: String, _ day: SharedDay = .easter()) throws -> String {
        try Fixture.destination(
            "[share.garden]\nkind = 'rest'\n\(keys)", environment: [:], transport: { NoTransport() }
        )
        .preview([SharePayload(day: day, key: "0123456789abcdef0123456789abcdef")])
    }

    private func firstLine(_ keys: String, _ day: SharedDay = .easter()) throws -> Substring {
        try preview(keys, day).prefix { $0 != "\n" }
    }

    @Test func `a request sends the day as JSON with the configured headers`() throws {
        let preview = try preview(
            "url = 'https://example.org/api'\ntoken_file = '/token'\nheaders = { X-B = '2', X-A = '1' }")
        #expect(
            preview == #"""
                PUT /api/users/Anna/days/2014-04-20 HTTP/1.1
                Host: example.org
                Accept: */*
                Accept-Encoding: identity
                Content-Type: application/json
                Authorization: Bearer •••••
                Idempotency-Key: "0123456789abcdef0123456789abcdef"
                X-A: 1
                X-B: 2
                Content-Length: 213

                {"completeness":"complete","corrected":false,"day":"2014-04-20","distanceMetres":5432,"energyKilocalories":232,"goal":10000,"percentage":81.2,"restDay":false,"running":false,"steps":8123,"user":"Anna","version":1}
                """#)
    }

    @Test func `the body contains samples if the table requests them`() throws {
        let day = SharedDay.easter(
            steps: 17, metres: nil, kilocalories: nil, goal: nil, tracks: [.track("ring", steps: 16, 1)])
        let body = try preview("url = 'https://example.org'\nsamples = true", day).split(separator: "\n\n").last
        let samples = [
            #"{"distanceMetres":12,"seconds":900,"start":"2014-04-20T10:00:00+02:00","steps":16}"#,
            #"{"distanceMetres":0.75,"seconds":900,"start":"2014-04-20T10:15:00+02:00","steps":1}"#,
        ].joined(separator: ",")
        let figures =
            #"{"completeness":"complete","corrected":false,"day":"2014-04-20","distanceMetres":null,"energyKilocalories":null,"#
            + #""goal":null,"pedometers":[{"name":"ring","samples":[\#(samples)]}],"percentage":null,"restDay":true,"running":false,"#
        #expect(body.map(String.init) == figures + #""steps":17,"user":"Anna","version":1}"#)
    }

    @Test(arguments: [
        ("https://example.org", "PUT /users/Anna/days/2014-04-20 HTTP/1.1"),
        ("https://example.org/", "PUT /users/Anna/days/2014-04-20 HTTP/1.1"),
        ("https://example.org/api/?unit=1", "PUT /api/users/Anna/days/2014-04-20?unit=1 HTTP/1.1"),
        ("https://example.org/{user}", "PUT /Anna/users/Anna/days/2014-04-20 HTTP/1.1"),
        ("https://example.org/{year}/{month}/{day}/{destination}", "PUT /2014/04/20/garden HTTP/1.1"),
        ("https://example.org/steps?of={user}&on={date}", "PUT /steps?of=Anna&on=2014-04-20 HTTP/1.1"),
    ]) func `each day has its own address`(_ url: String, _ line: String) throws {
        #expect(try firstLine("url = '\(url)'") == line)
    }

    @Test func `a user name cannot change the path of the address`() throws {
        let names = [
            ("../admin", "..%2Fadmin"), ("a?b#c&d=e", "a%3Fb%23c%26d%3De"), ("..", "%2E%2E"), ("Zoë", "Zo%C3%AB"),
            ("{date}", "%7Bdate%7D"),
        ]
        for (name, path) in names {
            let day = SharedDay.easter(of: User(id: 1, name: name))
            #expect(try firstLine("url = 'https://example.org'", day) == "PUT /users/\(path)/days/2014-04-20 HTTP/1.1")
        }
    }

    @Test func `only an idempotent request is sent again and corrected`() throws {
        func traits(_ keys: String) throws -> ShareTraits {
            try Fixture.destination("[share.garden]\nkind = 'rest'\nurl = 'https://example.org'\n\(keys)").traits
        }
        #expect(try traits("") == .replacing)
        #expect(try traits("method = 'POST'\nidempotent = true") == .replacing)
        let once = ShareTraits(resending: .repeats, corrects: false, acceptsUnfinishedDays: false)
        for keys in ["method = 'POST'", "method = 'PATCH'", "idempotent = false"] { #expect(try traits(keys) == once) }
    }

    @Test(arguments: [
        ("", true), ("method = 'POST'\nidempotent = true", false), ("method = 'PATCH'\nidempotent = true", false),
        ("method = 'POST'", false),
    ]) func `files of days have an address for each user, or belong to one`(_ keys: String, _ isPersonal: Bool) throws {
        func traits(_ path: String) throws -> ShareTraits {
            try Fixture.destination("[share.garden]\nkind = 'rest'\nurl = 'https://example.org\(path)'\n\(keys)").traits
        }
        #expect(try traits("/{date}").isPersonal == isPersonal)
        for path in ["", "/{user}/{date}"] { #expect(try !traits(path).isPersonal) }
    }

    @Test(arguments: [("POST", "POST /hook?k=v HTTP/1.1"), ("PATCH", "PATCH /hook?k=v HTTP/1.1")])
    func `an address without a date can be used as it is`(_ method: String, _ line: String) async throws {
        let keys = "url = 'https://example.org/hook?k=v'\nmethod = '\(method)'\nfixed = true"
        #expect(try firstLine(keys) == line)
        // All days have this address, so the address is wrong, not a single day.
        let destination = try Fixture.destination(
            "[share.garden]\nkind = 'rest'\n\(keys)", transport: { ScriptedTransport(.reply(404, "no hook")) })
        let failure = await destination.failure(delivering: SharePayload(.easter()))
        #expect(failure?.kind == .misconfigured && failure?.advice?.contains("`url`") == true)
    }

    /// The service has refused this day: the others are sent.
    @Test(arguments: [
        #"{"error":"no such user"}"#, #"{"ok":false,"error":"no such user"}"#,
        #"{"success":false,"message":"no such user"}"#,
        #"{"errors":[{"message":"no such user"}]}"#, #"{"errors":{"user":"no such user"}}"#,
        #"{"error":true,"message":"no such user"}"#,
        #"{"ok":1,"error":{"code":5,"detail":["no such user"]}}"#, #"{"error":404,"message":"no such user"}"#,
        #"{"status":"error","message":"no such user"}"#, #"{"status":"fail","data":{"user":"no such user"}}"#,
        #"{"success":"false","message":"no such user"}"#, #"{"ok":"No","message":"no such user"}"#,
        #"{"status":404,"message":"no such user"}"#,
        #"{"message":"no such user","errors":"# + String(repeating: "[", count: 480) + "0"
            + String(repeating: "]", count: 480) + "}",
    ]) func `an answer of 200 that reports an error does not confirm a day`(_ body: String) async throws {
        for method in ["PUT", "POST"] {
            let destination = try Fixture.destination(
                "[share.garden]\nkind = 'rest'\nurl = 'https://example.org'\nmethod = '\(method)'",
                transport: { ScriptedTransport(.reply(200, body)) })
            let failure = await destination.failure(delivering: SharePayload(.easter()))
            #expect(failure?.kind == .rejected)
            #expect(failure?.reason.hasPrefix("example.org answered 200 with an error: ") == true)
            #expect(failure?.reason.contains("no such user") == true)
        }
    }

    @Test(arguments: [
        #"{"error":null,"errors":[],"ok":true}"#, #"{"error":"","success":true}"#, #"{"error":false,"errors":{}}"#,
        #"{"steps":8123}"#, "OK",
        #"{"error":{"code":0,"message":""}}"#, #"{"error":"none","errors":{"a":[null]}}"#,
        #"{"success":true,"errors":["old day"]}"#,
        #"{"ok":0}"#, #"{"status":"success","data":{"error":"none"}}"#, #"{"status":"ok"}"#, #"{"status":200}"#,
        #"{"success":"true"}"#,
        #"<?xml version="1.0"?><response><saved/></response>"#, "<OK/>", "",
    ]) func `an answer of 200 without an error confirms a day`(_ body: String) async throws {
        let destination = try Fixture.destination(
            "[share.garden]\nkind = 'rest'\nurl = 'https://example.org'",
            transport: { ScriptedTransport(.reply(200, body)) })
        #expect(await destination.failure(delivering: SharePayload(.easter())) == nil)
    }

    @Test func `only an idempotent request is marked as repeatable`() async throws {
        for (keys, isRepeatable) in [("", true), ("method = 'POST'", false), ("idempotent = false", false)] {
            let transport = ScriptedTransport(.reply(204))
            let destination = try Fixture.destination(
                "[share.garden]\nkind = 'rest'\nurl = 'https://example.org'\n\(keys)", transport: { transport })
            _ = try await destination.deliver([SharePayload(.easter())])
            #expect(transport.requests.map(\.isRepeatable) == [isRepeatable])
        }
    }

    @Test(arguments: [
        ("url = 'https://{user}.example.org'", "cannot contain a placeholder"),
        ("url = '{date}://example.org'", "cannot contain a placeholder"),
        ("url = 'https://example.org/{name}'", "the template names {name}"),
        ("url = 'https://anna:secret@example.org'", "cannot contain a user or password"),
        ("url = 'http://example.org'", "set `insecure` to true"),
        ("url = 'https://example.org'\nheaders = { Authorization = 'x' }", "istep itself sets"),
        ("url = 'https://example.org'\nheaders = { 'X A' = 'x' }", "a header of your own"),
        ("url = 'https://example.org'\nmethod = 'put'", "PUT"),
        ("url = 'https://example.org'\nfixed = true", "a day has its own address"),
        ("url = 'https://example.org'\ntoken = 'x'", "token_file"),
        ("url = 'https://example.org'\nauth = 'basic'\ntoken_file = '/t'\nusername = 'a'", "password_file"),
        (
            "url = 'https://example.org'\nauth = 'bearer'\ntoken_file = '/t'\nusername = 'a'",
            "left out if `auth` is bearer"
        ),
        ("url = 'https://example.org'\nusername = 'a:b'\npassword_file = '/p'", "without a colon"),
        ("url = 'https://example.org'\npassword_file = '/p'", "username"),
        ("url = 'https://example.org'\nheader_name = 'Host'\ntoken_file = '/t'", "X-Api-Key"),
        ("url = 'https://example.org'\nheader_name = 'X-Key'", "token_file"),
    ]) func `an invalid table is rejected with the reason`(_ keys: String, _ words: String) {
        let problems = Fixture.problems("[share.garden]\nkind = 'rest'\n\(keys)")
        #expect(problems.count >= 1)
        #expect(problems.contains { $0.contains(words) }, "\(problems)")
        #expect(!problems.joined().contains("secret@"))
    }

    @Test(arguments: [
        ("token_file = '/t'", "Authorization: Bearer •••••"),
        ("auth = 'bearer'\ntoken_credential = 't'", "Authorization: Bearer •••••"),
        ("header_name = 'X-Api-Key'\ntoken_file = '/t'", "X-Api-Key: •••••"),
        ("username = 'anna'\npassword_file = '/p'", "Authorization: Basic •••••"),
        ("auth = 'basic'\nusername = 'anna'\npassword_env = 'P'", "Authorization: Basic •••••"),
    ]) func `a request contains the configured authentication header`(_ keys: String, _ line: String) throws {
        #expect(try preview("url = 'https://example.org'\n\(keys)").split(separator: "\n").contains { $0 == line })
    }

    @Test(arguments: ["/s3cret/{date}", "/{date}?key=s3cret", "?on={date}&key=s3cret", "/s3cret"])
    func `the displayed address omits path and query, which may be secret`(_ rest: String) throws {
        let destination = try Fixture.destination(
            "[share.garden]\nkind = 'rest'\nurl = 'https://Example.org:8443\(rest)'")
        #expect(destination.location == "https://example.org:8443")
    }

    @Test(arguments: [405, 501])
    func `a check accepts a server that knows neither PROPFIND nor GET`(status: Int) async throws {
        let transport = ScriptedTransport(.reply(status), .reply(status))
        let destination = try Fixture.destination(
            "[share.garden]\nkind = 'rest'\nurl = 'https://example.org/api/{date}'", transport: { transport })
        #expect(try await destination.check().hasPrefix("answers, but not to GET (HTTP \(status))"))
        #expect(transport.requests.map(\.method) == ["PROPFIND", "GET"])
    }
}
