internal import Foundation
public import Quoting

extension HTTPRequest {
    /// Every secret of the request: a server's words may repeat them.
    public var secrets: [Secret] {
        var values = headers.map(\.value)
        if case .form(let fields) = body { values += fields.map(\.value) }
        return values.compactMap(\.secret)
    }

    /// The body as it goes out; nil where there is none.
    var payload: [UInt8]? {
        switch body {
        case .bytes(let bytes): bytes
        case .form(let fields): Array(HTTPRequest.encoded(fields) { $0.revealed }.utf8)
        case nil: nil
        }
    }

    static func encoded(_ fields: [Field], _ text: (Value) -> String) -> String {
        fields.map { PercentEncoding.encoded($0.name) + "=" + PercentEncoding.encoded(text($0.value)) }.joined(separator: "&")
    }
}

extension HTTPRequest.Value {
    /// The text that goes out. For the transport only.
    var revealed: String {
        switch self {
        case .plain(let text): text
        case .secret(let prefix, let secret): prefix + secret.reveal()
        case .basic(let user, let password):
            "Basic " + Data((user + ":" + password.reveal()).utf8).base64EncodedString()
        }
    }

    /// The text to be shown.
    var masked: String {
        switch self {
        case .plain(let text): text
        case .secret(let prefix, let secret): prefix + secret.description
        case .basic(_, let password): "Basic " + password.description
        }
    }

    var secret: Secret? {
        switch self {
        case .plain: nil
        case .secret(_, let secret), .basic(_, let secret): secret
        }
    }
}
