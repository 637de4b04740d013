import type { ToolCallEntry } from '@threadbox/sdk'
import { describe, expect, test } from 'vitest'
import { limitHitOf } from './limit-hit.logic.ts'

function call(change: Partial<ToolCallEntry> & { tail?: string }): ToolCallEntry {
  const { tail = '', ...rest } = change
  return {
    id: 'c',
    turnId: 't',
    at: 0,
    kind: 'tool-call',
    stepId: null,
    tool: 'run_command',
    input: {},
    status: 'succeeded',
    startedAt: 0,
    endedAt: 1,
    output: { tail, tailOffset: 0, sizeBytes: tail.length },
    result: { kind: 'command', exitCode: 1, cwd: null },
    error: null,
    ...rest,
  }
}

describe('which limit a call reached', () => {
  test('the output of a call that succeeded does not count', () => {
    const result = { kind: 'command' as const, exitCode: 0, cwd: null }
    expect(limitHitOf(call({ tail: 'cat: No space left on device', result }))).toBeNull()
    expect(limitHitOf(call({ tail: 'no such file' }))).toBeNull()
  })

  test('memory: the guest terminated it, or Python reported it', () => {
    const error = { code: 'command.out-of-memory', message: 'python3 …', remedy: '' }
    expect(limitHitOf(call({ status: 'failed', error }))).toEqual({ setting: 'sandboxMemoryBytes', quote: null })
    const traceback = 'Traceback (most recent call last)\n\u001b[31mMemoryError\u001b[0m: Unable to allocate 6.00 GiB'
    expect(limitHitOf(call({ tool: 'run_python', result: { kind: 'python', displays: [], traceback } }))).toEqual({
      setting: 'sandboxMemoryBytes',
      quote: 'MemoryError: Unable to allocate 6.00 GiB',
    })
  })

  test('processes: the guest terminated it, whatever it printed', () => {
    const error = { code: 'command.out-of-processes', message: 'Ended: 120 processes …', remedy: '' }
    const tail = 'bash: fork: retry: Resource temporarily unavailable'
    expect(limitHitOf(call({ status: 'failed', error, tail }))).toEqual({ setting: 'sandboxProcesses', quote: null })
  })

  test.each([
    ['bash: fork: retry: Resource temporarily unavailable', 'sandboxProcesses'],
    ["RuntimeError: can't start new thread", 'sandboxProcesses'],
    ['head: error writing to standard output: No space left on device', 'sandboxDiskBytes'],
    ['cp: error writing ‘b’: Disk quota exceeded', 'sandboxDiskBytes'],
  ] as const)('a program says “%s”', (line, setting) => {
    expect(limitHitOf(call({ tail: `before\n${line}\nafter\n` }))).toEqual({ setting, quote: line })
  })

  test('a fork bomb that is still running is named too', () => {
    const running = { status: 'running' as const, endedAt: null, result: null }
    expect(limitHitOf(call({ ...running, tail: 'bash: fork: Resource temporarily unavailable' }))?.setting).toBe(
      'sandboxProcesses',
    )
  })
})
