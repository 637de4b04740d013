import { appendFileSync } from 'node:fs'

/** What is counted because starting it is much of what a test takes. */
export type Started = 'host' | 'server' | 'browser'

/** Names the file in which a run of the tests counts what was started; without it nobody counts. */
export const startRecordVariable = 'THREADBOX_TEST_STARTS'

export function noteStart(started: Started): void {
  const file = process.env[startRecordVariable]
  if (file !== undefined) appendFileSync(file, `${started}\n`)
}
