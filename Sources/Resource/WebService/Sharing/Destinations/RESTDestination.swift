internal import HTTP
internal import Settings
internal import StepDomain

/// A web service that accepts a day as JSON, or in a form that the user describes (`body`): their own, a webhook, a
/// chat.
///
/// Each request has an `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07: a string of structured fields,
/// so in quotes), equal for each attempt to send the same content.
struct RESTDestination: AuthenticatedDestination, SingleDayDestination {
    let context: DestinationContext
    let exchange: Exchange
    let template: AddressTemplate
    let method: String
    let headers: [HTTPRequest.Header]
    let authentication: Authentication
    /// Nil sends `SharedDayDocument`.
    let body: BodyTemplate?
    /// Whether the service is a WebDAV server; nil if the server must be asked.
    let isWebDAV: Bool?
    let traits: ShareTraits

    /// Without path and query, which contain a key for some services, such as webhooks.
    var location: String { template.origin }

    /// PUT replaces what is at the address, whichever user a body names.
    func place(of user: User, slug: String) -> String? {
        let dependsOnName = method == "PUT" ? template.text.contains("{user}") : !traits.isPersonal
        return traits.resending == .replaces && dependsOnName ? user.name : nil
    }

    func preview(_ payloads: [SharePayload]) throws(ShareFailure) -> String {
        try payloads.map { (payload) throws(ShareFailure) in try request(payload, .shown) }.preview
    }

    func deliver(_ payload: SharePayload) async throws(ShareFailure) -> ShareReceipt {
        let request = try request(payload, credentials)
        let response = try await put(request)
        // The answer has nothing that could be checked, but a web page is not an answer of such a service. Only a
        // server that has stored a file says 201 or 204 to PUT (RFC 9110, section 9.3.4); Apache sends a page with it.
        let isStored = method == "PUT" && [201, 204].contains(response.status)
        if !isStored, let doubt = response.doubt { throw .unconfirmed(request, doubt) }
        if !isStored, response.reportsFailure {
            let words = response.words(hiding: request.secrets)
            throw ShareFailure(.rejected, "\(request.url.host) answered \(response.status) with an error: \(words)")
        }
        return ShareReceipt()
    }

    private var address: Addressed {
        template.hasDate
            ? .item
            : .service(
                advice: "Check `url`\(template.hasSecret ? " and the token" : ""): nothing is at this address.")
    }

    /// Sends a day. If a WebDAV server has no collection for it, creates the collection and sends the day again.
    private func put(_ request: HTTPRequest) async throws(ShareFailure) -> HTTPResponse {
        let response = try await exchange.answer(to: request)
        guard var failure = ShareFailure(response, to: request, at: address) else { return response }
        // A missing parent gives 409 (RFC 4918, section 9.7.1); some servers answer 404, and nginx 500.
        // After a 500, a service that would have the day twice may have it: the day is not sent again.
        let isMissing = [404, 409].contains(response.status) || response.status == 500 && traits.resending == .replaces
        guard method == "PUT", isWebDAV != false, isMissing else { throw failure }
        if try await collections.makeParent(of: request.url, isWebDAV: isWebDAV == true) {
            let response = try await exchange.answer(to: request)
            guard let repeated = ShareFailure(response, to: request, at: address) else { return response }
            failure = repeated
        }
        guard isWebDAV == nil, [404, 409].contains(response.status) else { throw failure }
        failure.advice =
            "If folders of `url` are missing, create them. For a WebDAV server, set webdav = true: istep then creates them."
        throw failure
    }

    private var collections: WebDAVCollections {
        get throws(ShareFailure) {
            WebDAVCollections(
                exchange: exchange.limited(), headers: headers + (try authentication.headers(credentials)))
        }
    }

    func check() async throws(ShareFailure) -> String {
        let request = try makeCheckRequest()
        if method == "PUT", isWebDAV != false {
            let folder = request.url.path.hasSuffix("/") ? request.url : request.url.parent
            if let words = try await collections.check(folder, isWebDAV: isWebDAV == true) { return words }
        }
        let response = try await exchange.answer(to: request)
        guard let failure = ShareFailure(response, to: request, at: .item) else {
            return "answers (HTTP \(response.status))"
        }
        // Many services have nothing to show there, or know no GET (501). They have checked the credentials by then, or
        // will check them with a day.
        guard failure.kind == .rejected || response.status == 501 else { throw failure }
        return """
            answers, but not to GET (HTTP \(response.status)), as many services do; only a delivery shows whether it accepts the credentials \
            and a day
            """
    }

    private func makeCheckRequest() throws(ShareFailure) -> HTTPRequest {
        do {
            _ = try authentication.addressSecret(credentials)
            let url = try WebAddress(template.base, insecure: template.isInsecure)
            return HTTPRequest(method: "GET", url: url, headers: headers + (try authentication.headers(credentials)))
        } catch let failure as ShareFailure {
            throw failure
        } catch {
            throw ShareFailure(.misconfigured, "`url` is not an address: \(error)")
        }
    }

    private func request(_ payload: SharePayload, _ credentials: Credentials) throws(ShareFailure) -> HTTPRequest {
        let secret = try authentication.addressSecret(credentials)
        let url = try template.address(payload.day, destination: name, secret: secret)
        let own =
            try authentication.headers(credentials)
            + [HTTPRequest.Header("Idempotency-Key", "\"\(payload.key)\"")] + headers
        let isRepeatable = traits.resending == .replaces
        guard let body else {
            return .json(
                method, url, headers: own,
                SharedDayDocument(day: payload.day, includesSamples: traits.includesSamples), isRepeatable: isRepeatable
            )
        }
        let text = try body.content(payload.day, destination: name)
        return HTTPRequest(
            method: method, url: url, headers: [.init("Content-Type", body.contentType)] + own,
            body: Array(text.utf8), isRepeatable: isRepeatable)
    }
}

