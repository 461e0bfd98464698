"""Hubs, and Prometheus and Alertmanager that watch them, in folders of a test's own."""
import http.server
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/attack"))
import cast  # noqa: E402

MONITORING = ROOT / "packaging/monitoring"
SQLITE_WAIT = 5.0
# What is not to be waited for in minutes and hours: in all rules `for`, and in these what they compare with.
RULES = {
    "trackme_sos_unreached_seconds > 300": "trackme_sos_unreached_seconds > 3", "trackme_merge_waiting_seconds > 1800": "trackme_merge_waiting_seconds > 3",
    "trackme_mails_waiting_seconds > 900": "trackme_mails_waiting_seconds > 3", "trackme_webhooks_late_seconds > 60": "trackme_webhooks_late_seconds > 3",
    "[6h], 86400)": "[20s], 60)", "[5m]": "[20s]", "[10m]": "[20s]", "[1h]": "[600s]",
}


class Told(threading.Thread):
    """Whom the Alertmanager tells."""

    def __init__(self):
        super().__init__(daemon=True)
        # Alert, instance and state: what was told since it was forgotten; and the names of all alerts that ever fired.
        self.heard, self.ever, told = [], set(), self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                for alert in body["alerts"]:
                    name = alert["labels"]["alertname"]
                    told.heard.append((name, alert["labels"].get("instance", ""), alert["status"]))
                    if alert["status"] == "firing":
                        told.ever.add(name)
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]

    def run(self):
        self.server.serve_forever()

    def has(self, alert, port, state="firing"):
        return (alert, f"127.0.0.1:{port}", state) in self.heard

    def forget(self, alert, port):
        self.heard = [one for one in self.heard if one[:2] != (alert, f"127.0.0.1:{port}")]


class Watched(cast.Hub):
    """A hub that is ended and begun again at the same address."""

    def again(self):
        self.end()
        self.begin()

    def begin(self):
        (self.directory / "address").unlink(missing_ok=True)
        self.process = subprocess.Popen([cast.BIN / "trackme-hub", "serve"], env=self.environment, stdout=self.log, stderr=subprocess.STDOUT)
        cast.until("the hub listens again", lambda: (self.directory / "address").exists(), limit=300)


class Strange:
    """A hub whose clock is wrong, whose certificate ends soon, and whose control room is not there."""

    def __init__(self, home):
        home.mkdir()
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "5", "-subj", "/CN=localhost",
                        "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", home / "key", "-out", home / "cert"], check=True, capture_output=True)
        self.port, self.directory = cast.free_port(), home / "hub"
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("HUB_", "TRACKME_"))}
        environment |= {
            "HUB_DIRECTORY": str(self.directory), "HUB_LISTEN_PORT": str(self.port), "HUB_TLS_CERTIFICATE": str(home / "cert"), "HUB_TLS_KEY": str(home / "key"),
            "HUB_SOS_ROOMS": f"118=https://127.0.0.1:{cast.free_port()}/alarms", "HUB_SOS_SECRET": "a secret of sixteen", "HUB_LOG_FORMAT": "json"}
        self.log = (home / "log").open("w+")
        self.process = subprocess.Popen([cast.BIN / "trackme-hub", "serve", "--rehearsal-speed", "20"], env=environment, stdout=self.log, stderr=subprocess.STDOUT)
        cast.until("the second hub listens", lambda: (self.directory / "address").exists(), limit=300)

    def lines(self):
        self.log.flush()
        return Path(self.log.name).read_text().splitlines()


def rules(home):
    text = (MONITORING / "alerts.yml").read_text()
    for long, short in RULES.items():
        if long not in text:
            raise RuntimeError(f"no rule says {long} any more: correct RULES")
        text = text.replace(long, short)
    text = re.sub(r"for: \w+", "for: 2s", text)
    (home / "alerts.yml").write_text(text)
    return re.findall(r"- alert: (\w+)", text)


