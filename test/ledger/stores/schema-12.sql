-- table files
CREATE TABLE files (
  path TEXT NOT NULL,
  sha256 TEXT NOT NULL CHECK (length(sha256) = 64),
  batch INTEGER REFERENCES batches (id),
  PRIMARY KEY (path, sha256)
) STRICT, WITHOUT ROWID;

