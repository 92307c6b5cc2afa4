# What the action runs. Its inputs come as environment variables, so that no text of a workflow becomes a command here.
set -uo pipefail

words=("$COMMAND" "$JOB")
case "$COMMAND" in
  plan) words+=("$LIST") ;;
  run) words+=("$LIST" ${OUTPUT:+--output "$OUTPUT"}) ;;
  nightly) ;;
  *) echo "The input \`command\` is \"$COMMAND\", and has to be plan, run or nightly." >&2; exit 2 ;;
esac

# The disk of a hosted runner ends with its workflow, and a ledger that is lost buys everything again.
if [ "$COMMAND" != plan ] && [ -z "$STORE" ]; then
  echo "The action needs the input \`store\` to $COMMAND: a URL of PostgreSQL, or a folder that lasts." >&2
  exit 2
fi
if [ -n "$STORE" ]; then export ROWONCE_STORE="$STORE"; fi

# Git keeps no file closed to others, and an accounts file that others can read is refused.
if [ -n "$CONFIG" ]; then
  chmod -R go= "$CONFIG" || exit 2
  export ROWONCE_CONFIG="$CONFIG"
fi

while IFS= read -r line; do
  if [ -z "$line" ]; then continue; fi
  if [[ ! "$line" =~ ^[A-Za-z_][A-Za-z_0-9]*= ]]; then echo 'Each line of the input `keys` has to be NAME=value.' >&2; exit 2; fi
  export "${line%%=*}=${line#*=}"
done <<< "$KEYS"
unset KEYS

rowonce "${words[@]}" 2>&1 | tee "$RUNNER_TEMP/rowonce.txt"
code=${PIPESTATUS[0]}
{
  echo "### \`rowonce $COMMAND $JOB\`"
  echo
  sed 's/^/    /' "$RUNNER_TEMP/rowonce.txt"
  echo
  echo "Exit code $code."
} >> "$GITHUB_STEP_SUMMARY"
exit "$code"
