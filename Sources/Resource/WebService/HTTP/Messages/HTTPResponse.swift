/// What a server answered. Nothing of it can be trusted but its size.
public struct HTTPResponse: Hashable, Sendable {
    /// 200...999; interim answers (1xx) are not told.
    public var status: Int
    private var headers: [Field]
    public var body: [UInt8]

    private struct Field: Hashable, Sendable {
        var name: String
        var value: String
    }

    public init(status: Int, headers: [(String, String)] = [], body: [UInt8] = []) {
        self.status = status
        self.headers = headers.map { Field(name: $0.lowercased(), value: $1) }
        self.body = body
    }

    /// The value of the first header of this name, whatever its case, without spaces around it.
    public func header(_ name: String) -> String? {
        let name = name.lowercased()
        return headers.first { $0.name == name }?.value
    }

    /// The body as UTF-8; what is none is replaced.
    public var text: String { String(decoding: body, as: UTF8.self) }
}
