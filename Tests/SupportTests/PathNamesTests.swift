import Support
import Testing

@Suite(.timeLimit(.minutes(5))) struct PathNamesTests {
    @Test(arguments: [
        ("/a/b", "/a", "b"), ("/a/b/", "/a", "b"), ("/a", "/", "a"), ("/", "/", "/"), ("", "", ""), ("x", "", "x"),
        ("é", "", "é"),
        ("a/b", "a", "b"), ("a//b", "a", "b"), ("//a", "/", "a"), ("../x", "..", "x"),
        ("/tmp/x.sqlite", "/tmp", "x.sqlite"),
    ])
    func `a path has a directory and a name`(path: String, directory: String, name: String) {
        #expect(directoryName(path) == directory)
        #expect(baseName(path) == name)
    }
}
