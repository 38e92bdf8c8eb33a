internal import StepDomain
public import StepServices

/// A user who was added or has another name.
public struct UserChangeView: View {
    public enum Change: Sendable {
        case added
        case renamed(Users.Renaming)
    }

    let change: Change
    let entry: Users.Entry

    public init(_ change: Change, _ entry: Users.Entry) {
        self.change = change
        self.entry = entry
    }

    /// The same as that of the list of users.
    public static let keys: [JSONKey<UserChangeView>] = UsersView.keys.map { key in
        key.of { UsersView([$0.entry]) }
    }

    public func lines(_ style: TextStyle) -> [String] {
        var page = TextPage(style)
        let name = Printable(entry.user.name, limit: 64)
        switch change {
        case .added: page.paragraph("Added the user \(name).")
        case .renamed(let renaming):
            let old = Printable(renaming.before.name, limit: 64)
            page.paragraph("Renamed \(old) to \(name).")
            for kept in renaming.kept {
                let destination = Printable(kept.destination, limit: 32)
                page.paragraph(
                    "\(destination) may keep \(Words.count(kept.count, "day")) under the name \(old): delete \(kept.count == 1 ? "it" : "them") there."
                )
                let again = [
                    "--from", "\(kept.first)", "--again", "--with", kept.destination, "--user", entry.user.name,
                ]
                page.advice(
                    Advice([
                        .prose("To send the days under the new name: "), .command(ShellCommand("istep share", again)),
                    ]))
            }
            for setting in renaming.settings {
                page.paragraph(
                    "The configuration names \(old) in \(Printable(Self.words(setting), limit: 64)): change it there."
                )
            }
        }
        return page.lines
    }

    /// As it is written in the configuration.
    private static func words(_ setting: Users.Renaming.Setting) -> String {
        switch setting {
        case .user: "user"
        case .destination(let name): "[share.\(name)]"
        case .scheduledImport(let name): "[import.\(name)]"
        }
    }
}
