#!/usr/bin/env python3
"""Tries the guests' pages behind Debian's nginx, with the commands and the configuration that the manual shows.

    guests_behind_nginx.py [ISTEP]      default: the debug build

Only the addresses, the files of the certificate and the port of nginx are replaced, so that nothing of the machine is
used. Without nginx or openssl it is skipped.
"""

import base64, http.client, os, re, shutil, signal, socket, ssl, subprocess, sys, tempfile, threading

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "../.."))
HOST = "steps.home.example"
NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin:/sbin:/bin")


def code(language):
    """The blocks of a language in the chapter of the manual."""
    with open(ROOT + "/.github/manual/pages.md", encoding="utf-8") as file:
        chapter = file.read().split("### For others in the house", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"```" + language + r"\n(.*?)```", chapter, re.S)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Client:
    """A browser: it resolves the host to nginx, and trusts its certificate only."""

    def __init__(self, port, certificate, password):
        self.port, self.password = port, password
        self.context = ssl.create_default_context(cafile=certificate)

    def ask(self, target, method="GET", password=None, host=None):
        stream = self.context.wrap_socket(socket.create_connection(("127.0.0.1", self.port), 30), server_hostname=HOST)
        connection = http.client.HTTPConnection(HOST, self.port, timeout=30)
        connection.sock = stream
        credentials = base64.b64encode(f"istep:{self.password if password is None else password}".encode()).decode()
        headers = {"Host": host or f"{HOST}:{self.port}"}
        if password != "":
            headers["Authorization"] = "Basic " + credentials
        connection.request(method, target, body=b"a=b" if method == "POST" else None, headers=headers)
        answer = connection.getresponse()
        result = (answer.status, answer.headers, answer.read().decode())
        connection.close()
        return result


def main():
    istep = os.path.realpath(sys.argv[1] if len(sys.argv) > 1 else ROOT + "/.build/debug/istep")
    if not NGINX or not shutil.which("openssl"):
        print("skipped: it needs nginx and openssl")
        return 0
    failures = []

    def expect(is_right, words):
        if not is_right:
            failures.append(words)
            print("failed: " + words, file=sys.stderr)

    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(folder + "/bin")
        os.symlink(istep, folder + "/bin/istep")
        environment = {
            "HOME": folder, "USER": "anna", "LANG": "C.UTF-8", "TZ": "UTC0", "TMPDIR": folder,
            "PATH": folder + "/bin:/usr/bin:/bin", "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={folder}/no-bus",
        }
        subprocess.run(["istep", "correct", "today", "--steps", "4321"], env=environment, check=True,
                       executable=istep, stdout=subprocess.DEVNULL)
        # nginx, with the manual's server in it.
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=" + HOST, "-addext",
             "subjectAltName=DNS:" + HOST, "-keyout", folder + "/steps.key", "-out", folder + "/steps.pem"],
            check=True, stderr=subprocess.DEVNULL)
        port, guests = free_port(), free_port()
        [server] = code("nginx")
        for old, new in [("listen 443 ", f"listen 127.0.0.1:{port} "), ("/etc/ssl/", folder + "/"), (":7839", f":{guests}")]:
            if old not in server:
                raise SystemExit(f"the manual's server has no '{old}'")
            server = server.replace(old, new)
        paths = "".join(f"{name}_temp_path {folder}/{name};\n" for name in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
        with open(folder + "/nginx.conf", "w", encoding="utf-8") as file:
            file.write(f"daemon off;\nmaster_process off;\npid {folder}/pid;\nerror_log stderr notice;\nevents {{}}\n"
                       f"http {{\naccess_log off;\n{paths}{server}}}\n")
        # istep, by the manual's commands.
        commands = code("sh")[0].replace(HOST, f"{HOST}:{port}").replace("istep serve", f"exec istep serve --port {guests}")
        processes = []
        try:
            processes.append(subprocess.Popen(["/bin/sh", "-ec", commands], env=environment, stdout=subprocess.PIPE, text=True))
            processes.append(subprocess.Popen(
                [NGINX, "-p", folder, "-e", "stderr", "-c", folder + "/nginx.conf"], stderr=subprocess.PIPE, text=True))
            alarm = threading.Timer(60, lambda: [process.kill() for process in processes])
            alarm.start()
            for process, stream, words in [(processes[0], processes[0].stdout, "Ctrl-C"), (processes[1], processes[1].stderr, "epoll")]:
                if not any(words in line for line in iter(stream.readline, "")):
                    raise SystemExit(f"{process.args[0]} did not start")
            with open(folder + "/.config/istep/guests", encoding="utf-8") as file:
                client = Client(port, folder + "/steps.pem", file.read().strip())
            for target in ["/", "/day", "/week", "/year", "/istep.css", "/icon.svg", "/day.csv", "/day.svg"]:
                status, headers, text = client.ask(target)
                expect(status == 200 and "Content-Security-Policy" in headers, f"{target}: {status}")
                expect("4,321" in text or "4321" in text or target.startswith("/i"), f"{target} has no steps")
            status, headers, _ = client.ask("/", password="")
            expect(status == 401 and headers["WWW-Authenticate"].startswith("Basic "), f"without a password: {status}")
            for words, expected, answer in [
                ("a wrong password", 401, client.ask("/", password="wrong")),
                ("a form", 405, client.ask("/correction", "POST")), ("plan", 404, client.ask("/plan")),
                ("another host", 421, client.ask("/", host="other.example")), ("HEAD", 200, client.ask("/day", "HEAD")),
            ]:
                expect(answer[0] == expected, f"{words}: {answer[0]} in place of {expected}")
            alarm.cancel()
        finally:
            for process in processes:
                process.send_signal(signal.SIGTERM)
                process.wait()
    print(f"guests behind nginx: {len(failures)} failures" if failures else "guests behind nginx: as the manual says")
    return 1 if failures else 0


sys.exit(main())
