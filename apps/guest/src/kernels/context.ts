import { makeSerial, waitAtMost } from '@threadbox/concurrency'
import { defineError } from '@threadbox/errors'
import type { JupyterMessage } from './jupyter-messages.ts'
import type { Kernel } from './kernel.ts'
import { codeForVariables } from './kernel-variables.logic.ts'

export const kernelDied = defineError<{ how: string }>({
  code: 'kernel.died',
  kind: 'interrupted',
  message: ({ how }) => `The Python kernel stopped while the cell was running: ${how}. Its variables are lost.`,
  remedy: () => 'Run the cells you need again. A new kernel starts automatically.',
})

/** Receives what one cell produces. */
export type CellListener = {
  onStream(stream: { name: 'stdout' | 'stderr'; text: string }): void
  onDisplay(display: { bundle: object; isResult: boolean }): void
  onError(error: { name: string; value: string; traceback: string[] }): void
  onExecutionCount(count: number): void
}

export type CellHandle = {
  /** Resolves when the cell has ended; rejects with `kernel.died` or `kernel.not-started`. */
  readonly done: Promise<void>
  /** The kernel that runs the cell; undefined while it waits for its turn. */
  kernel(): Kernel | undefined
  /** Cancels a cell that still waits for its turn. */
  cancel(): void
}

/** One Python interpreter in which cells run one after another. Its kernel starts with the first cell. */
export type Context = {
  readonly id: string
  readonly cwd: string
  run(cell: { code: string; silent?: boolean; listener: CellListener }): CellHandle
  kernel(): Kernel | undefined
  /** True while a cell runs. */
  isBusy(): boolean
  /** Starts the kernel before a cell needs it. */
  warm(): Promise<void>
  /** Starts the kernel for the thread that will own this sandbox, and loads what a first cell needs. */
  prewarm(): Promise<void>
  /** Ends a prewarmed kernel in which nothing has run yet; nothing is lost. */
  dropUnused(): Promise<void>
  /**
   * Accepts no more cells: drops those that wait and interrupts one that runs. Returns false if it still runs after
   * `timeoutMs`.
   */
  quiesce(timeoutMs: number): Promise<boolean>
  /** Ends the kernel; the next cell starts a new one. */
  restart(): Promise<void>
}

/** A cell can catch the first interrupts. */
const interruptEveryMs = 300

export function makeContext(options: {
  id: string
  cwd: string
  start(cwd: string): Promise<Kernel>
  /** Variables that a kernel starts with, and that one that runs gets before its next cell. */
  variables(): Record<string, string>
}): Context {
  const variablesOf = new WeakMap<Kernel, Record<string, string>>()
  let current: Kernel | undefined
  let starting: Promise<Kernel> | undefined
  const inOrder = makeSerial()
  let runningCells = 0
  let isQuiet = false
  /** True while the kernel holds nothing of a user. */
  let isBlank = false
  const ensureKernel = () => {
    const given = options.variables()
    starting ??= options.start(options.cwd).then(
      (kernel) => {
        variablesOf.set(kernel, given)
        current = kernel
        void kernel.exit.then(() => {
          if (current !== kernel) return
          current = undefined
          starting = undefined
        })
        return kernel
      },
      (error) => {
        starting = undefined
        throw error
      },
    )
    return starting
  }
  const bringVariables = async (kernel: Kernel) => {
    const now = options.variables()
    const code = codeForVariables(variablesOf.get(kernel) ?? {}, now)
    if (code === undefined) return
    await executeCell(kernel, { code, silent: true, listener: silence })
    variablesOf.set(kernel, now)
  }
  return {
    id: options.id,
    cwd: options.cwd,
    kernel: () => current,
    isBusy: () => runningCells > 0,
    run: (cell) => {
      let running: Kernel | undefined
      let cancelled = false
      isBlank = false
      const done = inOrder(async () => {
        const kernel = cancelled || isQuiet ? undefined : await ensureKernel()
        if (kernel === undefined || cancelled || isQuiet) return
        running = kernel
        runningCells += 1
        try {
          await bringVariables(running)
          await executeCell(running, cell)
        } finally {
          running = undefined
          runningCells -= 1
        }
      })
      const cancel = () => {
        cancelled = true
      }
      return { done, kernel: () => running, cancel }
    },
    warm: async () => void (await ensureKernel()),
    prewarm: async () => {
      if (starting !== undefined) return
      isBlank = true
      await executeCell(await ensureKernel(), { code: 'pass', silent: true, listener: silence })
    },
    dropUnused: async () => {
      const kernel = current
      if (!isBlank || kernel === undefined) return
      // A cell that arrives now gets another kernel.
      current = undefined
      starting = undefined
      await kernel.kill()
      await kernel.exit
    },
    quiesce: async (timeoutMs) => {
      isQuiet = true
      const ended = inOrder.settled()
      for (let waited = 0; waited < timeoutMs; waited += interruptEveryMs) {
        current?.hold(false)
        if (runningCells > 0) current?.interrupt()
        if ((await waitAtMost(interruptEveryMs, { work: ended })) === 'done') {
          isQuiet = false
          return true
        }
      }
      isQuiet = false
      return false
    },
    restart: async () => {
      const kernel = current
      await kernel?.kill()
      await kernel?.exit
    },
  }
}

/** Ignores everything. */
export const silence: CellListener = {
  onStream: () => undefined,
  onDisplay: () => undefined,
  onError: () => undefined,
  onExecutionCount: () => undefined,
}

/** A cell is over when the kernel has replied to the request and has reported on the output channel that it is idle. */
export async function executeCell(kernel: Kernel, cell: { code: string; silent?: boolean; listener: CellListener }) {
  const idle = Promise.withResolvers<void>()
  const replied = Promise.withResolvers<void>()
  kernel.request({
    type: 'execute_request',
    content: {
      code: cell.code,
      silent: cell.silent ?? false,
      store_history: !cell.silent,
      user_expressions: {},
      allow_stdin: false,
      stop_on_error: false,
    },
    listener: {
      onReply: () => replied.resolve(),
      onMessage: (message) => {
        if (message.type === 'status' && message.content.execution_state === 'idle') idle.resolve()
        else deliver(message, cell.listener)
      },
    },
  })
  const died = kernel.exit.then(({ code, signal }) => {
    throw kernelDied({ how: signal === null ? `exit code ${code}` : `by ${signal}` })
  })
  await Promise.race([Promise.all([idle.promise, replied.promise]), died])
}

function deliver({ type, content }: JupyterMessage, listener: CellListener) {
  switch (type) {
    case 'stream':
      listener.onStream({ name: content.name === 'stderr' ? 'stderr' : 'stdout', text: String(content.text) })
      break
    case 'execute_input':
      listener.onExecutionCount(Number(content.execution_count))
      break
    case 'display_data':
    case 'update_display_data':
    case 'execute_result':
      listener.onDisplay({
        bundle: { data: content.data, metadata: content.metadata },
        isResult: type === 'execute_result',
      })
      break
    case 'error': {
      const traceback = Array.isArray(content.traceback) ? content.traceback.map(String) : []
      listener.onError({ name: String(content.ename), value: String(content.evalue), traceback })
      break
    }
  }
}
