#!/usr/bin/env bash
# bash tools/load/small-machine.sh: starts Switchyard with its embedded database within one core and 640 MB, loads the
# demo project, and opens every page in a browser outside of these limits. Fails if the kernel had to end a process.
# Linux, as root, after `npm run build`; MEGABYTES and PORT may be set.
set -euo pipefail
cd "$(dirname "$0")/../.."
export PATH="$PWD/node_modules/.bin:$PATH"
megabytes=${MEGABYTES:-640} port=${PORT:-4196} group=switchyard-small
bytes=$((megabytes * 1024 * 1024)) data=$(mktemp -d)

if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
  memory=/sys/fs/cgroup/$group kills=$memory/memory.events
  mkdir -p "$memory"
  echo "$bytes" >"$memory/memory.max"
  echo "100000 100000" >"$memory/cpu.max"
  groups=("$memory")
else
  memory=/sys/fs/cgroup/memory/$group cpu=/sys/fs/cgroup/cpu/$group kills=$memory/memory.oom_control
  mkdir -p "$memory" "$cpu"
  echo "$bytes" >"$memory/memory.limit_in_bytes"
  echo 100000 >"$cpu/cpu.cfs_period_us"
  echo 100000 >"$cpu/cpu.cfs_quota_us"
  groups=("$memory" "$cpu")
fi

# Memory that the processes hold now, in kilobytes; what they share is counted once.
held() {
  local sum=0 pid part
  while read -r pid; do
    part=$(awk '/^Pss:/ { print $2 }' "/proc/$pid/smaps_rollup" 2>/dev/null || echo 0)
    sum=$((sum + ${part:-0}))
  done <"$memory/cgroup.procs"
  echo "$sum"
}

PORT=$port HOST=127.0.0.1 DATA_DIR=$data RATE_LIMIT_PER_MINUTE=0 \
  BOOTSTRAP_PERSONAL_API_KEY=phx_the-key-of-the-browser-journeys \
  BOOTSTRAP_PROJECT_TOKEN=phc_the-token-of-the-browser-journeys \
  bash -c 'for group in "$@"; do echo $$ >"$group/cgroup.procs"; done; exec node lib/app/server/start.ts' start "${groups[@]}" >"$data/log" 2>&1 &
server=$!
# The database ends with the server.
trap 'kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; rmdir "${groups[@]}" 2>/dev/null || true; rm -rf "$data"' EXIT

until curl -sf "http://127.0.0.1:$port/readyz" >/dev/null; do
  kill -0 "$server" || { cat "$data/log"; exit 1; }
  sleep 0.2
done
began=$(date +%s)
E2E_PORT=$port npx playwright test --config e2e/playwright.config.ts e2e/page-weight.spec.ts >"$data/pages" 2>&1 &
pages=$!
most=0
while kill -0 "$pages" 2>/dev/null; do
  now=$(held)
  if [ "$now" -gt "$most" ]; then most=$now; fi
  sleep 1
done
result=0
wait "$pages" || result=$?
if [ "$result" -eq 0 ]; then tail -n 5 "$data/pages"; else cat "$data/pages" "$data/log"; fi
ended=$(awk '/^oom_kill / { print $2 }' "$kills")
echo "Demo project and every page within one core and $megabytes MB: $(($(date +%s) - began)) s, at most $((most / 1024)) MB held, ${ended:-0} processes ended for lack of memory."
[ "$result" -eq 0 ] && [ "${ended:-0}" -eq 0 ]
