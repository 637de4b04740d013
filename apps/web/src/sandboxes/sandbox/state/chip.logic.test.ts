import type { SandboxView } from '@threadbox/sdk'
import { describe, expect, test } from 'vitest'
import { chipDetail, glyphOf, processName, shownState, withTurnMode } from './chip.logic.ts'
import { awakeFor, hour, noon, sandboxOf } from './sandbox.test-utils.ts'

const detail = (sandbox: SandboxView) => chipDetail(sandbox, noon)

describe('the chip', () => {
  test.each([
    ['turn', 'agent', { key: 'agent-working' }],
    ['turn', 'direct', { key: 'command-running' }],
    ['cpu', 'python3 /home/user/training.py', { key: 'process-running', values: { name: 'training.py' } }],
    ['cpu', '', { key: 'processes-running' }],
    ['terminal', '', { key: 'somebody-typed' }],
    ['request', '8501', { key: 'port-used', values: { port: '8501' } }],
    ['request', '', { key: 'service-used' }],
    ['hold', '', { key: 'held-until', values: { until: { deadline: noon + hour } } }],
  ] as const)('C4: names what keeps it awake: %s %s', (reason, text, phrase) => {
    expect(detail(awakeFor([{ reason, detail: text }], { heldUntil: noon + hour }))).toEqual(phrase)
  })

  test('does not call a command in direct mode the work of an agent', () => {
    const working = awakeFor([{ reason: 'turn', detail: '' }])
    expect(detail(withTurnMode(working, 'direct'))).toEqual({ key: 'command-running' })
    expect(detail(withTurnMode(working, 'agent'))).toEqual({ key: 'agent-working' })
    expect(withTurnMode(working, undefined)).toBe(working)
    expect(withTurnMode(sandboxOf('paused'), 'direct')).toEqual(sandboxOf('paused'))
  })

  test('names the most informative reason if there are several', () => {
    const reasons = [
      { reason: 'hold', detail: '' },
      { reason: 'request', detail: '8501' },
      { reason: 'cpu', detail: 'make' },
    ] as const
    expect(detail(awakeFor([...reasons]))).toEqual({ key: 'process-running', values: { name: 'make' } })
    expect(detail(awakeFor([...reasons, { reason: 'turn', detail: '' }]))).toEqual({ key: 'agent-working' })
  })

  test('C3: says when the sandbox pauses while nothing keeps it awake, and nothing if that is unknown', () => {
    expect(detail(awakeFor([], { pauseAt: noon + hour }))).toEqual({
      key: 'pauses-at',
      values: { at: { deadline: noon + hour } },
    })
    expect(detail(awakeFor([]))).toBeUndefined()
    expect(detail(sandboxOf('active'))).toBeUndefined()
  })

  test('C3: counts the time asleep and away, and does not round a second up to a minute', () => {
    expect(detail(sandboxOf('paused'))).toEqual({ key: 'age', values: { age: { age: hour } } })
    expect(detail(sandboxOf('cold', { since: noon - 9 * 24 * hour }))).toMatchObject({ key: 'age' })
    expect(detail(sandboxOf('paused', { since: noon - 5000 }))).toEqual({ key: 'just-now' })
  })

  test.each([
    ['fresh', 'starts-with-command', 'fresh'],
    ['pausing', 'about-a-second', 'pausing'],
    ['waking', 'from-memory', 'waking'],
    ['starting', undefined, 'waking'],
    ['archived', 'since-date', 'archived'],
    ['error', 'could-not-start', 'error'],
    ['deleting', undefined, 'archived'],
  ] as const)('C3: %s has its detail and its glyph', (state, key, glyph) => {
    expect(detail(sandboxOf(state))?.key).toBe(key)
    expect(glyphOf(sandboxOf(state))).toBe(glyph)
  })

  test('an error names its cause in a few words if it is known', () => {
    const broken = (code: string) => sandboxOf('error', { detail: { code, params: {} } })
    expect(detail(broken('sandbox.disk-full'))).toEqual({ key: 'cause-disk-full' })
    expect(detail(broken('ended.memory-backstop'))).toEqual({ key: 'cause-memory-backstop' })
    expect(detail(broken('something.new'))).toEqual({ key: 'could-not-start' })
  })

  test('waiting for memory is a state of its own, with the position in the queue', () => {
    const waiting = (position: number) => sandboxOf('paused', { waiting: { position, places: 12 } })
    expect(shownState(waiting(1))).toBe('waiting')
    expect(detail(waiting(1))).toEqual({ key: 'waits-next', values: { count: 12 } })
    expect(detail(waiting(3))).toEqual({ key: 'waits-number', values: { count: 12, position: 3 } })
    expect(shownState(sandboxOf('paused', { waiting: null }))).toBe('paused')
  })
})

test.each([
  ['python3 -u /home/user/training.py --epochs 20', 'training.py'],
  ['/usr/bin/node server.js', 'server.js'],
  ['python -m http.server 8000', 'http.server'],
  ['python3.13 -c print(1)', 'python3.13'],
  ['bash', 'bash'],
  ['/usr/local/bin/streamlit run app.py', 'streamlit'],
  ['make -j4', 'make'],
  ['', ''],
])('the process %j is called %j', (commandLine, name) => {
  expect(processName(commandLine)).toBe(name)
})
