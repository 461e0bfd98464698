"""What it costs to read a hub's figures while boxes send as fast as they can: `packaging/bench/run metrics`."""
import http.client
import os
import threading
import time

from processes import Failed, Hub

PEOPLE, PAUSE, SCRAPES_MIN = 2000, 0.1, 30


def scrape(port, token):
    """Seconds and bytes of one reading, as a monitoring system does it: on a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    began = time.monotonic()
    try:
        connection.request("GET", "/metrics", headers={"Authorization": f"Bearer {token}"})
        answer = connection.getresponse()
        body = answer.read()
        if answer.status != 200 or b"trackme_ready " not in body:
            raise Failed(f"/metrics answered {answer.status}")
        return time.monotonic() - began, len(body)
    finally:
        connection.close()


def metrics(programs, folder):
    with Hub(programs, os.path.join(folder, "metrics"), PEOPLE, plain=True) as hub:
        with open(os.path.join(hub.directory, "metrics-token")) as file:
            token = file.read().strip()
        failed = []

        def load():
            try:
                hub.load()
            except Failed as problem:
                failed.append(problem)
        loading, times, size = threading.Thread(target=load), [], 0
        loading.start()
        while loading.is_alive():
            seconds, size = scrape(hub.port, token)
            times.append(seconds)
            time.sleep(PAUSE)
        loading.join()
    if failed:
        raise failed[0]
    if len(times) < SCRAPES_MIN:
        raise Failed(f"the load was over after {len(times)} readings: too few to judge")
    times.sort()
    return {
        "metrics_scrape_p50_ms": times[len(times) // 2] * 1000, "metrics_scrape_p99_ms": times[int(len(times) * 0.99)] * 1000,
        "metrics_scrape_max_ms": times[-1] * 1000, "metrics_scrapes": len(times), "metrics_bytes": size}
