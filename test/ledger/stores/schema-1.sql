INSERT INTO accounts (id, identity) VALUES
  (1, 'provider test.example');
INSERT INTO batches (id, ordinal, key, generation, lineage, state, account, account_name, sandbox, vendor, operation, input_path, input_sha256, input_rows, settings, created_at, budget, extra_credits, output_path, output_sha256, command) VALUES
  (604941030, 0, 'key-a', 1, 'lineage-a', 'open', 1, 'data', 0, 'provider', 'enrich-company', '/home/user/leads.csv', 'sha-a', 3, '{"columns":{"abn":"ABN"}}', 1795176000000, 50, NULL, '/home/user/leads.enriched.csv', NULL, NULL);
INSERT INTO calls (id, key, account, operation, call, checksum) VALUES
  (1, x'71f1c5bf0140c56438fa9cde8ea888686fdcc1ef7a725c68262cb87a5e364bd1', 1, 'enrich-company', '{"operation":"enrich-company","parameters":{"domain":"bought.example"},"ifLost":"hold"}', 3369775692);
INSERT INTO attempts (id, call, batch, row, reserved, intent_at, decision, replaces, checksum, paid_row) VALUES
  (1, 1, 604941030, 2, 1, 1795176000000, NULL, NULL, 2943612182, 2);
INSERT INTO replies (attempt, status, headers, received_at, checksum, body) VALUES
  (1, 200, '{"x-request-id":"r-bought"}', 1795176000040, 3285153824, x'626f75676874');
INSERT INTO closures (attempt, kind, answer, charged, why, closed_at, checksum) VALUES
  (1, 'settled', 'found', 2, 'it was found', 1795176000050, 700089112);
INSERT INTO calls (id, key, account, operation, call, checksum) VALUES
  (2, x'a52f317d15e4a0386858bf2754fa742b33f4f1cc89dbe7b2a9c9f792ac1c81cd', 1, 'enrich-company', '{"operation":"enrich-company","parameters":{"domain":"missed.example"},"ifLost":"hold"}', 2605479930);
INSERT INTO attempts (id, call, batch, row, reserved, intent_at, decision, replaces, checksum, paid_row) VALUES
  (2, 2, 604941030, 2, 1, 1795176000000, NULL, NULL, 994493385, 2);
INSERT INTO replies (attempt, status, headers, received_at, checksum, body) VALUES
  (2, 404, '{"x-request-id":"r-missed"}', 1795176000040, 2164811503, x'6d6973736564');
INSERT INTO closures (attempt, kind, answer, charged, why, closed_at, checksum) VALUES
  (2, 'settled', 'no_match', 0, 'it was no_match', 1795176000050, 3433807821);
INSERT INTO calls (id, key, account, operation, call, checksum) VALUES
  (3, x'795a267e23c41f8770b635b3bb8bb9d3f2853ef599f0c4dfb073b3b0bec2904b', 1, 'enrich-company', '{"operation":"enrich-company","parameters":{"domain":"lost.example"},"ifLost":"hold"}', 4162824813);
INSERT INTO attempts (id, call, batch, row, reserved, intent_at, decision, replaces, checksum, paid_row) VALUES
  (3, 3, 604941030, 2, 3, 1795176000000, NULL, NULL, 4220927243, 2);
INSERT INTO closures (attempt, kind, answer, charged, why, closed_at, checksum) VALUES
  (3, 'in_doubt', NULL, 0, 'the connection was reset', 1795176000050, 2013745206);
INSERT INTO decisions (id, call, doubt, batch, kind, decided_by, why, at, checksum) VALUES
  (1, 3, 3, 604941030, 'hold', 'person', 'somebody said so', 1795176000000, 1756103174);
INSERT INTO calls (id, key, account, operation, call, checksum) VALUES
  (4, x'9c759f635260a1b4d4d197c2fe926d23ed210e26e5778108d7b01ff90c65dfc3', 1, 'enrich-company', '{"operation":"enrich-company","parameters":{"domain":"twice.example"},"ifLost":"hold"}', 4186826554);
INSERT INTO attempts (id, call, batch, row, reserved, intent_at, decision, replaces, checksum, paid_row) VALUES
  (4, 4, 604941030, 2, 1, 1795176000000, NULL, NULL, 467222115, 2);
INSERT INTO closures (attempt, kind, answer, charged, why, closed_at, checksum) VALUES
  (4, 'in_doubt', NULL, 0, 'the connection was reset', 1795176000050, 3524572618);
INSERT INTO decisions (id, call, doubt, batch, kind, decided_by, why, at, checksum) VALUES
  (2, 4, 4, 604941030, 'retry', 'person', 'somebody said so', 1795176000000, 677507557);
INSERT INTO attempts (id, call, batch, row, reserved, intent_at, decision, replaces, checksum, paid_row) VALUES
  (5, 4, 604941030, 2, 1, 1795176000000, 2, NULL, 2234090884, 2);
INSERT INTO closures (attempt, kind, answer, charged, why, closed_at, checksum) VALUES
  (5, 'in_doubt', NULL, 0, 'the connection was reset', 1795176000050, 2950297845);
INSERT INTO calls (id, key, account, operation, call, checksum) VALUES
  (5, x'0c9a3f075851d94c7d819010e3d6e0c3ac12ce75d5bc8c84cbd17df38a5fef67', 1, 'enrich-company', '{"operation":"enrich-company","parameters":{"domain":"told.example"},"ifLost":"hold"}', 1760015961);
INSERT INTO attempts (id, call, batch, row, reserved, intent_at, decision, replaces, checksum, paid_row) VALUES
  (6, 5, 604941030, 2, 1, 1795176000000, NULL, NULL, 1830865418, 2);
INSERT INTO closures (attempt, kind, answer, charged, why, closed_at, checksum) VALUES
  (6, 'in_doubt', NULL, 0, 'the connection was reset', 1795176000050, 697184180);
INSERT INTO decisions (id, call, doubt, batch, kind, decided_by, why, at, checksum) VALUES
  (3, 5, 6, 604941030, 'told', 'person', 'somebody said so', 1795176000000, 1990177811);
INSERT INTO told (attempt, decision, charged, status, headers, received_at, checksum, body) VALUES
  (6, 3, 1, 200, '{"x-request-id":"r-told"}', 1795176000040, 4167253722, x'746f6c64');
INSERT INTO calls (id, key, account, operation, call, checksum) VALUES
  (6, x'42845f2e560315a6eb287896b543861066f74c44bf11159a514f6ceae5902f5f', 1, 'enrich-company', '{"operation":"enrich-company","parameters":{"domain":"open.example"},"ifLost":"hold"}', 1907921945);
INSERT INTO attempts (id, call, batch, row, reserved, intent_at, decision, replaces, checksum, paid_row) VALUES
  (7, 6, 604941030, 2, 1, 1795176000000, NULL, NULL, 1365749206, 2);
INSERT INTO rows (batch, row, kind, matched_by, reason, answers) VALUES
  (604941030, 2, 'matched', 'domain', NULL, '[1]');
UPDATE ledger SET commits = 21, clean = 0;
