"""The real data sets, and how each is judged. The files are not part of the project; SUREFOOT_DATA says where they are."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Set:
    """A real data set."""

    name: str
    file: str
    title: str
    classes: int
    text: bool = False
    # How many random orders the progressive error is averaged over; 0 keeps the order of the file, which is time.
    shuffles: int = 10
    measure: str = "error"
    # A set this small is tested in the same random orders too: the last fifth of one order has too few rows to tell
    # contenders apart.
    small: bool = False


SETS = [
    Set("20news", "20news18828.tsv.zst", "20 Newsgroups", 20, text=True, shuffles=3),
    Set("domains", "amazon_domain7_dev.tsv.zst", "Amazon, 7 domains", 7, text=True),
    Set("books", "amazon_sent_books.tsv.zst", "Amazon books", 2, text=True, small=True),
    Set("dvd", "amazon_sent_dvd.tsv.zst", "Amazon dvd", 2, text=True, small=True),
    Set("kitchen", "amazon_sent_kitchen.tsv.zst", "Amazon kitchen", 2, text=True, small=True),
    Set("imdb", "imdb50k.tsv.zst", "IMDB", 2, text=True, shuffles=3),
    Set("titles", "stackoverflow_titles.tsv.zst", "Stack Overflow titles", 20, text=True),
    Set("enron", "enron1_spam.tsv.zst", "Enron spam, in time order", 2, text=True, shuffles=0),
    Set("sms", "sms_spam.tsv.zst", "SMS spam, in source order", 2, text=True, shuffles=0),
    Set("urls", "url_ebbu2017.tsv.zst", "URLs", 2, text=True, shuffles=3),
    Set("flights", "flights2013_late.svm.zst", "Flights, in time order (1 − AUC)", 2, shuffles=0, measure="auc"),
    Set("adult", "adult.svm.zst", "Adult", 2),
    Set("letter", "letter.svm.zst", "Letter", 26),
    Set("usps", "usps.svm.zst", "USPS", 10),
    Set("stock", "stock_dell_p5.svm.zst", "Stock, in time order", 2, shuffles=0),
]

LOGS = Set("logs", "loghub_events.tsv.zst", "Log lines, in file order", 321, text=True, shuffles=0)
# Sets of raw text that are judged on their last fifth, cheap ones first: `shuffles` random orders of each, or 0 for that of the file.
TEXT_ORDERS = [
    replace(item, shuffles=orders)
    for name, orders in {
        "sms": 0, "books": 10, "dvd": 10, "kitchen": 10, "enron": 0, "titles": 3, "logs": 0, "urls": 3, "domains": 3, "20news": 2,
        "imdb": 1,
    }.items()
    for item in [*SETS, LOGS]
    if item.name == name
]

# The five text sets on which the test error after one pass is compared.
TEXT_SETS = ["20news", "books", "dvd", "kitchen", "imdb"]

# The streams that are timed, and whom they are measured by.
STREAMS = {
    "sparse": "Sparse stream: two classes, a million ids",
    "counts": "Sparse stream with counts of words",
    "classes": "20 classes, 200,000 features",
    "dense": "1000 dense, correlated features",
    "20news": "20 Newsgroups, raw text",
    "imdb": "IMDB, raw text",
}
YARDSTICK = "vw logistic"

# In this order they stand in tables and plots; what is not a contender comes first.
PEERS = ["surefoot", "vw", "liblinear", "sklearn", "river", "fasttext", "baseline"]


def peer(contender):
    """Whose setting it is."""
    return contender.split(" ", 1)[0]


def in_order(contenders):
    """Floors, then everybody by peer, then the same on one core or from a cache, whatever order they were measured in."""

    def place(name):
        floor = peer(name) not in PEERS or "start-up" in name or "parse" in name
        return (not floor, ", one core" in name, "cache" in name, -1 if floor else PEERS.index(peer(name)), name)

    return sorted(contenders, key=place)
