"""More space bought in a real browser, at phone size and in both languages, from a server that speaks PayPal's Orders v2 as far as the hub asks it."""
# proves PAY-1: a person sees the price, pays on the other side, and has what was bought; who comes back without paying is told, and pays later
import json
import os
import tempfile
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from hub_pages import run
from live_page import check
from member import Member


class PayPal(BaseHTTPRequestHandler):
    """Tokens, orders, and the page on which somebody pays, or does not."""
    orders = {}

    def log_message(self, *_):
        """Nothing."""

    def answer(self, value, kind="application/json", status=200, **headers):
        body = (value if isinstance(value, str) else json.dumps(value)).encode()
        self.send_response(status)
        for name, text in {"Content-Type": kind, "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(body)

    def order(self, name):
        order = self.orders[name]
        unit = {"custom_id": order["unit"]["custom_id"], "amount": order["unit"]["amount"]}
        if order["status"] == "COMPLETED":
            unit["payments"] = {"captures": [{"id": "CAP" + name, "status": "COMPLETED", "amount": order["unit"]["amount"]}]}
        page = f"http://127.0.0.1:{self.server.server_port}/pay?order={name}"
        return {"id": name, "status": order["status"], "links": [{"rel": "payer-action", "href": page}], "purchase_units": [unit]}

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path == "/v1/oauth2/token":
            self.answer({"access_token": "made-up", "expires_in": 3600})
        elif self.path == "/v2/checkout/orders":
            asked = json.loads(body)
            name = f"ORDER{len(self.orders) + 1}"
            self.orders[name] = {
                "status": "CREATED", "unit": asked["purchase_units"][0],
                "back": asked["payment_source"]["paypal"]["experience_context"]["return_url"]}
            self.answer(self.order(name), status=201)
        else:
            name = self.path.split("/")[-2]
            if self.orders[name]["status"] != "APPROVED":
                return self.answer({"name": "UNPROCESSABLE_ENTITY", "details": [{"issue": "ORDER_NOT_APPROVED"}]}, status=422)
            self.orders[name]["status"] = "COMPLETED"
            self.answer(self.order(name), status=201)

    def do_GET(self):
        parts = urllib.parse.urlsplit(self.path)
        if parts.path == "/pay":
            name = urllib.parse.parse_qs(parts.query)["order"][0]
            return self.answer(f"<p><a id=yes href='/yes?order={name}'>pay</a> <a id=no href='/no?order={name}'>back</a>", "text/html")
        if parts.path in ("/yes", "/no"):
            order = self.orders[urllib.parse.parse_qs(parts.query)["order"][0]]
            if parts.path == "/yes":
                order["status"] = "APPROVED"
            return self.answer("", status=302, Location=order["back"])
        name = parts.path.split("/")[-1]
        return self.answer(self.order(name)) if name in self.orders else self.answer({}, status=404)


def walk(home, hub, lang):
    with Member(home, hub, lang, "person") as person:
        person.person()
        person.go("/data")
        check(f"{lang}: the page of one's data leads to payments", person.all("main a[href='/payments']"))
        person.go("/payments")
        check(f"{lang}: the price is there", "19,90 EUR" in person.main() if lang == "it" else "19.90 EUR" in person.main(), person.main())
        person.shot("payments")
        person.press("form[action='/payments/buy'] button")
        person.page.wait(f"{lang}: " + "PayPal is named, and its page", lambda: person.all("main a.primary[rel='noreferrer']"))
        check(f"{lang}: nobody has paid yet", person.text("payments.order_waiting") in person.main(), person.main())
        person.shot("payment-waiting")
        for choice, state in (("no", "order_waiting"), ("yes", "order_paid")):
            person.driver.get(person.find("main a.primary[rel='noreferrer']").get_attribute("href"))
            person.find(f"#{choice}").click()
            # PayPal's webhook, which would say it, is not sent here.
            person.press("form[action$='/look'] button")
            person.page.wait(f"{lang}: " + f"back with {state}", lambda state=state: person.text(f"payments.{state}") in person.main())
        person.shot("payment-paid")
        person.go("/payments")
        check(f"{lang}: what was bought is there with its end", person.text("payments.feature_space") in person.find("#mine + ul").text)
        person.shot("payments-bought")
        person.shot_on_desk("payments-bought")
        person.is_quiet("person", "favicon.ico")


if __name__ == "__main__":
    server = ThreadingHTTPServer(("127.0.0.1", 0), PayPal)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        secret = Path(folder) / "secret"
        secret.write_text("made-up\n")
        os.environ.update({
            "HUB_PAYMENTS_ENABLED": "true", "HUB_PAYMENTS_OFFERS": "space-year=space 365 19.90 EUR", "HUB_PAYMENTS_CLIENT": "made-up",
            "HUB_PAYMENTS_WEBHOOK": "WH-MADE-UP", "HUB_PAYMENTS_API": f"http://127.0.0.1:{server.server_port}",
            "HUB_PAYMENTS_SECRET_FILE": str(secret)})
        run("payments", walk)
