import ArgumentParser
import Foundation
import StepDomain
import StepServices
import StepViews
import Support

struct ImportsCommand: AsyncParsableCommand, Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "imports",
        abstract: "List the imports of files of other programs, or take one back.",
        subcommands: [List.self, Remove.self],
        defaultSubcommand: List.self)
    static let documents = [JSONUse(.imports, "list"), JSONUse(.removal, "remove")]

    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "List what was imported, from where and when.")

        @OptionGroup var common: CommonOptions

        func run() throws {
            let wiring = try Wiring(common)
            let store = try wiring.history(for: .reading)
            let wanted = try wiring.namedUser(in: store)
            let imports = try store.imports().filter { wanted == nil || $0.user == wanted?.id }
            try wiring.show(
                ImportsView(
                    imports, users: store.users(), formats: wiring.importing.formats, localTime: wiring.localTime))
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Take an import back.",
            discussion: """
                Its days are then what pedometers and the other imports say, also where later imports have corrected the same slots. A backup \
                is made before. Days that were shared and changed are sent again to destinations that can replace a day; a day of which nothing \
                is known any more is sent there as 0 steps.
                """)

        @Argument(help: ArgumentHelp("The number of the import: see 'istep imports'.", valueName: "id"))
        var id: Int64

        @OptionGroup var confirmation: ConfirmationOptions

        @OptionGroup var common: CommonOptions

        func run() async throws {
            let wiring = try Wiring(common)
            let (store, record, preview) = try await blocking {
                let store = try wiring.history(for: .updating)
                guard let record = try store.imports().first(where: { $0.id == id }) else {
                    throw ImportError.noImport(id)
                }
                return (store, record, try wiring.importing.previewRemoval(id, from: store))
            }
            let question = Question(
                text: "Take it back? A backup is made before.", refusal: "The import was not taken back.",
                purpose: "To take it back", command: ShellCommand("istep imports remove --yes \(id)"))
            guard try await wiring.confirm(question, showing: ImportRemovalView(record, preview), confirmation) else {
                return
            }
            let removed = try await wiring.importing.remove(id, from: store)
            try wiring.show(ImportRemovalView(record, removed))
        }
    }
}
