internal import HTTP
internal import Settings
internal import StepDomain

extension DestinationKind {
    static let fhir = DestinationKind(
        key: "fhir", title: "a health record by FHIR R4",
        specificExample: """
            [share.record]
            kind = "fhir"
            # The base address of the server, which must support conditional updates of Observation by identifier.
            url = "https://example.org/fhir"
            # The user whose days are sent: the reference on the server, and the name in istep.
            subject = "Patient/123"
            users = ["Anna"]
            # A file that contains only the token, readable by you only: chmod 600. Or token_env, or token_credential.
            token_file = "~/.config/istep/record.token"

            # username = "anna"                    # basic authentication instead of a token,
            # password_file = "~/.config/istep/record.password"   # with a password_file, _env or _credential
            # auth = "bearer"                      # or "basic", "digest", "header"; default: according to the keys
            # header_name = "X-Api-Key"            # the header that contains the token
            # calories = false                     # true: also an Observation of the calories above rest (LOINC 41979-6)
            # system = "urn:example:steps"         # the namespace of the identifiers; default: one of istep
            \(webKeys)
            """
    ) { reader, context in
        let base = reader.address("url", "the base address of the server, such as https://example.org/fhir")
        let subject = reader.subject()
        let system = reader.system() ?? FHIRDestination.standardSystem
        let hasCalories = reader.flag("calories") ?? false
        let authentication = reader.authentication()
        let exchange = context.exchange(&reader)
        guard let base, let subject else { return nil }
        return FHIRDestination(
            context: context, exchange: exchange, base: base, subject: subject,
            system: system, figures: hasCalories ? [.steps, .calories] : [.steps], authentication: authentication)
    }
}

extension FHIRDestination {
    /// Generated once at random (RFC 9562, section 5.4), so that no other identifiers are in this namespace. Must never
    /// change: servers use it to find the Observations to replace.
    static let standardSystem = "urn:uuid:7c8f9b84-2946-437f-8ddf-d2efbc4ab394"
}

extension TableReader {
    /// A reference to a resource, relative to the base or absolute (hl7.org/fhir/R4/references.html#literal).
    fileprivate mutating func subject() -> String? {
        let expected = "a reference to the person, such as Patient/123"
        require("subject", expected)
        return value("subject", expected) { text in
            let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
            if parts.count == 2, isType(parts[0]), FHIRAnswer.isID(parts[1]) { return text }
            if text.hasPrefix("https://") || text.hasPrefix("http://"), parts.count > 4,
                FHIRAnswer.isID(parts[parts.count - 1]),
                isType(parts[parts.count - 2]), (try? WebAddress(text, insecure: true)) != nil, isPlain(text)
            {
                return text
            }
            return nil
        }
    }

    fileprivate mutating func system() -> String? {
        value("system", "a URI, such as urn:example:steps") { $0.contains(":") && isPlain($0) ? $0 : nil }
    }
}

private func isType(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 }
}

/// ASCII without spaces and without characters that have a meaning in a search (hl7.org/fhir/R4/search.html#escaping).
private func isPlain(_ text: String) -> Bool {
    text.utf8.count <= 200 && text.utf8.allSatisfy { 0x21...0x7E ~= $0 && !"|,$\\\"<>".utf8.contains($0) }
}

/// A server of FHIR R4 that receives Observations by conditional update (hl7.org/fhir/R4/http.html#cond-update): if no
/// Observation has the identifier, one is created (201); if one has it, that one is replaced (200); if several have it,
/// nothing is done (412).
struct FHIRDestination: AuthenticatedDestination, SingleDayDestination {
    let context: DestinationContext
    let exchange: Exchange
    let base: WebAddress
    /// The person whose days are sent, such as `Patient/123`.
    let subject: String
    /// Namespace of the identifiers.
    let system: String
    let figures: [FHIRObservation.Figure]
    let authentication: Authentication

    static let type = "application/fhir+json"

    let traits = ShareTraits(
        resending: .replaces, corrects: true, acceptsUnfinishedDays: true, isPersonal: true)

    /// Identifiers contain the name.
    func place(of user: User, slug: String) -> String? { user.name }

    var location: String { base.origin }

    func preview(_ payloads: [SharePayload]) throws(ShareFailure) -> String {
        let headers = try authentication.headers(.shown)
        return payloads.flatMap { requests($0.day, headers) }.map(\.preview).joined(separator: "\n\n")
    }

