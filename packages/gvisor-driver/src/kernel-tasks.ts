/**
 * Whether the tasks of a sandbox’s kernel run. `freezing`: the kernel waits for some of them to stop, and the others
 * have stopped.
 */
export type TaskState = 'running' | 'freezing' | 'frozen'

const taskFrame = 'gvisor.dev/gvisor/pkg/sentry/kernel.(*Task).run('
const stoppedFrame = 'gvisor.dev/gvisor/pkg/sentry/kernel.(*Task).doStop('
const pauseFrame = 'gvisor.dev/gvisor/pkg/sentry/kernel.(*Kernel).Pause('
/** A stopped task that may continue is runnable, although its stack is the same until it gets a processor. */
const waitingHeader = /^goroutine \d+ \[sync\.Cond\.Wait\b/

/**
 * Reads from the stacks of a kernel, which `runsc debug --stacks` prints, whether its tasks run: no call tells, and a call
 * that ends a stop which there is not ends the kernel. Undefined if no task is found. Tasks can stop for other reasons,
 * but never all of them.
 */
export function readTaskState(stacks: string): TaskState | undefined {
  let tasks = 0
  let stopped = 0
  let isPausing = false
  for (const stack of stacks.split('\n\n')) {
    if (stack.includes(pauseFrame)) isPausing = true
    if (!stack.includes(taskFrame)) continue
    tasks += 1
    if (stack.includes(stoppedFrame) && waitingHeader.test(stack.trimStart())) stopped += 1
  }
  if (tasks === 0) return undefined
  if (stopped === tasks) return 'frozen'
  return isPausing && stopped > 0 ? 'freezing' : 'running'
}
