"""What stands in a page: its links, its forms, a field."""
import html.parser
import re


class Forms(html.parser.HTMLParser):
    """The links of a page, and its forms with what stands in their fields."""

    def __init__(self, page, path):
        super().__init__()
        self.path, self.links, self.forms, self.form, self.select = path, [], [], None, None
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        get = dict(attributes).get
        if tag == "a" and (get("href") or "").startswith("/"):
            self.links.append(get("href").split("#")[0])
        elif tag == "form":
            self.form = (get("method", "get").upper(), get("action") or self.path, [])
            self.forms.append(self.form)
        elif self.form and get("name"):
            if tag in ("input", "button", "textarea"):
                self.form[2].append((get("name"), get("value") or ""))
            elif tag == "select":
                self.select = get("name")
        elif tag == "option" and self.form and self.select:
            self.form[2].append((self.select, get("value") or ""))
            self.select = None

    def handle_endtag(self, tag):
        if tag == "form":
            self.form = None


def field(page, name):
    return re.search(rf'name="{name}"[^>]*value="([^"]*)"', page).group(1)
