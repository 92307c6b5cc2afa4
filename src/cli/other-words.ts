/** Words of other tools: in each line, behind what does the same here, as it is typed. */

type Words = Readonly<Record<string, string>>;

export const COMMANDS: Words = {
  run: 'enrich apply execute exec process go start submit buy lookup begin',
  plan:
    'import load upload open inspect preview describe check validate estimate diff quote dry-run view ' +
    'test',
  status: 'ls list ps jobs batches runs history show info state progress',
  'accounts add': 'login auth connect configure config setup init signin register new create set',
  'accounts list': 'whoami keys credentials ls show',
  cancel: 'stop kill abort',
  undo: 'rollback revert',
  forget: 'delete erase rm remove gdpr',
  serve: 'ui web server dashboard gui browser',
  export: 'download save output write get results',
  settle: 'retry resolve',
  spend: 'usage billing budget costs credits cost bill',
  nightly: 'cron schedule daemon sweep watch',
  doctor: 'health diagnose ping',
  'accounts remove': 'logout rm delete',
  '--version': 'version',
};

/** `plan` is the command; `word`: the value alone, a job or a list. The last ones have no like here. */
export const FLAGS: Words = {
  '--output': '--out --outfile --out-file --output-file --dest --destination --to --result --save',
  '--limit': '--max --max-rows --head --first --top --take --count --num -l -m',
  '--budget': '--max-credits --max-cost --max-spend --spend --cost --cap --credits -b',
  '--yes': '--force -y --assume-yes --no-confirm --no-prompt --non-interactive --auto-approve',
  '--account': '--vendor --provider --profile --api --source -a',
  '--column': '--columns --map --mapping --match --cols -c',
  '--add': '--field --fields --select --return --enrich',
  '--quiet': '--silent -q -s',
  '--delimiter': '--sep --separator -d -t',
  '--sheet': '--tab --worksheet',
  '--refresh': '--no-cache --fresh',
  '--store': '--db --database --ledger --state',
  '--base-url': '--url --host --endpoint --address --api-url',
  plan: '-n --dry-run --dryrun --dry --check --preview --simulate --what-if --noop --estimate --pretend',
  word: '--operation --op --job --config --type --input --in --file --input-file --csv --list --path -i -f',
  '': '--resume --continue --restart --retry --retries --concurrency --parallel --workers -j --rate',
};

/** What a run takes and a plan does not: options with a value, and flags without. */
export const RUN_OPTIONS =
  '-o --output --budget --limit --sample --save-job --plan --max-pause --wait --formulas'.split(' ');
export const RUN_FLAGS = ['--yes', '--detach', '--attention-ok'];

/** What does the same here; undefined where nothing does that is known at this place. */
export function meantIn(table: Words, word: string, isKnown: (meant: string) => boolean): string | undefined {
  const typed = word.toLowerCase();
  return Object.keys(table).find((meant) => isKnown(meant) && table[meant]?.split(' ').includes(typed));
}
