internal import SOAP
internal import Settings
internal import StepDomain

extension DestinationKind {
    static let soap = DestinationKind(
        "soap", title: "a service that is called by SOAP 1.1 or 1.2",
        example: """
            [share.clinic]
            kind = "soap"
            url = "https://example.org/services/steps"
            # As in the service's WSDL, where it is called targetNamespace.
            namespace = "urn:example:steps"
            # The operation gets elements with these names, in this order: user, date (YYYY-MM-DD), steps, distance (metres),
            # calories (kcal above rest), goal (steps), percentage (of the goal), completeness ("complete" or "partial").
            # Those that are not known of a day are left out.
            operation = "shareStepData"
            # A file with nothing but the password in it, for you alone: chmod 600. Or password_env, or password_credential.
            username = "anna"
            password_file = "~/.config/istep/clinic.password"

            # token_file = "~/.config/istep/clinic.token"   # a bearer's token instead; or token_env, or token_credential
            # auth = "basic"                       # or "bearer", or "header"; as a rule the keys that are there tell
            # header_name = "X-Api-Key"            # the token goes into this header
            # version = "1.1"                      # or "1.2"
            # action = ""                          # SOAPAction; {service} and {operation} in it are replaced
            # service = "StepDataService"          # for {service}
            # response = "shareStepDataResponse"   # the element that confirms; by itself the operation's name and "Response"
            # qualified = true                     # false: the elements in the operation's are in no namespace (JAX-WS)
            # idempotent = false                   # true: the service replaces what it has of the day. Else a day is sent
            #                                      # once, at its end, and never corrected.
            # insecure = false                     # true: plain http, also to other machines
            """
    ) { reader, context in
        let url = reader.address("url", "the address of the service, such as https://example.org/services/steps")
        let namespace = reader.requireText("namespace", "the namespace of the service, such as urn:example:steps")
        let version = reader.choice("version", of: SOAPVersion.self) ?? .v11
        let operation = reader.elementName("operation", "the operation to call") ?? "shareStepData"
        let response = reader.elementName("response", "the element that confirms") ?? operation + "Response"
        let serviceName = reader.elementName("service", "the name of the service") ?? "StepDataService"
        let action = reader.action()
        let isQualified = reader.flag("qualified") ?? true
        let isIdempotent = reader.flag("idempotent") ?? false
        let authentication = reader.authentication()
        guard let url, let namespace else { return nil }
        return SOAPDestination(
            context: context, exchange: Exchange(transport: context.surroundings.transport()),
            service: SOAPService(
                endpoint: url, namespace: namespace, action: action, version: version, qualifiesArguments: isQualified),
            serviceName: serviceName, operation: operation, response: response, authentication: authentication,
            // SOAP promises nothing of a call that is made twice; what this service does, only the user knows.
            traits: isIdempotent
                ? .replacing : ShareTraits(resending: .repeats, corrects: false, takesUnfinishedDays: false))
    }
}

extension TableReader {
    fileprivate mutating func elementName(_ key: String, _ what: String) -> String? {
        let expected = what + ", of ASCII letters, digits, _ - ."
        guard let name = text(key, expected) else { return nil }
        if XMLName.isPlain(name) { return name }
        refuse(key, expected: expected)
        return nil
    }

    fileprivate mutating func action() -> String {
        let expected = "a URI of ASCII, without spaces, quotes and backslashes"
        guard let action = text("action", expected, mayBeEmpty: true) else { return "" }
        if !SOAPService.isAction(action) { refuse("action", expected: expected) }
        return action
    }
}
