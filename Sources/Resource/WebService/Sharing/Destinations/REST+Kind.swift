internal import HTTP
internal import Settings
internal import StepDomain

extension DestinationKind {
    static let rest = DestinationKind(
        "rest", title: "a web service that takes JSON, such as your own",
        example: """
            [share.my-server]
            kind = "rest"
            # Days go to url/users/{user}/days/{date}, unless it says otherwise itself. It can name {user}, {date}, {year},
            # {month}, {day} and {destination}, as in "https://example.org/steps?of={user}&on={date}".
            url = "https://example.org/api"
            # A file with nothing but the token in it, for you alone: chmod 600.
            token_file = "~/.config/istep/my-server.token"
            # token_env = "MY_SERVER_TOKEN"        # or a variable of the environment,
            # token_credential = "my-server"       # or a credential of systemd

            # auth = "bearer"                      # or "header", or "basic"; as a rule the keys that are there tell
            # header_name = "X-Api-Key"            # the token goes into this header
            # username = "anna"                    # basic authentication, instead of a token,
            # password_file = "~/.config/istep/my-server.password"   # with a password_file, _env or _credential
            # method = "PUT"                       # or "POST", or "PATCH"
            # idempotent = true                    # whether a day that is sent again replaces what was there. By itself with
            #                                      # PUT only; where it is not, a day is sent once, at its end, and never corrected.
            # samples = false                      # true: with every sample of the day
            # headers = { X-Tenant = "home" }      # more headers; nothing secret
            # insecure = false                     # true: plain http, also to other machines
            """
    ) { reader, context in
        let given = reader.addressTemplate("the address of the service, such as https://example.org/api")
        let method = reader.choice("method", among: ["PUT", "POST", "PATCH"]) ?? "PUT"
        let isIdempotent = reader.flag("idempotent") ?? (method == "PUT")
        let hasSamples = reader.flag("samples") ?? false
        let headers = reader.headers("headers")
        let authentication = reader.authentication()
        guard let given, let headers else { return nil }
        let template = given.hasDate ? given : given.appending("/users/{user}/days/{date}")
        return RESTDestination(
            context: context, exchange: Exchange(transport: context.surroundings.transport()), template: template, method: method,
            headers: headers, authentication: authentication,
            traits: ShareTraits(
                resending: isIdempotent ? .replaces : .repeats, corrects: isIdempotent,
                takesUnfinishedDays: isIdempotent, wantsSamples: hasSamples,
                // By PUT at one address for all, one person's day would take the place of another's.
                isPersonal: method == "PUT" && !template.text.contains("{user}")))
    }
}

extension TableReader {
    /// More headers, by name; in order of their names, so that equal days make equal requests. Nil where one cannot be.
    fileprivate mutating func headers(_ key: String) -> [HTTPRequest.Header]? {
        let expected = "a table of headers, such as { X-Tenant = \"home\" }"
        guard let texts = textTable(key, expected) else { return table.keys.contains(key) ? nil : [] }
        for name in texts.keys where !HTTPRequest.Header.isName(name) || HTTPRequest.Header.isTaken(name) {
            refuse(key, entry: name, expected: "a header of your own; istep itself sets those of authentication, content and framing")
            return nil
        }
        return texts.sorted { $0.key < $1.key }.map { HTTPRequest.Header($0.key, $0.value) }
    }
}
