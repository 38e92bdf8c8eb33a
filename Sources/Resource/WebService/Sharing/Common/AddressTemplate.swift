internal import HTTP
internal import Settings
internal import StepDomain

/// An address with places in braces that each day fills, such as `https://example.org/users/{user}/days/{date}`.
struct AddressTemplate: Hashable, Sendable {
    let text: String
    let isInsecure: Bool

    /// What a template can name.
    static func values(_ day: SharedDay, destination: String) -> [String: String] {
        let date = "\(day.day)"
        return [
            "user": day.user.name, "date": date, "year": String(date.prefix(4)), "month": String(date.dropFirst(5).prefix(2)),
            "day": String(date.suffix(2)), "destination": destination,
        ]
    }

    /// The address of a day, its values percent-encoded, so that nothing in a name leads elsewhere.
    func address(_ day: SharedDay, destination: String) throws(ShareFailure) -> WebAddress {
        do {
            return try WebAddress.filled(text, Self.values(day, destination: destination), insecure: isInsecure)
        } catch {
            throw ShareFailure(.misconfigured, "`url` makes no address for \(day.day): \(error.description)")
        }
    }

    /// What stands before the first place that is filled, without the query: where the service as a whole is.
    var base: String { String(text.prefix { $0 != "{" && $0 != "?" }) }

    /// Whether it tells one day from another.
    var hasDate: Bool { text.contains("{date}") || ["{year}", "{month}", "{day}"].allSatisfy(text.contains) }

    /// With more of a path, before the query where there is one.
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
            refuse("url", expected: "\(expected) (who is asked, and how, cannot depend on the day)", isPrivate: true)
            return nil
        }
        let names = ["user", "date", "year", "month", "day", "destination"]
        do {
            _ = try WebAddress.filled(
                template.text, Dictionary(uniqueKeysWithValues: names.map { ($0, "x") }), insecure: template.isInsecure)
            return template
        } catch {
            // What is wrong is told without the address, which can have a key in it.
            refuse("url", expected: "\(expected) (\(error.description))", isPrivate: true)
            return nil
        }
    }

    /// What stands before the path.
    private func origin(_ address: String) -> Substring {
        let start = address.firstRange(of: "://")?.upperBound ?? address.startIndex
        return address[..<(address[start...].firstIndex { $0 == "/" || $0 == "?" } ?? address.endIndex)]
    }
}
