import Settings
import Testing

@Suite(.timeLimit(.minutes(5))) struct PathsTests {
    private func paths(_ environment: [String: String]) -> Paths {
        Paths(environment: environment, passwordHome: { "/home/by-uid" })
    }

    @Test func `the XDG variables set the paths of files`() {
        let paths = paths([
            "HOME": "/home/ada", "XDG_CONFIG_HOME": "/c", "XDG_DATA_HOME": "/d/", "XDG_RUNTIME_DIR": "/run/user/1000",
        ])
        #expect(paths.userConfig == "/c/istep/config.toml")
        #expect(paths.database == "/d/istep/history.sqlite")
        #expect(paths.runtime == "/run/user/1000/istep")
        #expect(paths.systemConfig == "/etc/istep/config.toml")
    }

    @Test(arguments: [
        [:], ["XDG_CONFIG_HOME": "", "XDG_DATA_HOME": "", "XDG_RUNTIME_DIR": ""],
        ["XDG_CONFIG_HOME": "c", "XDG_DATA_HOME": "./d", "XDG_RUNTIME_DIR": "run"],
    ])
    func `an empty or relative path in a variable is ignored`(environment: [String: String]) {
        let paths = paths(environment.merging(["HOME": "/home/ada"]) { $1 })
        #expect(paths.userConfig == "/home/ada/.config/istep/config.toml")
        #expect(paths.database == "/home/ada/.local/share/istep/history.sqlite")
        #expect(paths.runtime == nil)
    }

    @Test(arguments: [[:], ["HOME": ""], ["HOME": "ada"]])
    func `the user database supplies the home directory without a valid HOME`(environment: [String: String]) {
        #expect(paths(environment).database == "/home/by-uid/.local/share/istep/history.sqlite")
    }

    @Test func `only paths set by variables are known without a home directory`() {
        let paths = Paths(environment: ["XDG_DATA_HOME": "/d"], passwordHome: { nil })
        #expect(paths.database == "/d/istep/history.sqlite")
        #expect(paths.userConfig == nil)
        #expect(paths.home == nil)
    }

    @Test(
        arguments: [
            ([:], []), (["ISTEP_DB": "/h", "ISTEP_CONFIG": ""], ["ISTEP_DB"]),
            (["XDG_DATA_HOME": "/d"], ["XDG_DATA_HOME"]),
            (["XDG_DATA_HOME": "relative", "XDG_STATE_HOME": "/s"], []),
            (["XDG_DATA_HOME": "ROOT/home/ada/.local/share"], []),
            // The history is where ISTEP_DB says.
            (["XDG_DATA_HOME": "/d", "ISTEP_DB": "/h"], ["ISTEP_DB"]), (["XDG_CONFIG_HOME": "/c"], []),
            (["XDG_CONFIG_HOME": "ROOT/config"], ["XDG_CONFIG_HOME"]),
        ] as [([String: String], [String])])
    func `the variables are known without which other files are used`(
        environment: [String: String], variables: [String]
    ) throws {
        try withMachine(environment) { machine in
            try machine.write("timeout = 2", to: machine.root + "/config/istep/config.toml")
            #expect(try machine.load().variablesOfPlaces(in: machine.environment, passwordHome: { nil }) == variables)
        }
    }

    @Test func `a history that the configuration names does not depend on XDG_DATA_HOME`() throws {
        try withMachine(["XDG_DATA_HOME": "/d"]) { machine in
            try machine.write("database = \"/h\"", to: machine.userConfig)
            #expect(try machine.load().variablesOfPlaces(in: machine.environment, passwordHome: { nil }) == [])
        }
    }
}
