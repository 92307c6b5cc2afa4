export const HOST_NOTES = `
-- Of each piece of a batch's list where it begins, and 128 bits over what the parser found in it. The list is known by its
-- hash, so this is true of it wherever it lies.
CREATE TABLE IF NOT EXISTS pieces (
  batch text NOT NULL,
  row bigint NOT NULL,
  byte_offset bigint NOT NULL,
  lines bigint NOT NULL,
  reading text NOT NULL,
  digest bytea NOT NULL CHECK (length(digest) = 16),
  PRIMARY KEY (batch, row)
);

-- What a host last wrote at a path. While a file is replaced there are two, because a crash leaves either of them. \`batch\` is
-- the one whose rows are in it; NULL: it is no output.
CREATE TABLE IF NOT EXISTS files (
  host text NOT NULL,
  path text NOT NULL,
  sha256 text NOT NULL CHECK (length(sha256) = 64),
  batch text,
  PRIMARY KEY (host, path, sha256)
);

-- Every path at which a host has found the list of a batch, and every job file by which it was begun or gone on with. \`is_list\` is
-- false for a job file.
CREATE TABLE IF NOT EXISTS reads (
  host text NOT NULL,
  path text NOT NULL,
  batch text NOT NULL,
  is_list boolean NOT NULL,
  PRIMARY KEY (host, path, batch)
);
`;