class Monitoring:
    """Prometheus and Alertmanager, on free ports of the loopback."""

    def __init__(self, home, hubs, told):
        self.port, self.manager = cast.free_port(), cast.free_port()
        targets = []
        for number, hub in enumerate(hubs):
            token = home / f"token{number}"
            token.write_text((hub.directory / "metrics-token").read_text().strip())
            targets.append(f"""
  - job_name: trackme{number}
    scheme: https
    authorization: {{credentials_file: {token}}}
    tls_config: {{insecure_skip_verify: true}}
    static_configs: [{{targets: ['127.0.0.1:{hub.port}']}}]
    relabel_configs: [{{target_label: job, replacement: trackme}}]""")
        (home / "prometheus.yml").write_text(f"""global: {{scrape_interval: 1s, evaluation_interval: 1s}}
rule_files: [{home}/alerts.yml]
alerting:
  alertmanagers: [{{static_configs: [{{targets: ['127.0.0.1:{self.manager}']}}]}}]
scrape_configs:{''.join(targets)}
""")
        (home / "alertmanager.yml").write_text(f"""route: {{receiver: told, group_by: [alertname, instance], group_wait: 0s, group_interval: 1s, repeat_interval: 1h}}
receivers: [{{name: told, webhook_configs: [{{url: 'http://127.0.0.1:{told.port}/', send_resolved: true}}]}}]
""")
        commands = [
            ["prometheus", f"--config.file={home}/prometheus.yml", f"--storage.tsdb.path={home}/series", f"--web.listen-address=127.0.0.1:{self.port}",
             "--log.level=warn"],
            ["prometheus-alertmanager", f"--config.file={home}/alertmanager.yml", f"--storage.path={home}/alerts",
             f"--web.listen-address=127.0.0.1:{self.manager}", "--cluster.listen-address=", "--log.level=warn"]]
        self.processes = []
        for command in commands:
            with (home / f"{command[0]}.log").open("w") as log:
                self.processes.append(subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT))
        cast.until("Prometheus answers", lambda: self.ask("up") is not None)

    def ask(self, query):
        """What a query gives; None where it is refused."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api/v1/query?" + urllib.parse.urlencode({"query": query}), timeout=10) as answer:
                return json.load(answer)["data"]["result"]
        except OSError:
            return None

    def firing(self, port):
        found = self.ask(f'ALERTS{{alertstate="firing",instance="127.0.0.1:{port}"}}') or []
        return {one["metric"]["alertname"] for one in found}

    def end(self):
        for process in self.processes:
            process.send_signal(signal.SIGTERM)
        for process in self.processes:
            process.wait(30)


class Held:
    """A database that another program holds."""

    def __init__(self, hub, name, *statements):
        self.connection = sqlite3.connect(hub.directory / f"{name}.sqlite", timeout=SQLITE_WAIT, isolation_level=None)
        self.connection.execute("BEGIN IMMEDIATE")
        if statements:
            for statement in statements:
                self.connection.execute(*statement)
            self.connection.execute("COMMIT")
            self.connection.execute("BEGIN IMMEDIATE")

    def release(self, *statements):
        for statement in statements:
            self.connection.execute(statement)
        self.connection.execute("COMMIT")
        self.connection.close()


def fetch(hub, path, token=None):
    """Status, kind and text of an answer, and the seconds that it took."""
    request = urllib.request.Request(f"https://127.0.0.1:{hub.port}{path}", headers={"Authorization": f"Bearer {token}"} if token else {})
    began = time.monotonic()
    try:
        with urllib.request.urlopen(request, context=cast.TLS, timeout=20) as answer:
            return answer.status, answer.headers["Content-Type"], answer.read().decode(), time.monotonic() - began
    except urllib.error.HTTPError as error:
        return error.code, error.headers["Content-Type"], error.read().decode(), time.monotonic() - began
