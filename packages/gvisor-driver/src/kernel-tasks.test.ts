import { expect, test } from 'vitest'
import { readTaskState } from './kernel-tasks.ts'

const kernel = 'gvisor.dev/gvisor/pkg/sentry/kernel'
const other = 'goroutine 1 [sync.Cond.Wait]:\nsync.(*Cond).Wait(0x1)\n\tsync/cond.go:71 +0x73'
const running = `goroutine 8 [select]:\n${kernel}.(*Task).block(0x1)\n\ta.go:1 +0x1\n${kernel}.(*Task).run(0x1, 0x1)\n\ta.go:2 +0x1`
const stoppedBody = `sync.(*Cond).Wait(0x1)\n\ta.go:1 +0x1\n${kernel}.(*Task).doStop(0x1)\n\ta.go:1 +0x1\n${kernel}.(*Task).run(0x1, 0x1)\n\ta.go:2 +0x1`
const stopped = `goroutine 9 [sync.Cond.Wait, 2 minutes]:\n${stoppedBody}`
const continuing = `goroutine 9 [runnable]:\n${stoppedBody}`
const pausing = `goroutine 70 [sync.WaitGroup.Wait]:\n${kernel}.(*Kernel).Pause(0x1)\n\ta.go:1 +0x1`

const stacks = (...parts: string[]) => `${parts.join('\n\n')}\n`

test.each([
  ['its tasks run', stacks(other, running, running), 'running'],
  ['a task waits for another one', stacks(other, running, stopped), 'running'],
  ['all tasks are stopped', stacks(other, stopped, stopped), 'frozen'],
  ['it waits for a task that takes longer to stop', stacks(pausing, stopped, running), 'freezing'],
  ['it waits, and no task has stopped', stacks(pausing, running), 'running'],
  ['stopped tasks continue, without a processor yet', stacks(other, continuing, continuing), 'running'],
  ['it has no tasks', stacks(other), undefined],
  ['the text is empty', '', undefined],
])('the stacks of a kernel show whether its tasks run: %s', (_what, text, expected) => {
  expect(readTaskState(text)).toBe(expected)
})
