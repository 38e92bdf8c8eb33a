import ArgumentParser
import StepDomain
import StepServices
import StepViews
import Support

struct PostgresCommand: ParsableCommand, Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "postgres",
        abstract: "Prepare a PostgreSQL database that several machines share.",
        discussion: """
            A destination of the kind 'postgres' sends days to a database that has istep's tables. Its owner creates them once, and again \
            after each update of istep:

              istep postgres schema | psql --dbname health

            'istep config example postgres' shows the destination's keys, 'istep postgres check NAME' what the database lacks.
            """,
        subcommands: [Schema.self, Check.self])
    static let documents = [JSONUse(.inspection, "check")]
    static let adviceOptions = AdviceOptions.nested(["check"])

    struct Schema: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "schema", abstract: "Print the tables, views and roles as SQL for psql.")

        func run() throws { try Output.standard.result(Wiring.postgresSchema) }
    }

    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check", abstract: "Compare a shared database with what this istep needs.",
            discussion: """
                Compares the version of the schema, tables, columns, constraints, indexes, functions, views, row security and its \
                policies, rights that are missing or go too far, and whether this machine's role is enrolled for each user whose days the \
                destination sends; with --user for one user, also before there is a history. It changes nothing. Exit codes: 78 the \
                database is not as expected, 77 rights or an enrolment are missing.
                """)

        @Argument(
            help: ArgumentHelp("The destination.", valueName: "name"), completion: CompletionNames.destinations)
        var name: String

        @OptionGroup var common: CommonOptions

        func run() async throws {
            let wiring = try Wiring(common)
            let inspected = try await blocking { try wiring.inspected(name) }
            let inspection = try await inspected.inspect()
            try wiring.show(InspectionView(inspected.destination, inspection))
            if let worst = inspection.category { throw AlreadyReported(worst) }
        }
    }
}
