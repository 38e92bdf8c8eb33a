public import StepDomain

/// What would be sent, word for word.
public struct PreviewView: View {
    public struct Preview: Sendable {
        public var destination: String
        public var user: String
        public var day: Day
        /// With secrets masked; nil where nothing would be sent.
        public var content: String?
        /// Why nothing would be sent.
        public var remark: String?

        public init(destination: String, user: String, day: Day, content: String?, remark: String? = nil) {
            self.remark = remark
            self.destination = destination
            self.user = user
            self.day = day
            self.content = content
        }
    }

    let previews: [Preview]

    public init(_ previews: [Preview]) { self.previews = previews }

    /// The content is not cut to the width: what would be sent is shown whole.
    public func lines(_ style: TextStyle) -> [String] {
        var lines: [String] = []
        for preview in previews {
            if !lines.isEmpty { lines.append("") }
            var page = Page(style)
            page.line(InkedText("\(Printable(preview.destination, limit: 32)), \(preview.day)", .strong))
            lines += page.lines
            guard let content = preview.content else {
                lines.append("  nothing would be sent: \(preview.remark ?? "nothing is known of that day")")
                continue
            }
            lines += Printable.lines(content).split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "" : "  \($0)" }
        }
        return lines
    }
}

extension PreviewView {
    /// `istep share --dry-run --json`.
    public struct Document: Codable, Sendable {
        public struct Entry: Codable, Sendable {
            public var destination: String
            public var user: String
            public var day: String
            @Nullable public var content: String?
            /// Why nothing would be sent; null where something would.
            @Nullable public var remark: String?
        }

        public var version = 1
        public var previews: [Entry]
    }

    public var document: Document {
        Document(previews: previews.map {
            Document.Entry(destination: $0.destination, user: $0.user, day: "\($0.day)", content: $0.content, remark: $0.remark)
        })
    }
}
