"""A list of books from a database, through SQLAlchemy. The fault: the author of each book is a query of its own."""
import sys

from sqlalchemy import ForeignKey, create_engine, select
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship


class Base(DeclarativeBase):
    pass


class Author(Base):
    __tablename__ = "author"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]


class Book(Base):
    __tablename__ = "book"
    id: Mapped[int] = mapped_column(primary_key=True)
    title: Mapped[str]
    author_id: Mapped[int] = mapped_column(ForeignKey("author.id"))
    author: Mapped[Author] = relationship()


def fill(engine, count):
    Base.metadata.create_all(engine)
    with Session(engine) as session:
        session.add_all(Author(id=i, name=f"author {i}") for i in range(count))
        session.add_all(Book(id=i, title=f"book {i}", author_id=i) for i in range(count))
        session.commit()


def lines(engine):
    with Session(engine) as session:
        books = session.scalars(select(Book)).all()
        return [f"{book.title} by {book.author.name}" for book in books]


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 800
    engine = create_engine("sqlite://")
    fill(engine, count)
    print(len(lines(engine)))


main()
