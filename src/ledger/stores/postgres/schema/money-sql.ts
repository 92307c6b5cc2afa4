export const MONEY = `
-- What each worker spends of each budget. \`of\` is a batch, or an account whose day or month \`period\` names. A worker admits what its
-- own purse holds: \`granted\` of the cap without asking anybody, or without an end (NULL) where there is no cap. An attempt ends in the
-- purse that admitted it.
CREATE TABLE IF NOT EXISTS purses (
  scope text NOT NULL CHECK (scope IN ('batch', 'extra', 'day', 'month')),
  of text NOT NULL,
  period text NOT NULL,
  worker bigint NOT NULL,
  granted bigint CHECK (granted >= 0),
  spent bigint NOT NULL DEFAULT 0,
  reserved bigint NOT NULL DEFAULT 0,
  in_doubt bigint NOT NULL DEFAULT 0,
  used bigint GENERATED ALWAYS AS (spent + reserved + in_doubt) STORED,
  estimated boolean NOT NULL DEFAULT false,
  PRIMARY KEY (scope, of, period, worker),
  CHECK (spent >= 0 AND reserved >= 0 AND in_doubt >= 0)
) WITH (fillfactor = 50);

-- The cap of a budget, which stays as it is until the transaction ends, and with it nobody else grants of it.
CREATE OR REPLACE FUNCTION cap_of(which text, whose text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  cap bigint;
BEGIN
  IF which IN ('batch', 'extra') THEN
    SELECT CASE which WHEN 'batch' THEN b.budget ELSE b.extra_credits END INTO cap FROM batches b WHERE b.id = whose FOR NO KEY UPDATE;
  ELSE
    SELECT CASE which WHEN 'day' THEN a.per_day ELSE a.per_month END INTO cap FROM accounts a WHERE a.identity = whose FOR NO KEY UPDATE;
  END IF;
  RETURN cap;
END $$;

-- Fills a purse from its cap: an eighth of what is left, so that it is not filled often, and nobody takes all. Where that is too
-- little, what nobody has used goes back to the cap first, also from purses whose workers are gone.
CREATE OR REPLACE FUNCTION fund(which text, whose text, during text, who bigint, need bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  cap bigint := cap_of(which, whose);
  free bigint;
BEGIN
  INSERT INTO purses (scope, of, period, worker, granted) VALUES (which, whose, during, who, cap * 0) ON CONFLICT DO NOTHING;
  SELECT cap - sum(greatest(granted, used)) INTO free FROM purses WHERE (scope, of, period) = (which, whose, during);
  IF free < need THEN
    PERFORM FROM purses WHERE (scope, of, period) = (which, whose, during) ORDER BY worker FOR UPDATE;
    UPDATE purses SET granted = used WHERE (scope, of, period) = (which, whose, during) AND granted IS DISTINCT FROM used;
    SELECT cap - sum(used) INTO free FROM purses WHERE (scope, of, period) = (which, whose, during);
  END IF;
  UPDATE purses SET granted = CASE WHEN cap IS NOT NULL THEN greatest(granted, used) + greatest(least(free, greatest(need, free / 8)), 0) END
   WHERE (scope, of, period, worker) = (which, whose, during, who);
END $$;

-- Another cap is granted anew from what is used.
CREATE OR REPLACE FUNCTION take_back() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE purses SET granted = used WHERE of = to_jsonb(NEW) ->> TG_ARGV[0] AND scope IN (TG_ARGV[1], TG_ARGV[2]) AND granted IS DISTINCT FROM used;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER batches_capped AFTER UPDATE OF budget, extra_credits ON batches FOR EACH ROW
  WHEN ((NEW.budget, NEW.extra_credits) IS DISTINCT FROM (OLD.budget, OLD.extra_credits)) EXECUTE FUNCTION take_back('id', 'batch', 'extra');
CREATE OR REPLACE TRIGGER accounts_capped AFTER UPDATE OF per_day, per_month ON accounts FOR EACH ROW
  WHEN ((NEW.per_day, NEW.per_month) IS DISTINCT FROM (OLD.per_day, OLD.per_month)) EXECUTE FUNCTION take_back('identity', 'day', 'month');

-- The second wall: whatever the code does, all purses together are granted no more than the cap, and none admits more than it holds.
CREATE OR REPLACE FUNCTION wall_of_purses() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  cap bigint := cap_of(NEW.scope, NEW.of);
BEGIN
  IF cap IS NOT NULL AND (NEW.granted IS NULL OR cap < (
      SELECT sum(greatest(granted, used)) FROM purses WHERE (scope, of, period) = (NEW.scope, NEW.of, NEW.period))) THEN
    PERFORM refuse(format('all purses together hold no more than the %s of %s', NEW.scope, NEW.of));
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER purses_opened AFTER INSERT ON purses FOR EACH ROW
  WHEN (NEW.granted IS NULL OR NEW.granted > NEW.used) EXECUTE FUNCTION wall_of_purses();
CREATE OR REPLACE TRIGGER purses_granted AFTER UPDATE ON purses FOR EACH ROW
  WHEN (NEW.granted IS DISTINCT FROM OLD.granted AND (NEW.granted IS NULL OR NEW.granted > NEW.used)) EXECUTE FUNCTION wall_of_purses();

CREATE OR REPLACE FUNCTION refuse_admission() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM refuse(format('worker %s has %s of the %s of %s, and admitted %s', NEW.worker, NEW.granted, NEW.scope, NEW.of, NEW.used)); RETURN NULL; END $$;
CREATE OR REPLACE TRIGGER purses_charged AFTER UPDATE ON purses FOR EACH ROW
  WHEN (NEW.reserved > OLD.reserved AND NEW.used > NEW.granted) EXECUTE FUNCTION refuse_admission();

-- \`credits_most\` is -1 where the call names none.
CREATE TABLE IF NOT EXISTS prices (
  account text NOT NULL,
  operation text NOT NULL,
  credits_most bigint NOT NULL,
  highest bigint NOT NULL CHECK (highest >= 0),
  PRIMARY KEY (account, operation, credits_most)
);
`;
