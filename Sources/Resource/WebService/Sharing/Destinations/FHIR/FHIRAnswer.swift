internal import HTTP
internal import Support

/// What a FHIR server answers to an update.
struct FHIRAnswer {
    enum Confirmation: Hashable {
        case confirmed(id: String?)
        case no(String)
    }

    private struct Resource: Decodable {
        struct Issue: Decodable {
            struct Details: Decodable { var text: String? }

            var severity: String?
            var code: String?
            var diagnostics: String?
            var details: Details?

            var words: String? { details?.text ?? diagnostics ?? code }
            /// `warning` and `information` are not reasons for a failure.
            var isFailure: Bool { severity == "error" || severity == "fatal" }
        }

        var resourceType: String
        var id: String?
        var issue: [Issue]?
    }

    /// The texts of the issues of an OperationOutcome (hl7.org/fhir/R4/operationoutcome.html), as the server sent them;
    /// nil for any other answer.
    let message: String?
    private let resource: Resource?

    init(_ response: HTTPResponse) {
        resource = response.json(Resource.self)
        let issues = resource?.resourceType == "OperationOutcome" ? resource?.issue : nil
        message = issues.map { issues in
            let failures = issues.filter(\.isFailure)
            return (failures.isEmpty ? issues : failures).prefix(5).compactMap(\.words).joined(separator: "; ")
        }
    }

    /// Evaluates an answer of 2xx. A server sends the Observation, an OperationOutcome or nothing, as `Prefer`
    /// requests. In all cases it sends a version or an address in the headers (hl7.org/fhir/R4/http.html#update,
    /// #create). A sign-in page of a network does neither.
    func confirmation(_ response: HTTPResponse, to request: HTTPRequest) -> Confirmation {
        guard response.status == 200 || response.status == 201 else {
            return .no("HTTP \(response.status) is not an answer to an update")
        }
        let id = response.header("Location").flatMap(Self.id) ?? resource?.id.flatMap { Self.isID($0) ? $0 : nil }
        switch resource?.resourceType {
        case "Observation": return .confirmed(id: id)
        case "OperationOutcome":
            let failed = resource?.issue?.contains(where: \.isFailure) ?? false
            return failed ? .no("it answered \(request.line(of: message ?? ""))") : .confirmed(id: id)
        case let other?:
            return .no("it answered with a resource of another type, \(request.quotation(of: other, limit: 40))")
        case nil:
            guard response.body.isEmpty else { return .no("its answer is not a FHIR resource") }
            let isVersioned = ["Location", "ETag", "Last-Modified"].contains { response.header($0) != nil }
            return isVersioned ? .confirmed(id: id) : .no("its answer is empty and has no version")
        }
    }

    /// The id in `…/Observation/123` or `…/Observation/123/_history/4`.
    private static func id(location: String) -> String? {
        let parts = location.split(separator: "/", omittingEmptySubsequences: false)
        guard let type = parts.lastIndex(of: "Observation"), type + 1 < parts.count, isID(String(parts[type + 1]))
        else { return nil }
        return String(parts[type + 1])
    }

    /// Type `id` (hl7.org/fhir/R4/datatypes.html#id).
    static func isID(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { $0.isAlphanumeric || "-.".utf8.contains($0) }
    }
}
