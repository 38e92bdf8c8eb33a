@testable import SOAP

/// Answers of services.
enum Envelopes {
    static func wrap(_ content: String, _ version: SOAPVersion = .v11) -> String {
        "<s:Envelope xmlns:s=\"\(version.namespace)\"><s:Body>\(content)</s:Body></s:Envelope>"
    }

    static func fault11(_ code: String, _ reason: String = "no", declaring declarations: String = "") -> String {
        wrap("<s:Fault \(declarations)><faultcode>\(code)</faultcode><faultstring>\(reason)</faultstring></s:Fault>")
    }

    static func fault12(_ code: String, subcode: String = "", reasons: String = "<s:Text xml:lang=\"en\">no</s:Text>")
        -> String
    {
        wrap(
            """
            <s:Fault><s:Code><s:Value>\(code)</s:Value>\(subcode)</s:Code><s:Reason>\(reasons)</s:Reason></s:Fault>
            """, .v12)
    }
}
