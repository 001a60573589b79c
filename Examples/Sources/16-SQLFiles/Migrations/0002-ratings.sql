ALTER TABLE book ADD COLUMN rating INTEGER;
CREATE INDEX bookByAuthor ON book (authorId);
