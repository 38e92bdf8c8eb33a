import Settings
import StepDomain
import Testing

@Suite(.timeLimit(.minutes(5))) struct SettingsTests {
    @Test func `settings have default values without files and flags`() throws {
        try withMachine { machine in
            let settings = try machine.load()
            #expect(settings.user == nil)
            #expect(settings.adapter == nil)
            #expect(settings.database == Sourced(machine.home + "/.local/share/istep/history.sqlite", .standard))
            #expect(settings.timeout == Sourced(20, .standard))
        }
    }

    @Test func `each source of settings overrides the previous one`() throws {
        try withMachine { machine in
            var machine = machine
            try machine.write("timeout = 1\nuser = \"etc\"\nadapter = \"hci1\"", to: machine.systemConfig, mode: 0o644)
            #expect(try machine.load().timeout == Sourced(1, .file(machine.systemConfig, line: 1)))

            try machine.write("# mine\ntimeout = 2\nuser = \"xdg\"", to: machine.userConfig)
            #expect(try machine.load().timeout == Sourced(2, .file(machine.userConfig, line: 2)))

            let named = machine.root + "/named.toml", other = machine.root + "/other.toml"
            try machine.write("\n\ntimeout = 3", to: named)
            machine.environment["ISTEP_CONFIG"] = named
            #expect(try machine.load().timeout == Sourced(3, .file(named, line: 3)))

            try machine.write("timeout = 4.5", to: other)
            #expect(try machine.load(SettingFlags(config: other)).timeout == Sourced(4.5, .file(other, line: 1)))

            let settings = try machine.load(SettingFlags(timeout: 5))
            #expect(settings.timeout == Sourced(5, .flag("--timeout")))
            #expect(settings.user == Sourced("xdg", .file(machine.userConfig, line: 3)))
            #expect(settings.adapter == Sourced("hci1", .file(machine.systemConfig, line: 3)))
            #expect(
                try machine.load(SettingFlags(user: "Ben", adapter: "hci0")).user == Sourced("Ben", .flag("--user")))
        }
    }

    @Test func `desktop notifications can be turned off in the configuration`() throws {
        try withMachine { machine in
            #expect(try machine.load().notifications == Sourced(true, .standard))
            try machine.write("notifications = true", to: machine.systemConfig, mode: 0o644)
            try machine.write("notifications = false", to: machine.userConfig)
            #expect(try machine.load().notifications == Sourced(false, .file(machine.userConfig, line: 1)))
        }
    }

    @Test func `an adapter is switched off and on only if the configuration allows it`() throws {
        try withMachine { machine in
            #expect(try machine.load().restartsAdapter == Sourced(false, .standard))
            try machine.write("restart-adapter = true", to: machine.userConfig)
            #expect(try machine.load().restartsAdapter == Sourced(true, .file(machine.userConfig, line: 1)))
            try machine.write("restart-adapter = \"yes\"", to: machine.userConfig)
            #expect(machine.error()?.description.contains("`restart-adapter` has to be true or false") == true)
            try machine.write("recover = true", to: machine.userConfig)
            #expect(try machine.load().recovers == Sourced(true, .file(machine.userConfig, line: 1)))
            try machine.write("recover = 1", to: machine.userConfig)
            #expect(machine.error()?.description.contains("`recover` has to be true or false") == true)
        }
    }

    @Test func `the database path is set by flag, variable or file`() throws {
        try withMachine { machine in
            var machine = machine
            try machine.write("database = \"~/steps.sqlite\"", to: machine.userConfig)
            #expect(
                try machine.load().database
                    == Sourced(machine.home + "/steps.sqlite", .file(machine.userConfig, line: 1)))
            machine.environment["ISTEP_DB"] = "relative.sqlite"
            #expect(try machine.load().database == Sourced("relative.sqlite", .environment("ISTEP_DB")))
            #expect(try machine.load(SettingFlags(database: "x")).database == Sourced("x", .flag("--db")))
            machine.environment["ISTEP_DB"] = ""
            #expect(try machine.load().database.source == .file(machine.userConfig, line: 1))
        }
    }

    @Test func `the database must be named if there is no home directory`() throws {
        try withMachine(["HOME": ""]) { machine in
            #expect(machine.error() == .noHome)
            let settings = try machine.load(SettingFlags(database: "/h"))
            #expect(settings.database.value == "/h")
        }
    }

    @Test func `an invalid flag is a usage error`() throws {
        try withMachine { machine in
            let wrong = [
                SettingFlags(config: "/no/such/file"), SettingFlags(user: " "), SettingFlags(adapter: "wlan0"),
                SettingFlags(timeout: 0), SettingFlags(timeout: .nan), SettingFlags(timeout: .infinity),
            ]
            for flags in wrong {
                let error = machine.error(flags)
                #expect(error?.category == .usage, "\(String(describing: error))")
            }
        }
    }

    @Test func `an invalid variable is a configuration error`() throws {
        try withMachine(["ISTEP_CONFIG": "/no/such/file"]) { machine in
            let error = machine.error()
            #expect(error?.category == .configuration)
            #expect(error?.description.contains("ISTEP_CONFIG") == true)
        }
    }
}
