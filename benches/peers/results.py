"""The raw results: one JSON file, written after every measurement."""

import json


class Results(dict):
    """A dictionary of tables that knows its file."""

    def __init__(self, path, fresh):
        super().__init__(json.loads(path.read_text()) if path.exists() and not fresh else {})
        self.path = path

    def table(self, *names):
        """The table of that name, made if it is not there."""
        place = self
        for name in names:
            place = place.setdefault(name, {})
        return place

    def save(self):
        self.path.write_text(json.dumps(self, indent=1, sort_keys=True) + "\n")
