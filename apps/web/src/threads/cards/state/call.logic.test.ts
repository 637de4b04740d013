import type { ToolCallEntry } from '@threadbox/sdk'
import { describe, expect, test } from 'vitest'
import { elapsedMsOf, inputOf, isOpenByDefault, outcomeOf, tracebackInnermostFirst } from './call.logic.ts'

const call = (values: Partial<ToolCallEntry>): ToolCallEntry => ({
  id: 'c',
  turnId: 't',
  at: 0,
  kind: 'tool-call',
  stepId: null,
  tool: 'run_command',
  input: {},
  status: 'succeeded',
  startedAt: 1000,
  endedAt: 3000,
  output: { tail: '', tailOffset: 0, sizeBytes: 0 },
  result: null,
  error: null,
  ...values,
})
const python = (values: { displays?: number; traceback?: string | null }) =>
  call({
    tool: 'run_python',
    result: {
      kind: 'python',
      displays: Array.from({ length: values.displays ?? 0 }, (_, index) => ({ id: String(index), items: [] })),
      traceback: values.traceback ?? null,
    },
  })

describe('O1: command and code cards', () => {
  test('an input of any shape is read without failing', () => {
    for (const input of [null, 7, 'text', [], { command: 7 }]) expect(inputOf(call({ input })).command).toBe('')
    expect(inputOf(call({ input: { command: 'ls' } })).command).toBe('ls')
  })

  test('a command that ran and returned non-zero has failed', () => {
    expect(outcomeOf(call({ result: { kind: 'command', exitCode: 1, cwd: null } }))).toBe('failed')
    expect(outcomeOf(call({ result: { kind: 'command', exitCode: 0, cwd: null } }))).toBe('ok')
    expect(outcomeOf(call({ status: 'interrupted' }))).toBe('interrupted')
    expect(outcomeOf(python({ traceback: 'KeyError' }))).toBe('failed')
  })

  test('commands are closed until they fail; cells with visible results are open', () => {
    expect(isOpenByDefault(call({ result: { kind: 'command', exitCode: 0, cwd: null } }))).toBe(false)
    expect(isOpenByDefault(call({ result: { kind: 'command', exitCode: 2, cwd: null } }))).toBe(true)
    expect(isOpenByDefault(call({ status: 'running' }))).toBe(false)
    expect(isOpenByDefault(python({}))).toBe(false)
    expect(isOpenByDefault(python({ displays: 1 }))).toBe(true)
  })

  test('the time counts from the start, not from the request, and is never negative', () => {
    expect(elapsedMsOf(call({ startedAt: null, endedAt: null }), 9000)).toBeNull()
    expect(elapsedMsOf(call({ endedAt: null }), 4500)).toBe(3500)
    expect(elapsedMsOf(call({ endedAt: null }), 10)).toBe(0)
  })

  test('a traceback begins with its innermost frame', () => {
    const { error, frames } = tracebackInnermostFirst(
      'Traceback (most recent call last):\n  File "a.py", line 1, in f\n    g()\n  File "b.py", line 2, in g\n    x["k"]\nKeyError: \'k\'',
    )
    expect(error).toBe("KeyError: 'k'")
    expect(frames).toEqual(['  File "b.py", line 2, in g\n    x["k"]', '  File "a.py", line 1, in f\n    g()'])
  })

  test('an error without frames is its own last line', () => {
    expect(tracebackInnermostFirst('KeyboardInterrupt')).toEqual({ error: 'KeyboardInterrupt', frames: [] })
  })
})
