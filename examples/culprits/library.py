"""Books and their authors in a database. The fault: a query for the author of each book."""
import sqlite3
import sys


def make(books):
    db = sqlite3.connect(":memory:")
    db.execute("create table author (id integer primary key, name text)")
    db.execute("create table book (id integer primary key, title text, author int)")
    db.executemany("insert into author values (?, ?)", [(i, "author %d" % i) for i in range(500)])
    db.executemany("insert into book values (?, ?, ?)", [(i, "book %d" % i, i % 500) for i in range(books)])
    return db


def author_of(db, number):
    return db.execute("select name from author where id = ?", (number,)).fetchone()[0]


def catalogue(db):
    lines = []
    for title, author in db.execute("select title, author from book order by title").fetchall():
        lines.append("%s by %s" % (title, author_of(db, author)))
    return lines


def main():
    db = make(int(sys.argv[1]) if len(sys.argv) > 1 else 60000)
    print(len(catalogue(db)))


main()
