-- name: addAuthor
INSERT INTO author (name) VALUES (:name)
ON CONFLICT (name) DO UPDATE SET name = excluded.name RETURNING *;

-- name: addBook
INSERT INTO book (authorId, title, year) VALUES (:authorId, :title, :year);

-- name: rate
UPDATE book SET rating = :rating WHERE id IN (:ids);

-- name: shelf
-- Books with their authors, best first; all, or those of one author.
SELECT book.*, author.name AS author FROM book JOIN author ON author.id = book.authorId
WHERE (:author IS NULL OR author.name = :author) ORDER BY rating DESC LIMIT :limit;

-- name: library
-- @nest author, book
SELECT author.*, book.* FROM author LEFT JOIN book ON book.authorId = author.id ORDER BY author.id, book.id;

-- name: averages
SELECT author.name, count(book.id) AS books, avg(rating) AS rating
FROM author LEFT JOIN book ON book.authorId = author.id GROUP BY author.id;

-- name: search
-- Books with some words in their titles, best first.
SELECT book.* FROM book_ft JOIN book ON book.id = book_ft.rowid WHERE book_ft MATCH :words ORDER BY book_ft.rank;
