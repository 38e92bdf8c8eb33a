import Testing

@testable import StepViews

@Suite(.timeLimit(.minutes(5))) struct ExampleViewTests {
    private func lines(_ file: String) -> [String] {
        ExampleView(kind: "rest", example: "[share.x]\ntoken_file = \"~/.config/istep/x.token\"", file: file).lines(
            TextStyle())
    }

    @Test func `an example names the configuration file, and secrets beside it`() {
        let folder = "/run/demo/istep"
        #expect(
            lines(folder + "/config.toml") == [
                "# in \(folder)/config.toml", "[share.x]", "token_file = \"\(folder)/x.token\"",
            ])
        #expect(lines("~/demo/istep/config.toml")[2] == "token_file = \"~/demo/istep/x.token\"")
        #expect(lines(ExampleView.standardFile)[2] == "token_file = \"~/.config/istep/x.token\"")
    }

    @Test func `another home is named in place of the user's own`() {
        let view = ExampleView(
            kind: "file", example: "path = \"~/steps.csv\"", file: "/run/demo/istep/config.toml", home: "/run/demo")
        #expect(view.lines(TextStyle()).last == "path = \"/run/demo/steps.csv\"")
    }

    @Test func `a path that would not be valid in the configuration is not put into it`() {
        for file in ["config.toml", "here/config.toml", "/a\"b/config.toml", "/a\\b/config.toml", "/a\nb/config.toml"] {
            #expect(lines(file).count == 3 && lines(file)[2] == "token_file = \"~/.config/istep/x.token\"", "\(file)")
        }
    }
}
