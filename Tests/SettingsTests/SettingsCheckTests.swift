import Settings
import StepDomain
import Testing

@Suite(.timeLimit(.minutes(5))) struct SettingsCheckTests {
    private func check(_ machine: Machine, _ flags: SettingFlags = SettingFlags()) -> SettingsCheck {
        let paths = Paths(environment: machine.environment, passwordHome: { nil }, root: machine.root)
        return Settings.check(flags: flags, environment: machine.environment, paths: paths)
    }

    @Test func `a check without configuration files finds no problems`() throws {
        try withMachine { machine in
            let check = check(machine)
            #expect(check.files == [])
            #expect(check.problems == [])
            #expect(check.destinations == [])
            let settings = try machine.load()
            #expect(check.settings == settings)
        }
    }

    @Test func `valid settings are available despite problems in other settings`() throws {
        try withMachine { machine in
            try machine.write(
                "user = 'Ada'\ntimeout = 'long'\nadapter = 'hci1'\n[share.pond]\nkind = 'a'", to: machine.userConfig)
            let check = check(machine)
            #expect(check.settings == nil)
            #expect(check.readable?.user?.value == "Ada")
            #expect(check.readable?.adapter?.value == "hci1")
            #expect(check.readable?.timeout.source == .standard)
            #expect(check.readable?.destinations.map(\.name) == ["pond"])
        }
    }

    @Test func `a table in a later file replaces the earlier one completely`() throws {
        try withMachine { machine in
            try machine.write(
                "[share.pond]\nkind = 'a'\n[share.garden]\nkind = 'b'\nurl = 'c'", to: machine.systemConfig)
            try machine.write("user = 'Ada'\n[share.garden]\nkind = 'd'", to: machine.userConfig)
            let settings = try machine.load()
            #expect(settings.files == [machine.systemConfig, machine.userConfig])
            #expect(settings.destinations.map(\.name) == ["garden", "pond"])
            #expect(settings.destinations.map(\.keys) == [["kind"], ["kind"]])
            #expect(settings.destinations.map { $0.text("kind") } == ["d", "a"])
            #expect(
                settings.destinations.map(\.source) == [
                    .file(machine.userConfig, line: 2), .file(machine.systemConfig, line: 1),
                ])
            #expect(check(machine).settings == settings)
        }
    }

    @Test(arguments: [
        ("[share.pond]\nurl = http://x", "; text stands in quotation marks"),
        (
            "[share.pond]\nkind = 'file'\n[share.pond]\nkind = 'file'",
            "; a table can stand there once: choose another name"
        ),
        ("timeout 30", "; a setting looks like `timeout = 30`"),
    ])
    func `the error of a text that is not TOML says what to change`(text: String, hint: String) throws {
        try withMachine { machine in
            try machine.write(text, to: machine.userConfig)
            let problems = check(machine).problems.map(\.description)
            #expect(problems.count == 1 && problems[0].hasSuffix(hint), "\(problems)")
        }
    }

    @Test func `the problems of all files and flags are reported`() throws {
        try withMachine(["ISTEP_CONFIG": "ROOT/none"]) { machine in
            try machine.write("user = ", to: machine.systemConfig)
            try machine.write("zzz = 1\n[share.pond]\nkind = 3\n[share.'/']\n[timeout]", to: machine.userConfig)
            let check = check(machine, SettingFlags(adapter: "wlan0", timeout: 0))
            #expect(check.files == [machine.userConfig])
            #expect(check.settings == nil)
            #expect(check.destinations.map(\.name) == ["pond"])
            #expect(
                check.problems.map { $0.description.replacing(machine.root, with: "") } == [
                    "\"/etc/istep/config.toml\", line 1, column 8: not TOML: Error while parsing key-value pair: encountered end-of-file; "
                        + "a setting looks like `timeout = 30`",
                    "\"/home/ada/.config/istep/config.toml\", line 1: unknown key \"zzz\"; known keys: "
                        + "`user`, `adapter`, `database`, `timeout`, `notifications`, `backups`, `frames`, `week-start`, `units`, `restart-adapter`, `recover`, `share`, `import`",
                    "\"/home/ada/.config/istep/config.toml\", line 4: \"/\" cannot be a name in [share.NAME]; "
                        + "it has to be 1 to 32 characters of a-z, A-Z, 0-9, - and _",
                    "\"/home/ada/.config/istep/config.toml\", line 5: `timeout` has to be a number of seconds from 1 to 600, not a table",
                    "the configuration file \"/none\" named by the environment variable ISTEP_CONFIG does not exist",
                    "--adapter: `adapter` is \"wlan0\"; it has to be the name of an adapter, such as \"hci0\"",
                    "--timeout: `timeout` is \"0\"; it has to be a number of seconds from 1 to 600",
                ])
            #expect(machine.error() == check.problems.first, "loading reports the first")
        }
    }

    @Test func `the problems of a file that is named twice are reported once`() throws {
        try withMachine { machine in
            try machine.write("zzz = 1", to: machine.userConfig)
            #expect(check(machine, SettingFlags(config: machine.userConfig)).problems.count == 1)
        }
    }

    @Test func `loading settings does not check the keys inside a destination table`() throws {
        try withMachine { machine in
            try machine.write("[share.garden]\nno = 'sense'\nat.all = [{}]", to: machine.userConfig)
            #expect(try machine.load().destinations.map(\.name) == ["garden"])
        }
    }

    @Test func `a missing home directory is reported last`() throws {
        try withMachine(["HOME": ""]) { machine in
            try machine.write("zzz = 1", to: machine.systemConfig)
            #expect(check(machine).problems.map(\.category) == [.configuration, .configuration])
            #expect(check(machine).problems.last == .noHome)
        }
    }
}
