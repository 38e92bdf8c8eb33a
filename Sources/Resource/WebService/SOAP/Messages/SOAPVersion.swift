/// The versions of SOAP that there are.
public enum SOAPVersion: String, Hashable, Sendable, CaseIterable {
    /// W3C Note of 8 May 2000.
    case v11 = "1.1"
    /// W3C Recommendation, second edition, 27 April 2007.
    case v12 = "1.2"

    /// Of the envelope and its parts.
    var namespace: String {
        switch self {
        case .v11: "http://schemas.xmlsoap.org/soap/envelope/"
        case .v12: "http://www.w3.org/2003/05/soap-envelope"
        }
    }

    /// The headers that say what is asked for: by a header of its own, in quotes and never missing (1.1, section 6.1.1), or by a
    /// parameter of the type, which may be missing (1.2, part 2, section 6.5.3, and appendix A).
    ///
    /// - Parameter action: a URI, checked to have no quotes in it; empty where the service needs none.
    func headers(action: String) -> [(String, String)] {
        switch self {
        case .v11: [("Content-Type", "text/xml; charset=utf-8"), ("SOAPAction", "\"\(action)\"")]
        case .v12: [("Content-Type", "application/soap+xml; charset=utf-8" + (action.isEmpty ? "" : "; action=\"\(action)\""))]
        }
    }
}
