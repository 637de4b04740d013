import { expect } from 'vitest'
import type { TestThread } from './installation.ts'

/** Output of a command in a thread, regardless of its exit code. */
export async function output(thread: TestThread, command: string): Promise<string> {
  const { calls } = await thread.say(`/run ${command}`)
  expect(calls[0], command).toMatchObject({ status: 'succeeded' })
  return calls[0]?.output.tail ?? ''
}

/** Output of a Python cell in a thread; fails if the cell raised an error. */
export async function cell(thread: TestThread, code: string): Promise<string> {
  const { calls } = await thread.say(`/python ${code}`)
  expect(calls[0], code).toMatchObject({ status: 'succeeded', result: { kind: 'python', traceback: null } })
  return (calls[0]?.output.tail ?? '').trim()
}
