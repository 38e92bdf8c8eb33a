internal import HTTP
internal import Quoting
internal import StepDomain

extension FHIRDestination {
    /// What a server says of itself (hl7.org/fhir/R4/capabilitystatement.html).
    private struct Capabilities: Decodable {
        struct Software: Decodable { var name: String? }

        var resourceType: String
        var fhirVersion: String?
        var software: Software?
    }

    /// Asks what the server can, which anybody may ask, and then how many Observations have an identifier that none has: who may send days
    /// may ask that, as a conditional update is a search first.
    func check() async throws(ShareFailure) -> String {
        let headers = [HTTPRequest.Header("Accept", Self.type)] + (try authentication.headers(credentials))
        // A summary, as in full it is megabytes of some servers.
        let metadata = base.appending(path: ["metadata"]).appending(query: [("_summary", "true")])
        let request = HTTPRequest(method: "GET", url: metadata, headers: headers)
        let response = try await exchange.confirmed(request)
        guard let capabilities = response.json(Capabilities.self), capabilities.resourceType == "CapabilityStatement" else {
            throw .unconfirmed(request, "what is at metadata is no CapabilityStatement")
        }
        let version = capabilities.fhirVersion ?? "an untold version"
        // R4 is 4.0, R4B is 4.3; in R5 these Observations are the same.
        guard version.hasPrefix("4.") || version.hasPrefix("5.") else {
            throw ShareFailure(
                .misconfigured, "\(base.host) speaks FHIR in \(shown(version, request)), where istep writes R4 (4.0)",
                advice: "Set `url` to its base for R4.")
        }
        let search = HTTPRequest(
            method: "GET",
            url: base.appending(path: ["Observation"]).appending(query: [("identifier", "\(system)|none"), ("_summary", "count")]),
            headers: headers)
        if let failure = ShareFailure(try await exchange.answer(to: search), to: search), failure.kind != .rejected { throw failure }
        let software = capabilities.software?.name.map { shown($0, request) + " " } ?? ""
        return "\(software)with FHIR \(shown(version, request)), days of \(subject)"
    }

    private func shown(_ text: String, _ request: HTTPRequest) -> String { quoted(String(request.scrubbed(text).prefix(60))) }
}
