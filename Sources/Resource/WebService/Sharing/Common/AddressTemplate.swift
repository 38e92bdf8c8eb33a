internal import HTTP
internal import Settings
internal import StepDomain
internal import Support

/// An address with placeholders in braces that are filled for each day, such as
/// `https://example.org/users/{user}/days/{date}`.
struct AddressTemplate: Hashable, Sendable {
    let text: String
    let isInsecure: Bool

    /// The names that a template can contain.
    static let names = ["user", "date", "year", "month", "day", "destination"]

    /// The values of `names`.
    static func values(_ day: SharedDay, destination: String) -> [String: String] {
        let date = "\(day.day)"
        return [
            "user": day.user.name, "date": date, "year": String(date.prefix(4)),
            "month": String(date.dropFirst(5).prefix(2)),
            "day": String(date.suffix(2)), "destination": destination,
        ]
    }

    /// The name of a secret in the address, such as that of a webhook.
    static let secretName = "token"

    /// The address of a day, its values percent-encoded, so that no name can change the path.
    func address(_ day: SharedDay, destination: String, secret: Secret? = nil) throws(ShareFailure) -> WebAddress {
        do {
            return try WebAddress.filled(
                text, Self.values(day, destination: destination), secret: secret.map { (Self.secretName, $0) },
                insecure: isInsecure)
        } catch {
            throw ShareFailure(.misconfigured, "`url` gives no valid address for \(day.day): \(error.description)")
        }
    }

    /// The part before the first placeholder, without the query: the address of the service as a whole.
    var base: String { String(text.prefix { $0 != "{" && $0 != "?" }) }

    /// Scheme, host and port, which no placeholder can change.
    var origin: String { (try? WebAddress(base, insecure: true))?.origin ?? "" }

    var hasSecret: Bool { text.contains("{\(Self.secretName)}") }

    /// Whether addresses of different days differ.
    var hasDate: Bool { Self.hasDate(text) }

    static func hasDate(_ text: String) -> Bool {
        text.contains("{date}") || ["{year}", "{month}", "{day}"].allSatisfy(text.contains)
    }

    /// Appends to the path, before the query if there is one.
    func appending(_ path: String) -> AddressTemplate {
        let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let start = parts[0].hasSuffix("/") ? parts[0].dropLast() : parts[0]
        return AddressTemplate(text: start + path + (parts.count > 1 ? "?" + parts[1] : ""), isInsecure: isInsecure)
    }
}

extension TableReader {
    /// The key `url` as a template, with `insecure`.
    mutating func addressTemplate(_ expected: String) -> AddressTemplate? {
        let template = AddressTemplate(text: requireText("url", expected) ?? "", isInsecure: flag("insecure") ?? false)
        guard !template.text.isEmpty else { return nil }
        guard !origin(template.text).contains("{") else {
            refuse("url", expected: "\(expected) (scheme, host and port cannot contain a placeholder)", isPrivate: true)
            return nil
        }
        let names = AddressTemplate.names + [AddressTemplate.secretName]
        do {
            _ = try WebAddress.filled(
                template.text, Dictionary(uniqueKeysWithValues: names.map { ($0, "x") }), insecure: template.isInsecure)
            return template
        } catch {
            // The error does not contain the address, which may contain a key.
            refuse("url", expected: "\(expected) (\(error.description))", isPrivate: true)
            return nil
        }
    }

    /// The part before the path.
    private func origin(_ address: String) -> Substring {
        let start = address.firstRange(of: "://")?.upperBound ?? address.startIndex
        return address[..<(address[start...].firstIndex { $0 == "/" || $0 == "?" } ?? address.endIndex)]
    }
}

extension TableReader {
    /// Keys that web services have in common: the address, and whether it may be plain http to another machine.
    ///
    /// - Parameter standard: the service's own address; nil if every user has a server of their own.
    mutating func address(_ key: String = "url", standard: String? = nil, _ expected: String) -> WebAddress? {
        let isInsecure = flag("insecure") ?? false
        let given = standard == nil ? requireText(key, expected) : text(key, expected) ?? standard
        guard let text = given else { return nil }
        do {
            return try WebAddress(text, insecure: isInsecure)
        } catch {
            // The error does not contain the address, which may contain a password.
            refuse(key, expected: "\(expected) (\(error.description))", isPrivate: true)
            return nil
        }
    }
}
