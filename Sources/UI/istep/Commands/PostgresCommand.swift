import ArgumentParser
import StepViews

struct PostgresCommand: ParsableCommand, Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "postgres",
        abstract: "Prepare a PostgreSQL database that several machines share.",
        discussion: """
            A destination of the kind 'postgres' sends days to a database that has istep's tables. Its owner creates them once, and again \
            after each update of istep:

              istep postgres schema | psql --dbname health

            'istep config example postgres' shows the destination's keys, 'istep share --list --check' whether the tables are there.
            """,
        subcommands: [Schema.self])
    static let adviceOptions = AdviceOptions.none

    struct Schema: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "schema", abstract: "Print the tables, views and roles as SQL for psql.")

        func run() throws { try Output.standard.result(Wiring.postgresSchema) }
    }
}
