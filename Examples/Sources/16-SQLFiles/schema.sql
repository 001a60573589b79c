CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;

CREATE TABLE book (
    id INTEGER PRIMARY KEY, authorId INTEGER NOT NULL REFERENCES author, title TEXT NOT NULL,
    year INTEGER
, rating INTEGER) STRICT;

CREATE INDEX bookByAuthor ON book (authorId);

CREATE VIRTUAL TABLE "book_ft" USING fts5(title, tokenize = 'porter unicode61', content='__book_ft_content', content_rowid='rowid');

CREATE VIEW "__book_ft_content" AS SELECT "rowid" AS "rowid", "title" AS "title" FROM "book";
