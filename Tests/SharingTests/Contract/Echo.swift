import Foundation
import WebTestSupport

/// The secret in the texts of a server: so often that wherever a text is cut, a part of a secret stands there.
struct Echo: Sendable {
    /// How far the secrets are moved: of three values, one puts more than four characters of a secret before any place
    /// of a cut.
    let phase: Int

    static let phases = [0, 8, 15]

    var text: String {
        String(repeating: "a", count: phase) + String(repeating: TestSecret.text + "aaaaaaa", count: 30)
    }

    /// Whether a text has a part of the secret, however it was cut or filtered.
    static func isContained(in text: String) -> Bool { text.contains("tok/") || text.contains("tok3") }

    /// Answers in the forms that destinations read.
    var documents: [String] {
        [
            #"{"resourceType":"\#(inJSON)"}"#,
            #"{"resourceType":"OperationOutcome","issue":[{"severity":"error","diagnostics":"\#(inJSON)"}]}"#,
            "<definitions xmlns='http://schemas.xmlsoap.org/wsdl/' targetNamespace='\(inXML)'><portType><operation name='\(inXML)'/></portType></definitions>",
            """
            <s:Envelope xmlns:s='http://schemas.xmlsoap.org/soap/envelope/'><s:Body><s:Fault><faultcode>\(inXML)</faultcode>\
            <faultstring>\(inXML)</faultstring></s:Fault></s:Body></s:Envelope>
            """,
        ]
    }

    /// The answer with more text in one of its texts in quotes, by its index, and in a header.
    func put(into answer: Answer, at index: Int) -> Answer {
        guard case .reply(let status, let headers, let body) = answer else { return answer }
        let named = headers.map { $0.0 == "X-Influxdb-Version" ? ($0.0, $0.1 + text) : $0 }
        let texts = body.matches(of: /["']([^"'\\<>]*)["']/).map { $0.1 }
        guard texts.indices.contains(index) else { return .reply(status: status, headers: named, body: body) }
        let end = texts[index].endIndex
        let longer = String(body[..<end]) + (body.hasPrefix("<") ? inXML : inJSON) + String(body[end...])
        return .reply(status: status, headers: named, body: longer)
    }

    private var inJSON: String { text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") }

    private var inXML: String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;").replacing(
            "\"", with: "&quot;")
    }
}
