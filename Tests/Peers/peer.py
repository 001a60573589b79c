"""The workloads of Tests/Peers/README.md with Python's sqlite3 or with APSW: peer.py sqlite3|apsw WORKLOAD PATH FOLDER."""
import sys
import threading
import time
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

# 1 January 2023, in milliseconds.
START = 1672531200000
EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
MILLISECOND = timedelta(milliseconds=1)

driver, workload, path, folder = sys.argv[1:5]
if driver == "apsw":
    import apsw
else:
    import sqlite3


def date(milliseconds):
    return EPOCH + timedelta(milliseconds=milliseconds)


def milliseconds(date):
    return (date - EPOCH) // MILLISECOND


@dataclass(slots=True)
class User:
    id: int
    created: datetime
    email: str
    active: bool

    def check(self):
        return self.id + milliseconds(self.created) + len(self.email) + self.active


@dataclass(slots=True)
class Text:
    id: int
    created: datetime
    parent: int
    text: str

    def check(self):
        return self.id + milliseconds(self.created) + self.parent + len(self.text)


@dataclass(slots=True)
class Joined:
    user: User
    article: Text | None
    comment: Text | None

    def check(self):
        sum = self.user.check()
        if self.article:
            sum += self.article.check()
        if self.comment:
            sum += self.comment.check()
        return sum


@dataclass(slots=True)
class Order:
    id: int
    customer_id: str
    employee_id: int
    order_date: str
    required_date: str
    shipped_date: str
    ship_via: int
    freight: float
    ship_name: str
    ship_address: str
    ship_city: str
    ship_region: str
    ship_postal_code: str
    ship_country: str

    def check(self):
        texts = (
            self.customer_id, self.order_date, self.required_date, self.shipped_date, self.ship_name, self.ship_address,
            self.ship_city, self.ship_region, self.ship_postal_code, self.ship_country)
        lengths = sum(len(text) for text in texts if text is not None)
        return self.id + self.employee_id + self.ship_via + int(self.freight * 4) + lengths


def connect():
    # Transactions are begun and committed by statements: the driver begins none.
    db = apsw.Connection(path) if driver == "apsw" else sqlite3.connect(path, isolation_level=None)
    for name, value in [("journal_mode", "DELETE"), ("synchronous", "FULL"), ("foreign_keys", 1), ("busy_timeout", 5000)]:
        db.cursor().execute(f"PRAGMA {name} = {value}").fetchall()
    return db


def script(db, name):
    with open(f"{folder}/{name}.sql") as file:
        statements = file.read()
    db.cursor().execute(statements) if driver == "apsw" else db.executescript(statements)


def user(row):
    return User(row[0], date(row[1]), row[2], bool(row[3]))


def text(row, column):
    return None if row[column] is None else Text(row[column], date(row[column + 1]), row[column + 2], row[column + 3])


def joined(row):
    return Joined(user(row), text(row, 4), text(row, 8))


INSERT_USER = "INSERT INTO users (id, created, email, active) VALUES (?, ?, ?, ?)"
INSERT_ARTICLE = "INSERT INTO articles (id, created, userId, text) VALUES (?, ?, ?, ?)"
INSERT_COMMENT = "INSERT INTO comments (id, created, articleId, text) VALUES (?, ?, ?, ?)"


def email(id):
    return f"user{id:08}@example.com"


def user_values(id, email):
    user = User(id, date(START + id * 1000), email, id % 2 == 1)
    return (user.id, milliseconds(user.created), user.email, user.active)


def text_values(id, parent, content):
    text = Text(id, date(START + id * 1000), parent, content)
    return (text.id, milliseconds(text.created), text.parent, text.text)


def insert_in_transaction(db, statement, values):
    cursor = db.cursor()
    cursor.execute("BEGIN")
    cursor.executemany(statement, values)
    cursor.execute("COMMIT")


def fill_users(db, count, bytes=0):
    insert_in_transaction(
        db, INSERT_USER, (user_values(id, "a" * bytes if bytes else email(id)) for id in range(1, count + 1)))


def fetch_users(db, times=1):
    sum_ = 0
    for _ in range(times):
        users = [user(row) for row in db.cursor().execute("SELECT id, created, email, active FROM users ORDER BY id")]
        sum_ += sum(user.check() for user in users)
    return sum_


def fill_real(db):
    cursor = db.cursor()
    article = 0
    for id in range(1, 101):
        cursor.execute("BEGIN")
        cursor.execute(INSERT_USER, user_values(id, email(id)))
        for _ in range(20):
            article += 1
            cursor.execute(INSERT_ARTICLE, text_values(article, id, "text of the article"))
            cursor.executemany(
                INSERT_COMMENT,
                (text_values((article - 1) * 20 + comment, article, "text of the comment") for comment in range(1, 21)))
        cursor.execute("COMMIT")


def fill_complex(db):
    fill_users(db, 200)
    insert_in_transaction(
        db, INSERT_ARTICLE, (text_values(id, (id - 1) // 100 + 1, "text of the article") for id in range(1, 20_001)))
    insert_in_transaction(
        db, INSERT_COMMENT, (text_values(id, (id - 1) // 20 + 1, "text of the comment") for id in range(1, 400_001)))


def fetch_joined(db, condition, parameters=()):
    statement = f"{joined_sql} {condition} ORDER BY users.created, articles.created, comments.created"
    rows = [joined(row) for row in db.cursor().execute(statement, parameters)]
    return sum(row.check() for row in rows)


def fetch_in_threads(count):
    sums = []
    threads = [threading.Thread(target=lambda: sums.append(fetch_users(connect()))) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(sums)


def fetch_orders(db):
    sum_ = 0
    for _ in range(10):
        orders = [Order(*row) for row in db.cursor().execute("SELECT * FROM orders")]
        sum_ += sum(order.check() for order in orders)
    return sum_


def timed(part, work):
    start = time.perf_counter()
    result = work()
    print("time", part, (time.perf_counter() - start) * 1e3)
    return result


name, _, n = workload.partition("-")
n = int(n or 0)
db = connect()
print("sqlite", db.cursor().execute("SELECT sqlite_source_id()").fetchall()[0][0])
for pragma in ["journal_mode", "synchronous", "foreign_keys", "busy_timeout", "cache_size", "page_size"]:
    print("pragma", pragma, db.cursor().execute(f"PRAGMA {pragma}").fetchall()[0][0])
script(db, "orders" if name == "orders" else "schema")
with open(f"{folder}/joined.sql") as file:
    joined_sql = file.read()
if name == "orders":
    total = timed("query", lambda: fetch_orders(db))
else:
    if name == "concurrent":
        script(db, "users")
    else:
        timed("insert", {
            "simple": lambda: fill_users(db, 1_000_000), "many": lambda: fill_users(db, n),
            "large": lambda: fill_users(db, 10_000, n), "real": lambda: fill_real(db), "complex": lambda: fill_complex(db),
        }[name])
    total = timed("query", {
        "simple": lambda: fetch_users(db), "many": lambda: fetch_users(db, 1000), "large": lambda: fetch_users(db),
        "concurrent": lambda: fetch_in_threads(n), "complex": lambda: fetch_joined(db, ""),
        "real": lambda: sum(fetch_joined(db, "WHERE users.email = ?", (email(id),)) for id in range(1, 101)),
    }[name])
# As the others' 64 bits, which overflow for eight threads.
print("check", (total + 2**63) % 2**64 - 2**63)
