"""The real data sets, and how each is judged. The files are not part of the project; SUREFOOT_DATA says where they are."""

from dataclasses import dataclass


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


SETS = [
    Set("20news", "20news18828.tsv.zst", "20 Newsgroups", 20, text=True, shuffles=3),
    Set("domains", "amazon_domain7_dev.tsv.zst", "Amazon, 7 domains", 7, text=True),
    Set("books", "amazon_sent_books.tsv.zst", "Amazon books", 2, text=True),
    Set("dvd", "amazon_sent_dvd.tsv.zst", "Amazon dvd", 2, text=True),
    Set("kitchen", "amazon_sent_kitchen.tsv.zst", "Amazon kitchen", 2, text=True),
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

# The five text sets on which the test error after one pass is compared.
TEXT_SETS = ["20news", "books", "dvd", "kitchen", "imdb"]

# The streams that are timed, and whom they are measured by.
STREAMS = {
    "sparse": "Sparse stream: two classes, a million ids",
    "classes": "20 classes, 200,000 features",
    "dense": "1000 dense, correlated features",
    "20news": "20 Newsgroups, raw text",
    "imdb": "IMDB, raw text",
}
YARDSTICK = "vw logistic"
