internal import Foundation
internal import HTTP

extension HTTPResponse {
    /// The body, where it is JSON of this form; what else is in it is left out. Its size is limited by the transport, its
    /// depth by the decoder.
    func json<Form: Decodable>(_ form: Form.Type) -> Form? { try? JSONDecoder().decode(form, from: Data(body)) }

    /// Whether it is a page for people: what a sign-in page of a network answers, or a site that shows its start page
    /// whatever it is asked.
    var isPage: Bool {
        let type = header("Content-Type")?.prefix { $0 != ";" }.lowercased() ?? ""
        return type == "text/html" || type == "application/xhtml+xml"
    }
}
