#!/usr/bin/python3
"""Tests of .ci/phases: its exit status, its limits, and that nothing is left behind, whatever is killed."""
import os
import re
import select
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

PHASES = Path(__file__).resolve().parents[2] / ".ci/phases"
LIMIT = 60      # seconds for what must happen
ENDLESS = "sleep 86400"


class PhasesTests(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        self.temporary, self.runtime = self.directory / "temporary", self.directory / "runtime"
        self.temporary.mkdir()
        self.runtime.mkdir()

    def start(self, *arguments, table):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
        environment |= {"PHASES_GRACE": "1", "TMPDIR": str(self.temporary), "HOME": str(self.directory), "XDG_RUNTIME_DIR": str(self.runtime)}
        process = subprocess.Popen([PHASES, *arguments], cwd=self.directory, env=environment, text=True,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.addCleanup(process.wait)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        process.stdin.write("\n".join(table))
        process.stdin.close()
        return process

    def run_phases(self, *arguments, table):
        """The exit status and the output."""
        process = self.start(*arguments, table=table)
        output = process.stdout.read()
        return process.wait(LIMIT), output

    def assertEnded(self, identifier):
        """Waits until the process has ended."""
        try:
            descriptor = os.pidfd_open(identifier)
        except ProcessLookupError:
            return
        try:
            self.assertTrue(select.select([descriptor], [], [], LIMIT)[0], f"process {identifier} still runs")
        finally:
            os.close(descriptor)

    def identifiers(self, output):
        return [int(each) for each in re.findall(r"^process (\d+)", output, re.MULTILINE)]

    # -------------------------------------------------------- results
    def test_all_pass(self):
        status, output = self.run_phases("check", table=["first 10 echo one", "# a comment", "", "second 10 test ! -t 0 && echo two"])
        self.assertEqual(status, 0)
        self.assertRegex(output, r"(?m)^first +passed +\d+ s$")
        self.assertIn("check: 2 passed, 0 failed", output)
        self.assertEqual((self.directory / ".build/checks/check/second.log").read_text(), "two\n")

    def test_a_failure_is_the_last_phase(self):
        status, output = self.run_phases("check", table=["first 10 echo the reason; exit 3", "second 10 touch ran"])
        self.assertEqual(status, 1)
        self.assertRegex(output, r"(?s)first failed .*the reason.*exit status 3")
        self.assertRegex(output, r"(?m)^second +not run ")
        self.assertFalse((self.directory / "ran").exists())

    def test_keep_going(self):
        status, output = self.run_phases("--keep-going", "check", table=["first 10 false", "second 10 touch ran"])
        self.assertEqual(status, 1)
        self.assertTrue((self.directory / "ran").exists())
        self.assertIn("check: 1 passed, 1 failed", output)

    def test_named_phases_only(self):
        table = ["first 10 touch first", "second 10 touch second"]
        self.assertEqual(self.run_phases("check", "second", table=table)[0], 0)
        self.assertEqual(((self.directory / "first").exists(), (self.directory / "second").exists()), (False, True))

    def test_usage(self):
        self.assertEqual(self.run_phases(table=[])[0], 2)
        status, output = self.run_phases("check", "third", table=["first 10 true"])
        self.assertEqual(status, 2)
        self.assertIn("there is no third; there are: first", output)
        status, output = self.run_phases("check", "--help", table=["first 10 false"])
        self.assertEqual(status, 0)
        self.assertRegex(output, r"(?m)^first +false$")

    # -------------------------------------------------------- what the output of a phase says
    def test_failures_of_tests_are_repeated_at_the_end(self):
        status, output = self.run_phases("check", table=["""tests 10 printf '%s\\n' \\
            '◇ Test "days add up" started.' '◇ Test "a year" started.' \\
            '✘ Test "days add up" recorded an issue at DaysTests.swift:12:9: Expectation failed' '↳ the comment' \\
            '✘ Test "days add up" failed after 0.1 seconds.'; exit 1""".replace("\\\n            ", "")])
        self.assertEqual(status, 1)
        end = output[output.index("tests failed"):]
        self.assertRegex(end, r'did not end: "a year"')
        self.assertNotIn('did not end: "days', end)
        self.assertRegex(end, r"(?s)recorded an issue at DaysTests.*↳ the comment.*alone: swift test --filter 'days add up'")

    def test_failures_in_colored_output_are_repeated_at_the_end(self):
        status, output = self.run_phases("check", table=[r"""tests 10 printf '\033[91m✘\033[0m Test "x" %s\n' 'recorded an issue at A.swift:1:1: no'; exit 1"""])
        self.assertEqual(status, 1)
        end = output[output.index("tests failed"):]
        self.assertRegex(end, r"(?m)^    ✘ Test \"x\" recorded an issue.*\n    alone: swift test --filter 'x'")

    def test_a_test_that_lacks_a_program_fails(self):
        status, output = self.run_phases("check", table=["tests 10 echo '➜ Test \"x\" skipped: \"tidy is not installed\"'"])
        self.assertEqual(status, 1)
        self.assertIn("tidy is not installed", output[output.index("tests failed"):])

    # -------------------------------------------------------- what is left behind
    def test_time_limit(self):
        status, output = self.run_phases("check", table=[f"slow 5 echo process $$; {ENDLESS}; :"])
        self.assertEqual(status, 1)
        self.assertRegex(output, f"(?s)slow failed .*did not end within 5 s.*{ENDLESS}")
        self.assertEnded(self.identifiers(output)[0])

    def test_a_process_of_its_own_session_is_ended_and_reported(self):
        status, output = self.run_phases("check", table=[f"first 10 setsid {ENDLESS} & echo process $!"])
        self.assertEqual(status, 1)
        self.assertIn(f"left running: {ENDLESS}", output)
        self.assertEnded(self.identifiers(output)[0])

    def test_a_process_that_ignores_SIGTERM_is_killed(self):
        command = f"first 5 trap '' TERM; echo process $$; while :; do {ENDLESS}; done"
        self.assertEnded(self.identifiers(self.run_phases("check", table=[command])[1])[0])

    def test_temporary_files(self):
        status, output = self.run_phases("check", table=["first 10 touch $TMPDIR/istep-here $TMPDIR/others"])
        self.assertEqual(status, 1)
        self.assertIn("left behind: file istep-here", output)
        self.assertNotIn("file others", output)
        self.assertEqual(list(self.temporary.iterdir()), [])

    def test_files_of_the_user(self):
        config = self.directory / ".config"
        (config / "istep").mkdir(parents=True)
        status, output = self.run_phases("check", table=["first 10 touch ~/.config/istep/config.toml ~/.config/other $XDG_RUNTIME_DIR/other"])
        self.assertEqual(status, 0, output)
        status, output = self.run_phases("--keep-going", "check", table=[
            "first 10 mkdir -p ~/.local/share/istep && touch ~/.local/share/istep/history.sqlite",
            "second 10 touch $XDG_RUNTIME_DIR/istep-lock",
            "third 10 mkdir -p ~/.config/systemd/user/default.target.wants && touch ~/.config/systemd/user/default.target.wants/istep.service"])
        self.assertEqual(status, 1)
        for each in (".local/share/istep", "runtime/istep-lock", "default.target.wants/istep.service"):
            self.assertRegex(output, f"left behind: file .*/{each}")
        self.assertNotIn("config.toml", output)

    @unittest.skipUnless(os.getuid() == 0, "only root can mount")
    def test_mounts(self):
        place = self.directory / "place"
        place.mkdir()
        status, output = self.run_phases("check", table=[f"first 10 mount -t tmpfs tmpfs {place}"])
        if "permission denied" not in output:       # a container without the right to mount
            self.assertEqual(status, 1)
            self.assertIn(f"left behind: mount {place}", output)
        self.assertFalse(place.is_mount())

    # -------------------------------------------------------- being killed
    def running(self):
        """The process of .ci/phases, its child, and a process of the phase."""
        process = self.start("check", table=[f"first 600 setsid {ENDLESS} & echo process $!; wait"])
        for line in process.stdout:
            if found := self.identifiers(line):
                children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
                return process, int(children[0]), found[0]
        self.fail("the phase has ended")

    def test_killing_the_parent(self):
        process, child, started = self.running()
        process.kill()
        self.assertEnded(started)
        self.assertEnded(child)
        self.assertEqual(list(self.temporary.iterdir()), [])

    def test_killing_the_child(self):
        process, child, started = self.running()
        os.kill(child, signal.SIGKILL)
        self.assertEqual(process.wait(LIMIT), 1)
        self.assertEnded(started)
        self.assertEqual(list(self.temporary.iterdir()), [])

    def test_signals(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with self.subTest(number):
                process, child, started = self.running()
                process.send_signal(number)
                self.assertIn("check: ended by signal", process.stdout.read())
                self.assertEqual(process.wait(LIMIT), 1)
                self.assertEnded(started)
                self.assertEqual(list(self.temporary.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
