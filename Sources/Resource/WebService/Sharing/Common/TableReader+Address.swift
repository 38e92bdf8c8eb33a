internal import HTTP
internal import Settings

extension TableReader {
    /// Keys that web services have in common: the address, and whether it may be plain http to another machine.
    ///
    /// - Parameter standard: the service's own address; nil where there is one for everybody's own server only.
    mutating func address(_ key: String = "url", standard: String? = nil, _ expected: String) -> WebAddress? {
        let isInsecure = flag("insecure") ?? false
        let given = standard == nil ? requireText(key, expected) : text(key, expected) ?? standard
        guard let text = given else { return nil }
        do {
            return try WebAddress(text, insecure: isInsecure)
        } catch {
            // What is wrong is told without the address, which can have a password in it.
            refuse(key, expected: "\(expected) (\(error.description))", isPrivate: true)
            return nil
        }
    }
}
