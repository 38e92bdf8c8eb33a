internal import HTTP
internal import Settings
internal import StepDomain

extension DestinationKind {
    static let fhir = DestinationKind(
        "fhir", title: "a health record that speaks FHIR R4",
        example: """
            [share.record]
            kind = "fhir"
            # The base address of the server. It has to take conditional updates of Observation by identifier.
            url = "https://example.org/fhir"
            # Whose days these are, as the server knows this person.
            subject = "Patient/123"
            users = ["Anna"]
            # A file with nothing but the token in it, for you alone: chmod 600. Or token_env, or token_credential.
            token_file = "~/.config/istep/record.token"

            # username = "anna"                    # basic authentication instead of a token,
            # password_file = "~/.config/istep/record.password"   # with a password_file, _env or _credential
            # auth = "bearer"                      # or "basic", or "header"; as a rule the keys that are there tell
            # header_name = "X-Api-Key"            # the token goes into this header
            # calories = false                     # true: an Observation of the day's calories above rest besides (LOINC 41979-6)
            # system = "urn:example:steps"         # the namespace of the identifiers; by itself one of istep's
            # insecure = false                     # true: plain http, also to other machines
            """
    ) { reader, context in
        let base = reader.address("url", "the base address of the server, such as https://example.org/fhir")
        let subject = reader.subject()
        let system = reader.system() ?? FHIRDestination.standardSystem
        let hasCalories = reader.flag("calories") ?? false
        let authentication = reader.authentication()
        guard let base, let subject else { return nil }
        return FHIRDestination(
            context: context, exchange: Exchange(transport: context.surroundings.transport()), base: base, subject: subject,
            system: system, figures: hasCalories ? [.steps, .calories] : [.steps], authentication: authentication)
    }
}

extension FHIRDestination {
    /// Drawn once by chance (RFC 9562, section 5.4): nobody else's identifiers are in this namespace. Never to be changed:
    /// servers find by it what is to be replaced.
    static let standardSystem = "urn:uuid:7c8f9b84-2946-437f-8ddf-d2efbc4ab394"
}

extension TableReader {
    /// A reference to a resource, relative to the base or absolute (hl7.org/fhir/R4/references.html#literal).
    fileprivate mutating func subject() -> String? {
        let expected = "a reference to the person, such as Patient/123"
        guard let text = requireText("subject", expected) else { return nil }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        if parts.count == 2, isType(parts[0]), FHIRAnswer.isID(parts[1]) { return text }
        if text.hasPrefix("https://") || text.hasPrefix("http://"), parts.count > 4, FHIRAnswer.isID(parts[parts.count - 1]),
            isType(parts[parts.count - 2]), (try? WebAddress(text, insecure: true)) != nil, isPlain(text) {
            return text
        }
        refuse("subject", expected: expected)
        return nil
    }

    fileprivate mutating func system() -> String? {
        let expected = "a URI, such as urn:example:steps"
        guard let text = text("system", expected) else { return nil }
        if text.contains(":"), isPlain(text) { return text }
        refuse("system", expected: expected)
        return nil
    }

    private func isType(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 }
    }

    /// ASCII without spaces and without what means something in a search (hl7.org/fhir/R4/search.html#escaping).
    private func isPlain(_ text: String) -> Bool {
        text.utf8.count <= 200 && text.utf8.allSatisfy { 0x21...0x7E ~= $0 && !"|,$\\\"<>".utf8.contains($0) }
    }
}
