import ArgumentParser

/// What every command takes.
struct CommonOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Read this configuration besides the usual ones.", valueName: "file"))
    var config: String?

    @Option(help: ArgumentHelp("Use this history instead of the usual one.", valueName: "file"))
    var db: String?

    @Option(help: ArgumentHelp("Whose steps; by default the only user's, or yours.", valueName: "name"))
    var user: String?

    @Flag(help: "Print JSON for programs instead of text for people.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print nothing but results and errors.")
    var quiet = false

    func validate() throws {
        if let user { try Words.checkName(user, of: "--user") }
    }
}

/// What the commands take that use Bluetooth.
struct BluetoothOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Use this adapter, such as hci1; by default the first that is on.", valueName: "name"))
    var adapter: String?

    @Option(help: ArgumentHelp("Search for so many seconds at most.", valueName: "seconds"), transform: Words.number)
    var timeout: Double?
}
