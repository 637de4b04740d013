import { checkProperty, foreignText } from '@threadbox/testkit/properties'
import { anything, array, constantFrom, oneof, property } from 'fast-check'
import { expect, test } from 'vitest'
import { readReply } from './control-socket.ts'
import { readTaskState } from './kernel-tasks.ts'

const replies = oneof(
  foreignText(300),
  anything().map((value) => JSON.stringify(value) ?? ''),
  anything().map((result) => JSON.stringify({ success: true, err: '', result })),
  foreignText(50).map((err) => JSON.stringify({ success: false, err, result: null })),
)

test('what a kernel sends is a reply of gVisor, or none', () =>
  checkProperty(
    'kernel-replies',
    property(replies, (text) => {
      const reply = readReply(text)
      if (reply === undefined) return
      expect(JSON.parse(text).success).toBe(reply.outcome === 'done')
      expect(['done', 'refused']).toContain(reply.outcome)
    }),
    { runs: 500 },
  ))

const kernel = 'gvisor.dev/gvisor/pkg/sentry/kernel'
const lines = oneof(
  foreignText(40),
  constantFrom(
    'goroutine 1 [sync.Cond.Wait]:',
    'goroutine 2 [runnable]:',
    `${kernel}.(*Task).doStop(0x1)`,
    `${kernel}.(*Task).run(0x1, 0x1)`,
    `${kernel}.(*Kernel).Pause(0x1)`,
    '',
  ),
)

test('stacks of a kernel show that it is frozen only if no task in them runs', () =>
  checkProperty(
    'kernel-stacks',
    property(array(lines, { maxLength: 30 }), (text) => {
      const stacks = text.join('\n')
      const state = readTaskState(stacks)
      const running = `goroutine 3 [select]:\n${kernel}.(*Task).run(0x1, 0x1)`
      expect(readTaskState(`${running}\n\n${stacks}`)).not.toBe('frozen')
      if (state === 'frozen') expect(stacks).toContain('doStop')
    }),
    { runs: 500 },
  ))
