import type { TestProject } from 'vitest/node'
import { canRunPostgres, startPostgres } from './postgres.test-utils.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The port of this test run's Postgres; undefined where it can't run. */
    postgresPort: number | undefined
  }
}

let postgres: Awaited<ReturnType<typeof startPostgres>> | undefined

/** One Postgres for all test files: starting one takes a second per file. */
export async function setup(project: TestProject): Promise<void> {
  postgres = canRunPostgres ? await startPostgres() : undefined
  project.provide('postgresPort', postgres?.port)
}

export async function teardown(): Promise<void> {
  await postgres?.[Symbol.asyncDispose]()
}
