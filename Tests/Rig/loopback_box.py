"""An enrolled agent and its hub, both on loopback unless told otherwise, for tests with real daemons.

TRACKME_HUB is the hub's binary, .build/debug/trackme-hub unless set."""
import json, os, shlex, shutil, socket, subprocess, tempfile, time

HUB = os.path.abspath(os.environ.get("TRACKME_HUB", ".build/debug/trackme-hub"))


class Box:
    """An enrolled agent under `run`, and its hub. `agent_in` and `hub_in` are words before the programs that set a place for them."""

    def __init__(self, agent, *options, agent_in=(), hub_in=(), hub_port=0, hub_environment={}):
        self.program, self.folder = agent, tempfile.mkdtemp()
        self.environment = {**os.environ, **hub_environment}
        self.hub = subprocess.Popen([*hub_in, HUB, "serve", "--directory", self.folder + "/hub", "--port", str(hub_port)],
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self.environment)
        try:
            self.begin(agent, options, agent_in)
        except BaseException:
            self.hub.kill()
            raise

    def begin(self, agent, options, agent_in):
        self.wait(20, lambda: os.path.exists(self.folder + "/hub/address"))
        person = self.output(HUB, "person", "add", "--name", "Ada", "--directory", self.folder + "/hub").split()[0]
        code = self.output(HUB, "enrolment-code", "--person", person, "--directory", self.folder + "/hub").splitlines()[0]
        self.environment = {**os.environ, "RUNTIME_DIRECTORY": self.folder, "TRACKME_PAGE_PORT": "0", "TRACKME_VOICE_ENABLED": "false"}
        self.output(*agent_in, agent, "enrol", *shlex.split(code)[2:], "--state", self.folder + "/state")
        self.log = open(self.folder + "/agent.log", "w")
        self.agent = subprocess.Popen([*agent_in, agent, "run", "--state", self.folder + "/state", *options],
                                      env=self.environment, stdout=self.log, stderr=self.log)

    def output(self, *words):
        return subprocess.run(words, check=True, capture_output=True, text=True, env=self.environment).stdout

    def wait(self, limit, condition):
        """Seconds until the condition held; None when it did not."""
        begin = time.monotonic()
        while time.monotonic() - begin < limit:
            if condition():
                return time.monotonic() - begin
            time.sleep(0.1)
        return None

    def status(self):
        try:
            with socket.socket(socket.AF_UNIX) as line:
                line.settimeout(10)
                line.connect(self.folder + "/control.sock")
                line.sendall(b'{"action":"status"}\n')
                return json.loads(line.makefile().readline())["status"]
        except (OSError, ValueError):
            return {}

    def is_current(self):
        return self.status().get("position", {}).get("isCurrent")

    def link(self):
        return next((link["condition"] for link in self.status()["persons"][0]["links"] if link["name"] == "position"), None)

    def end(self):
        for process in (self.agent, self.hub):
            process.terminate()
            process.wait(30)
        self.log.close()
        with open(self.folder + "/agent.log") as file:
            words = file.read()
        shutil.rmtree(self.folder, ignore_errors=True)
        return words
