import { expect } from 'vitest'
import type { TestThread } from './installation.ts'

/** What a command printed that a thread ran, whatever its exit code. */
export async function output(thread: TestThread, command: string): Promise<string> {
  const { calls } = await thread.say(`/run ${command}`)
  expect(calls[0], command).toMatchObject({ status: 'succeeded' })
  return calls[0]?.output.tail ?? ''
}

/** What a Python cell of a thread printed, which raised nothing. */
export async function cell(thread: TestThread, code: string): Promise<string> {
  const { calls } = await thread.say(`/python ${code}`)
  expect(calls[0], code).toMatchObject({ status: 'succeeded', result: { kind: 'python', traceback: null } })
  return (calls[0]?.output.tail ?? '').trim()
}
