"""The forms of a page as a browser fills them in: what the page holds is sent back, so that the same steps work with the pages of two versions."""
import html.parser
import secrets
import urllib.parse


class Form:
    """One form. What the caller does not set keeps what the page chose."""

    def __init__(self, attributes):
        self.action, self.type = attributes.get("action", ""), attributes.get("enctype", "")
        # Each field with its type, its value and whether it is sent.
        self.fields = []

    def add(self, kind, attributes):
        if attributes.get("name") and kind not in ("submit", "button"):
            is_tick = kind in ("checkbox", "radio")
            value = attributes.get("value", "on" if is_tick else "")
            is_first = not any(field["name"] == attributes["name"] for field in self.fields)
            # What has to be ticked or chosen is; of several ways the first.
            is_sent = not is_tick or "checked" in attributes or ("required" in attributes and is_first)
            self.fields.append({"name": attributes["name"], "kind": kind, "value": value, "is_sent": is_sent})

    def names(self):
        return [field["name"] for field in self.fields]

    def sent(self, values):
        """The fields as they are sent, with `values` typed or chosen. A field that the page does not have is a fault of the test."""
        missing = [name for name in values if name not in self.names()]
        if missing:
            raise LookupError(f"the form {self.action} has no field {', '.join(missing)}; it has {', '.join(self.names())}")
        return [(field["name"], values.get(field["name"], field["value"])) for field in self.fields if field["is_sent"]]

    def body(self, values):
        """The content type and the bytes."""
        sent = self.sent(values)
        if not self.type.startswith("multipart/"):
            return "application/x-www-form-urlencoded", urllib.parse.urlencode(sent).encode()
        mark, parts = secrets.token_hex(16), []
        kinds = {field["name"]: field["kind"] for field in self.fields}
        for name, value in sent:
            file = f'; filename="{name}"\r\nContent-Type: application/octet-stream' if kinds[name] == "file" else ""
            parts.append(f'--{mark}\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n{value}\r\n')
        return f"multipart/form-data; boundary={mark}", ("".join(parts) + f"--{mark}--\r\n").encode()


class Page(html.parser.HTMLParser):
    """A page: its forms, what it says is wrong, and its text."""
    EMPTY = {"input", "br", "img", "meta", "link", "hr"}

    def __init__(self, path, source):
        super().__init__()
        self.path, self.forms, self.wrong, self.words, self.ids = path, [], [], [], set()
        self.open, self.form, self.choice, self.is_first = [], None, None, False
        self.feed(source)

    def handle_starttag(self, tag, pairs):
        attributes = {name: value or "" for name, value in pairs}
        if tag not in self.EMPTY:
            self.open.append((tag, attributes))
        self.ids.add(attributes.get("id"))
        if tag == "form":
            self.form = Form(attributes)
            self.forms.append(self.form)
        elif self.form and tag == "input":
            self.form.add(attributes.get("type", "text"), attributes)
        elif self.form and tag in ("select", "textarea"):
            self.form.add(tag, attributes)
            self.choice = self.form.fields[-1] if tag == "select" else None
            self.is_first = True
        elif self.choice and tag == "option" and ("selected" in attributes or self.is_first):
            # Without a chosen one a browser sends the first.
            self.choice["value"], self.is_first = attributes.get("value", ""), False

    def handle_endtag(self, tag):
        while self.open and self.open.pop()[0] != tag:
            pass
        if tag == "form":
            self.form = None
        elif tag == "select":
            self.choice = None

    def handle_data(self, text):
        if not text.strip() or any(tag in ("script", "style") for tag, _ in self.open):
            return
        if self.form and self.open and self.open[-1][0] == "textarea":
            self.form.fields[-1]["value"] += text
        self.words.append(text.strip())
        if any(mark in attributes.get("class", "").split() for _, attributes in self.open for mark in ("error", "summary-box")):
            self.wrong.append(text.strip())

    def text(self):
        return " ".join(self.words)

    def form_to(self, end):
        """The form whose action ends so."""
        found = [form for form in self.forms if form.action.split("?")[0].endswith(end)]
        if not found:
            raise LookupError(f"{self.path} has no form to {end}; it has {', '.join(form.action for form in self.forms)}. {self.text()[:600]}")
        return found[0]
