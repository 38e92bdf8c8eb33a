public import StepDomain

/// What the models of pedometers are called, and those of sources of imports.
public struct ModelTitles: Sendable {
    private let kinds: [PedometerKind]
    private let formats: [ForeignFormat]

    public init(kinds: [PedometerKind], formats: [ForeignFormat]) {
        self.kinds = kinds
        self.formats = formats
    }

    /// - Parameter key: the `model` of a pedometer. It is its own title where nothing is known of it.
    public func title(_ key: String) -> String {
        guard key.hasPrefix("import:") else { return kinds.first { $0.key == key }?.title ?? key }
        let format = key.dropFirst("import:".count)
        return "imported from \(formats.first { $0.key == format }?.title ?? String(format))"
    }

    /// In lists, which have no room for the caveat.
    public func titleInList(_ key: String) -> String { title(key) + (caveat(key) == nil ? "" : " (experimental)") }

    /// What is unconfirmed about reading the model; nil if nothing is.
    public func caveat(_ key: String) -> String? { kinds.first { $0.key == key }?.caveat }
}
