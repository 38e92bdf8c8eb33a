public import StepDomain

/// What is known of a user's body, the newest first.
public struct ProfileView: View {
    let user: User
    let profiles: [Profile]

    /// - Parameter profiles: in any order.
    public init(user: User, profiles: [Profile]) {
        self.user = user
        self.profiles = profiles.sorted { $0.validFrom > $1.validFrom }
    }

    public func lines(_ style: TextStyle) -> [String] {
        var page = Page(style)
        let name = Printable(user.name, limit: 32).description
        guard !profiles.isEmpty else {
            page.paragraph("Nothing is known of \(name)'s height and weight, so distance and calories are the pedometer's own.")
            page.paragraph("Tell them: istep profile --height 178 --weight 72 --sex male")
            return page.lines
        }
        page.line(InkedText(name, .strong))
        for profile in profiles { page.paragraph("\(profile.since): \(facts(profile))", indent: 2, hanging: 4) }
        return page.lines
    }

    private func facts(_ profile: Profile) -> String {
        var facts: [String] = []
        if let height = profile.height { facts.append("height \(Words.short(height * 100)) cm") }
        if let weight = profile.weight { facts.append("weight \(Words.short(weight)) kg") }
        if profile.sex != .unspecified { facts.append(profile.sex.rawValue) }
        if let birth = profile.birthDate { facts.append("born \(birth)") }
        if let length = StepLength(profile) {
            let source = length.source == .measuredStepLength ? "measured" : "by height"
            facts.append("step \(Words.short(length.walking * 100)) cm, \(source)")
        }
        return facts.isEmpty ? "nothing told" : facts.joined(separator: ", ")
    }
}

extension ProfileView {
    /// `istep profile --json`.
    public struct Document: Codable, Sendable {
        public struct Entry: Codable, Sendable {
            /// `2014-04-20`; the first day that it holds for.
            public var validFrom: String
            @Nullable public var heightMetres: Double?
            @Nullable public var weightKilograms: Double?
            /// `female`, `male` or `unspecified`.
            public var sex: String
            @Nullable public var birthDate: String?
            /// As measured; null where it goes by height.
            @Nullable public var stepLengthMetres: Double?
        }

        public var version = 1
        public var user: String
        /// Newest first.
        public var profiles: [Entry]
    }

    public var document: Document {
        Document(user: user.name, profiles: profiles.map {
            Document.Entry(
                validFrom: $0.validFrom.description, heightMetres: $0.height, weightKilograms: $0.weight,
                sex: $0.sex.rawValue, birthDate: $0.birthDate?.description, stepLengthMetres: $0.stepLength)
        })
    }
}
