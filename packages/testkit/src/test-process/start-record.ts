import { appendFileSync } from 'node:fs'

/** The programs whose starts are counted, because they are much of the duration of a test. */
export type Started = 'host' | 'server' | 'browser'

/** Names the file in which a test run counts started programs; without it nothing is counted. */
export const startRecordVariable = 'THREADBOX_TEST_STARTS'

export function noteStart(started: Started): void {
  const file = process.env[startRecordVariable]
  if (file !== undefined) appendFileSync(file, `${started}\n`)
}
