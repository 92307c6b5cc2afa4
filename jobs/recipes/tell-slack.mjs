// Tells a channel of Slack what Rowonce tells: the notice comes as JSON on standard input, and Slack wants `{"text": …}`.
// The environment variable SLACK_WEBHOOK_URL has the address of an incoming webhook of the channel.
import { text } from 'node:stream/consumers';

const { SLACK_WEBHOOK_URL } = process.env;
if (!SLACK_WEBHOOK_URL) throw new Error('Set SLACK_WEBHOOK_URL to the address of an incoming webhook.');

const { kind, job, batch, rows, counts, credits, stopped } = JSON.parse(await text(process.stdin));
const lines = [
  `*${job}*: ${kind}, batch ${batch}, ${rows} rows`,
  Object.entries(counts).map(([outcome, count]) => `${count} ${outcome}`).join(', '),
  `${credits.spent} credits spent, ${credits.in_doubt} in doubt`,
  ...(stopped ? [`stopped: ${stopped.code ?? stopped}`] : []),
];
const response = await fetch(SLACK_WEBHOOK_URL, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ text: lines.filter(Boolean).join('\n') }),
});
// Any other exit code than 0 makes Rowonce tell it again.
if (!response.ok) throw new Error(`Slack answered ${response.status}: ${await response.text()}`);