    func deliver(_ payload: SharePayload) async throws(ShareFailure) -> ShareReceipt {
        var ids: [String?] = []
        for request in requests(payload.day, try authentication.headers(credentials)) {
            do throws(ShareFailure) {
                ids.append(try await put(request))
            } catch {
                guard !ids.isEmpty else { throw error }
                var failure = error
                failure.reason += " (this is about the calories; the steps arrived)"
                failure.isPartial = true
                throw failure
            }
        }
        return ShareReceipt(remoteID: ids.first ?? nil)
    }

    /// One request for each figure that is known.
    private func requests(_ day: SharedDay, _ headers: [HTTPRequest.Header]) -> [HTTPRequest] {
        figures.compactMap { figure -> HTTPRequest? in
            guard let observation = FHIRObservation(figure, of: day, subject: subject, system: system) else {
                return nil
            }
            let identifiers = observation.identifier.map { ("identifier", "\($0.system)|\($0.value)") }
            return HTTPRequest(
                method: "PUT", url: base.appending(path: ["Observation"]).appending(query: identifiers),
                headers: [
                    .init("Content-Type", Self.type), .init("Accept", Self.type), .init("Prefer", "return=minimal"),
                ] + headers,
                body: Array(json(observation).utf8))
        }
    }

    private static let server = Addressed.service(advice: "Check `url`: it must be the base address of the server.")

    /// - Returns: the Observation's id, if the server reports it.
    private func put(_ request: HTTPRequest) async throws(ShareFailure) -> String? {
        let response = try await exchange.answer(to: request)
        let answer = FHIRAnswer(response)
        if var failure = ShareFailure(response, to: request, at: Self.server, saying: answer.message) {
            switch response.status {
            case 412: failure.advice = "Several Observations there have the identifier of this day: delete all but one."
            case 405: failure.advice = "The server does not seem to support conditional updates, which istep needs."
            default: break
            }
            throw failure
        }
        switch answer.confirmation(response, to: request) {
        case .confirmed(let id): return id
        case .no(let reason): throw .unconfirmed(request, reason)
        }
    }

    // MARK: Checking

    /// A server's description of itself (hl7.org/fhir/R4/capabilitystatement.html).
    private struct Capabilities: Decodable {
        struct Software: Decodable { var name: String? }

        var resourceType: String
        var fhirVersion: String?
        var software: Software?
    }

    /// Reads the server's capabilities, which needs no permission, and then the number of Observations with an
    /// identifier that none has. A user who may send days may read that number, as a conditional update starts with a
    /// search.
    func check() async throws(ShareFailure) -> String {
        let headers = [HTTPRequest.Header("Accept", Self.type)] + (try authentication.headers(credentials))
        // A summary: the full statement has megabytes on some servers.
        let metadata = base.appending(path: ["metadata"]).appending(query: [("_summary", "true")])
        let request = HTTPRequest(method: "GET", url: metadata, headers: headers)
        let response = try await exchange.confirmed(request, at: Self.server)
        guard let capabilities = response.json(Capabilities.self), capabilities.resourceType == "CapabilityStatement"
        else {
            throw .unconfirmed(request, "the answer for /metadata is not a CapabilityStatement")
        }
        let version = capabilities.fhirVersion ?? "an unknown version"
        // R4 is 4.0, R4B is 4.3; in R5 these Observations are the same.
        guard version.hasPrefix("4.") || version.hasPrefix("5.") else {
            throw ShareFailure(
                .misconfigured,
                "\(base.host) uses FHIR \(request.quotation(of: version, limit: 60)); istep needs R4 (4.0)",
                advice: "Set `url` to its base for R4.")
        }
        let search = HTTPRequest(
            method: "GET",
            url: base.appending(path: ["Observation"]).appending(query: [
                ("identifier", "\(system)|none"), ("_summary", "count"),
            ]),
            headers: headers)
        if let failure = ShareFailure(try await exchange.answer(to: search), to: search, at: .item),
            failure.kind != .rejected
        {
            throw failure
        }
        let software = capabilities.software?.name.map { request.quotation(of: $0, limit: 60) + " " } ?? ""
        return "\(software)with FHIR \(request.quotation(of: version, limit: 60)), days of \(subject)"
    }
}
