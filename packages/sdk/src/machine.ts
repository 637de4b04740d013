import type { Backups, Machine, MachineHistory, MachineSpan } from '@threadbox/protocol/public'
import type { Connection } from './request.ts'

/** The machine, for the owner and admins: what uses it, its backups, and pausing or stopping any sandbox. */
export function machineCalls(connection: Connection) {
  const sandbox = (sandboxId: string, act: string) => `/machine/sandboxes/${encodeURIComponent(sandboxId)}/${act}`
  return {
    get: (signal?: AbortSignal) => connection.json<Machine>('GET', '/machine', { signal }),
    /** The same after running the host’s checks again, which takes a moment. */
    getWithChecks: (signal?: AbortSignal) =>
      connection.json<Machine>('GET', '/machine', { query: { checks: true }, signal }),
    history: (span: MachineSpan, signal?: AbortSignal) =>
      connection.json<MachineHistory>('GET', '/machine/history', { query: { span }, signal }),
    /** Backups as the last run or verification recorded them, what runs, and what failed. */
    backups: (signal?: AbortSignal) => connection.json<Backups>('GET', '/machine/backups', { signal }),
    /** Starts a backup. Throws `backup.already-running`, `backup.not-set-up`. */
    runBackup: () => connection.json<Backups>('POST', '/machine/backups/run'),
    pause: (sandboxId: string) => connection.json<void>('POST', sandbox(sandboxId, 'pause')),
    /** Its memory is lost, its files are kept. */
    stop: (sandboxId: string) => connection.json<void>('POST', sandbox(sandboxId, 'stop')),
  }
}
