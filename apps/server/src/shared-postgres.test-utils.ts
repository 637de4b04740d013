import type { TestProject } from 'vitest/node'
import { canRunPostgres, startPostgres } from './postgres.test-utils.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the Postgres of this run of the tests listens; undefined where none can run. */
    postgresPort: number | undefined
  }
}

let postgres: Awaited<ReturnType<typeof startPostgres>> | undefined

/** One Postgres for all test files: a new one takes each of them a second. */
export async function setup(project: TestProject): Promise<void> {
  postgres = canRunPostgres ? await startPostgres() : undefined
  project.provide('postgresPort', postgres?.port)
}

export async function teardown(): Promise<void> {
  await postgres?.[Symbol.asyncDispose]()
}
