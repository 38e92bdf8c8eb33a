internal import HTTP

/// A kind of authentication that a server offers, with its parameters (RFC 9110, section 11.6.1).
struct Challenge: Hashable {
    /// In lower case, such as `digest`.
    let scheme: String
    /// Names in lower case.
    var parameters: [String: String] = [:]

    /// The challenges of an answer: headers of their own, or parts of one with commas between them and between their
    /// parameters.
    static func all(in response: HTTPResponse) -> [Challenge] {
        response.values(of: "WWW-Authenticate").flatMap(all(inHeader:))
    }

    static func all(inHeader header: String) -> [Challenge] {
        var challenges: [Challenge] = []
        for part in parts(of: header) {
            var rest = part[...]
            // A parameter has no word before its name.
            if let match = part.firstMatch(of: /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)(\s+(?=[^\s=])|$)/) {
                challenges.append(Challenge(scheme: match.1.lowercased()))
                rest = part[match.range.upperBound...]
            }
            guard let last = challenges.indices.last, let equal = rest.firstIndex(of: "=") else { continue }
            let name = rest[..<equal].filter { !$0.isWhitespace }.lowercased()
            challenges[last].parameters[name] = value(rest[rest.index(after: equal)...])
        }
        return challenges
    }

    /// Whether libcurl can answer it: Digest with MD5 or SHA-256, and without a hash of the body
    /// (https://curl.se/libcurl/c/CURLOPT_HTTPAUTH.html).
    var isSupportedDigest: Bool {
        let algorithm = parameters["algorithm"]?.lowercased() ?? "md5"
        let isProtected = parameters["qop"].map {
            $0.lowercased().split { ", \t".contains($0) }.contains("auth")
        }
        return ["md5", "md5-sess", "sha-256", "sha-256-sess"].contains(algorithm) && isProtected != false
    }

    /// The parts between commas that are not within quotation marks.
    private static func parts(of header: String) -> [String] {
        var parts = [""]
        var isQuoted = false, isEscaped = false
        for character in header {
            if character == ",", !isQuoted {
                parts.append("")
                continue
            }
            parts[parts.count - 1].append(character)
            if isEscaped { isEscaped = false; continue }
            if character == "\"" { isQuoted.toggle() }
            isEscaped = isQuoted && character == "\\"
        }
        return parts.map { String($0.trimmingPrefix(while: \.isWhitespace)) }
    }

    /// A token, or a text in quotation marks.
    private static func value(_ text: Substring) -> String {
        let text = text.trimmingPrefix(while: \.isWhitespace)
        guard text.first == "\"" else { return String(text.prefix { !$0.isWhitespace }) }
        var value = "", isEscaped = false
        for character in text.dropFirst() {
            if !isEscaped, character == "\"" { break }
            isEscaped = !isEscaped && character == "\\"
            if !isEscaped { value.append(character) }
        }
        return value
    }
}

extension Challenge {
    /// What to do about an answer that refuses the credentials of a request.
    static func advice(onRefused request: HTTPRequest, _ response: HTTPResponse) -> String {
        let challenges = all(in: response), schemes = Set(challenges.map(\.scheme))
        if request.usesDigest, !schemes.isEmpty, !schemes.contains("digest") {
            return schemes.contains("basic")
                ? "The server offers no Digest authentication, but Basic: set auth = \"basic\", which sends the password itself."
                : "The server offers no Digest authentication: set `auth` to another kind."
        }
        // libcurl ignores further ones.
        if request.usesDigest, challenges.first(where: { $0.scheme == "digest" })?.isSupportedDigest == false {
            return """
                The server asks for a form of Digest that libcurl does not have: let it offer SHA-256 or MD5 with qop auth \
                first.
                """
        }
        if !request.usesDigest, schemes.contains("digest"), schemes.isDisjoint(with: ["basic", "bearer"]) {
            return "The server requires Digest authentication: set auth = \"digest\", `username` and `password_file`."
        }
        return "Renew the credentials or their rights."
    }
}