extension DestinationKind {
    static let rest = DestinationKind(
        key: "rest", title: "a web service that accepts JSON, such as your own, a webhook or a chat",
        specificExample: """
            [share.my-server]
            kind = "rest"
            # A day is sent to url/users/{user}/days/{date}. A url that contains a date is used as it is: {date}, or all of {year},
            # {month} and {day}, as in "https://example.org/steps?of={user}&on={date}"; {destination} is possible, too.
            # With PUT, a url that contains a date and no {user} is for one user: users = ["Anna"]
            url = "https://example.org/api"
            # A file that contains only the token, readable by you only: chmod 600.
            token_file = "~/.config/istep/my-server.token"
            # token_env = "MY_SERVER_TOKEN"        # or an environment variable,
            # token_credential = "my-server"       # or a systemd credential
            # Where the address itself is secret, as of a webhook, {token} stands for its secret part:
            #   url = "https://hooks.example.org/{token}"

            # auth = "bearer"                      # or "header", "basic", "digest"; default: according to the keys below
            # header_name = "X-Api-Key"            # the header that contains the token
            # username = "anna"                    # basic authentication (or auth = "digest"), instead of a token,
            # password_file = "~/.config/istep/my-server.password"   # with a password_file, _env or _credential
            # In istep's own JSON, "running": true is a day that is not over.
            # body = '{"content": "{text}", "steps": {steps}}'   # what is sent instead of istep's own JSON. The names:
            #       # {text} {user} {destination} {date} {year} {month} {day} {weekday}; {steps} {distance_m} {energy_kcal} {goal}
            #       # {percentage} {complete} {corrected} {in_progress}
            # content_type = "application/json"    # of `body`; values are escaped as it requires
            # text = "{date}: {steps} steps"       # what {text} stands for, as for mastodon
            # units = "metric"                     # or "imperial", in {text}
            # method = "PUT"                       # or "POST" (the default with `body`), or "PATCH"
            # fixed = true                         # with POST, PATCH or `body`: the url is used as it is, even without a date;
            #                                      # the default of POST and PATCH with `body`
            # idempotent = true                    # whether the server replaces a day that is sent again; default: with PUT.
            #                                      # Otherwise a day is sent once, when it is over, and never corrected.
            # corrects = true                      # false: the server keeps what it has, as a chat; default: as `idempotent`
            # latest = false                       # true: it shows one day of a user: no day is sent after a later one
            # webdav = true                        # creates missing folders of a WebDAV server (Nextcloud); false: never.
            #                                      # Default: if the server reports that it is a WebDAV server.
            # samples = false                      # true: also the samples of the day
            # headers = { X-Tenant = "home" }      # more headers; no secrets
            \(webKeys)
            """
    ) { reader, context in
        let given = reader.addressTemplate("the address of the service, such as https://example.org/api")
        let body = reader.bodyTemplate()
        let method = reader.choice("method", among: ["PUT", "POST", "PATCH"]) ?? (body == nil ? "PUT" : "POST")
        let isFixed = reader.flag("fixed") ?? (body != nil && method != "PUT")
        if isFixed, method == "PUT", body == nil {
            reader.refuse("fixed", expected: "left out, or false, where `method` is PUT: a day has its own address")
        }
        let isIdempotent = reader.flag("idempotent") ?? (method == "PUT")
        let corrects = reader.flag("corrects") ?? isIdempotent
        if corrects, !isIdempotent {
            reader.refuse("corrects", expected: "left out, or false, where `idempotent` is false")
        }
        let showsLatestOnly = reader.flag("latest") ?? false
        let includesSamples = reader.flag("samples") ?? false
        if includesSamples, body != nil { reader.refuse("samples", expected: "left out, or false, with `body`") }
        let isWebDAV = reader.flag("webdav")
        if isWebDAV == true, method != "PUT" {
            reader.refuse("webdav", expected: "left out, or false, where `method` is \(method)")
        }
        let headers = reader.headers("headers")
        let authentication = reader.authentication(inAddress: given?.hasSecret == true)
        let exchange = context.exchange(&reader)
        guard let given, let headers else { return nil }
        let template = given.hasDate || isFixed ? given : given.appending("/users/{user}/days/{date}")
        // One person's day would replace another's. istep's own body names the user, which matters unless it is PUT.
        let namesUser = template.text.contains("{user}") || body?.names(.user) == true
        return RESTDestination(
            context: context, exchange: exchange, template: template, method: method,
            headers: headers, authentication: authentication, body: body, isWebDAV: isWebDAV,
            traits: ShareTraits(
                resending: isIdempotent ? .replaces : .repeats, corrects: corrects, acceptsUnfinishedDays: corrects,
                includesSamples: includesSamples,
                showsLatestOnly: showsLatestOnly,
                isPersonal: body == nil ? method == "PUT" && !namesUser : isIdempotent && !namesUser))
    }
}

extension TableReader {
    /// Additional headers, sorted by name, so that equal days make equal requests. Nil if one of them is not allowed.
    fileprivate mutating func headers(_ key: String) -> [HTTPRequest.Header]? {
        let expected = "a table of headers, such as { X-Tenant = \"home\" }"
        guard let texts = textTable(key, expected) else { return table.keys.contains(key) ? nil : [] }
        for name in texts.keys where !HTTPRequest.Header.isName(name) || HTTPRequest.Header.isTaken(name) {
            refuse(
                key, entry: name,
                expected: "a header of your own; istep itself sets those of authentication, content and framing")
            return nil
        }
        return texts.sorted { $0.key < $1.key }.map { HTTPRequest.Header($0.key, $0.value) }
    }
}
