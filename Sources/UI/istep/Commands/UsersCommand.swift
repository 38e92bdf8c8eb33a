import ArgumentParser
import StepDomain
import StepServices
import StepViews

struct UsersCommand: AsyncParsableCommand, Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "users",
        abstract: "List the users of the history; add, rename or remove one.",
        subcommands: [List.self, Add.self, Rename.self, Remove.self],
        defaultSubcommand: List.self)
    static let adviceOptions = AdviceOptions.ofMachine
    static let documents = [JSONUse(.users, "", "list", "add", "rename"), JSONUse(.deletion, "remove")]

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List the users with their pedometers, days and plans.")

        @OptionGroup var common: CommonOptions

        func run() throws {
            let wiring = try Wiring(common)
            let store = try wiring.history(for: .reading)
            let wanted = try wiring.namedUser(in: store)
            try wiring.show(UsersView(try wiring.users(store).list().filter { wanted == nil || $0.user == wanted }))
        }
    }

    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Add a user.",
            discussion: """
                Adding a pedometer or setting a plan for a new user does the same: istep add --user NAME, istep plan 8000 --user NAME.
                """)

        @Argument(help: ArgumentHelp("The name of the new user.", valueName: "name"))
        var name: String

        @OptionGroup var common: CommonOptions

        func validate() throws { try ArgumentRules.checkNewUser(name) }

        func run() throws {
            let wiring = try Wiring(common)
            let users = wiring.users(try wiring.history(for: .creating))
            try wiring.confirm(UserChangeView(.added, Users.Entry(user: try users.add(name))))
        }
    }

    struct Rename: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rename",
            abstract: "Give a user another name.",
            discussion: """
                Days, pedometers and plans stay. The configuration still has the old name, in 'user' and in the 'users' of destinations: \
                change it there. Destinations that keep a place for each name get the days under the new one from then on; what was sent \
                before stays there under the old name, also if the days are corrected or deleted later: these destinations are named.
                """)

        @Argument(help: ArgumentHelp("The user.", valueName: "old"), completion: CompletionNames.users)
        var old: String

        @Argument(help: ArgumentHelp("The new name.", valueName: "new"))
        var new: String

        @OptionGroup var common: CommonOptions

        func validate() throws { try ArgumentRules.checkNewUser(new) }

        func run() throws {
            let wiring = try Wiring(common)
            let users = wiring.users(try wiring.history(for: .updating))
            let renaming = try users.rename(old, to: new)
            let entry = try users.list().first { $0.user.id == renaming.after.id }
            try wiring.confirm(
                UserChangeView(.renamed(renaming), entry ?? Users.Entry(user: renaming.after)))
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Delete a user with everything that belongs to the user.",
            discussion: """
                The same as istep delete --everything --user NAME: shows what would be lost, asks, and makes a backup before.
                """)

        @Argument(help: ArgumentHelp("The user.", valueName: "name"), completion: CompletionNames.users)
        var name: String

        @OptionGroup var confirmation: ConfirmationOptions

        @OptionGroup var common: CommonOptions

        func run() async throws {
            var wanted = common
            wanted.user = name
            let wiring = try Wiring(wanted)
            try await DeleteCommand.delete(
                .user, wanted, wiring, question: "Delete this user? A backup is made before.",
                command: ShellCommand("istep users remove --yes", [name]),
                confirmation)
        }
    }
}
