#!/usr/bin/python3
"""Fills tables of a hub of 0.3.0 that none of its tests leaves filled: fill.py HUB-PROGRAM DIRECTORY, the directory new. Everybody is made up."""
import email.policy, http.cookiejar, os, pathlib, re, signal, ssl, subprocess, sys, time, urllib.parse, urllib.request

program, home = sys.argv[1], pathlib.Path(sys.argv[2])
port, password = 18997, "the cat sleeps on the warm oven"
url = f"https://localhost:{port}"
PERSON = {
    "firstName": "Ada", "lastName": "Example", "gender": "female", "dateOfBirth": "1985-12-10", "cityOfBirth": "Bergamo",
    "residence": "Via Roma 1, Bergamo", "phone": "+39 02 1234567", "taxCountry": "US", "taxIdentifier": "536-22-1847",
    "email": "ada@example.org", "terms": "2026-11", "privacy": "2026-11"}
ROSA = {
    **PERSON, "firstName": "Rosa", "lastName": "Bianchi", "dateOfBirth": "1941-05-02", "taxCountry": "IT",
    "taxIdentifier": "BNCLRA80A41H501D", "email": ""}

mails = home.parent / (home.name + "-mails")
mails.mkdir()
sendmail = mails / "sendmail"
sendmail.write_text(f"#!/bin/sh\nf=$(mktemp '{mails}/XXXXXX') && cat >\"$f\" && mv \"$f\" \"$f.eml\"\n")
sendmail.chmod(0o755)
settings = {"HUB_DIRECTORY": str(home), "HUB_URL": url, "HUB_LISTEN_PORT": str(port), "HUB_MAIL_SENDMAIL": str(sendmail)}
hub = subprocess.Popen([program, "serve"], env={**os.environ, **settings})


def until(what, find):
    for _ in range(600):
        if found := find():
            return found
        time.sleep(0.1)
    sys.exit(f"in vain: {what}")


def mailed():
    for file in mails.glob("*.eml"):
        body = email.message_from_bytes(file.read_bytes(), policy=email.policy.default).get_content()
        if link := re.search(r"/confirm/\S+", body):
            return link.group()


until("the hub listens", (home / "address").exists)
opener = urllib.request.build_opener(
    urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=home / "ca.pem")),
    urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))


def post(path, fields):
    return opener.open(url + path, urllib.parse.urlencode(fields).encode()).read().decode()


try:
    post("/sign-up/person", {**PERSON, "password": password})
    post(until("the mail", mailed), {"password": password})
    post("/log-in", {"email": "ada@example.org", "password": password})
    post("/runs/feed", {})
    assert "/hand-over/" in post("/care/open", ROSA)
finally:
    hub.send_signal(signal.SIGTERM)
    hub.wait(60)
