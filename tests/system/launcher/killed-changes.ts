/**
 * Commands of `deploy/launcher` before which a change of the release is killed: the first words of each, as bash reports them.
 * The first ones belong to a change that succeeds; the last ones to one that fails and is put back.
 */
export const killPoints: readonly { before: string; to: 'working' | 'broken' }[] = [
  { before: 'undo_program', to: 'working' },
  { before: 'mv "$data_dir/run/undo-change.new"', to: 'working' },
  { before: 'switch_release', to: 'working' },
  { before: 'set_environment THREADBOX_GUEST', to: 'working' },
  { before: 'mv -T "$data_dir/current.new"', to: 'working' },
  { before: 'start_and_wait', to: 'working' },
  { before: 'kill -HUP', to: 'working' },
  { before: 'await_server', to: 'working' },
  { before: 'await_host', to: 'working' },
  { before: 'probe_release', to: 'working' },
  { before: 'keep_as_previous', to: 'working' },
  { before: 'await_server', to: 'broken' },
  { before: 'put_back_release', to: 'broken' },
  { before: 'cp -p "$data_dir/releases/.environment-$before"', to: 'broken' },
  { before: 'stop_server', to: 'broken' },
  { before: 'kill -TERM', to: 'broken' },
  { before: 'server_program_of', to: 'broken' },
  { before: 'end_change', to: 'broken' },
]

/** A script that ends, with everything in its process group, before it runs the command. */
export function killedBefore(command: string, script: string): string {
  return `set -o functrace; trap 'case $BASH_COMMAND in ${quoted(command)}*) kill -KILL 0 ;; esac' DEBUG; ${script}`
}

/** A script that is interrupted, as with Ctrl-C, when one of its steps is about to run the command. */
export function interruptedBefore(command: string, script: string): string {
  return `set -o functrace; trap 'case $BASH_COMMAND in ${quoted(command)}*) kill -INT $$ ;; esac' DEBUG; ${script}`
}

/** For a pattern inside the single quotes of `trap`. */
function quoted(command: string): string {
  return `"${command.replaceAll(/[\\"$`]/g, '\\$&')}"`
}
