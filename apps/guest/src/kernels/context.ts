import { makeSerial, waitAtMost } from '@threadbox/concurrency'
import { defineError } from '@threadbox/errors'
import type { JupyterMessage } from './jupyter-messages.ts'
import { type Kernel, kernelNotStarted, kernelUnneeded } from './kernel.ts'
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
  /** False if its kernel was prewarmed and has run no cell of the user since. */
  isUsed(): boolean
  /** True once a cell was requested in this boot. */
  hasRun(): boolean
  /** Starts the kernel before a cell needs it. */
  warm(): Promise<void>
  /** Starts the kernel, unless one runs or starts, before it is known whether a cell will need it. */
  prewarm(): Promise<void>
  /**
   * Ends a prewarmed kernel, also one that is starting, if it holds nothing of a user: no cell has run in it, and no
   * variable was restored. Returns whether there was one.
   */
  dropUnused(): Promise<boolean>
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
  start(signal: AbortSignal): Promise<Kernel>
  /** True if the next kernel gets variables that were saved earlier. */
  restores(): boolean
  /** Variables that a kernel starts with, and that one that runs gets before its next cell. */
  variables(): Record<string, string>
}): Context {
  const variablesOf = new WeakMap<Kernel, Record<string, string>>()
  const place = makeKernelPlace(async (signal) => {
    const given = options.variables()
    const kernel = await options.start(signal)
    variablesOf.set(kernel, given)
    return kernel
  })
  const inOrder = makeSerial()
  let runningCells = 0
  let isQuiet = false
  let hasRun = false
  /** True while the kernel holds nothing of a user, and no cell waits for it. */
  let isBlank = false
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
    kernel: place.kernel,
    isBusy: () => runningCells > 0,
    isUsed: () => !isBlank,
    hasRun: () => hasRun,
    run: (cell) => {
      let running: Kernel | undefined
      let cancelled = false
      isBlank = false
      hasRun = true
      const done = inOrder(async () => {
        const kernel = cancelled || isQuiet ? undefined : await place.ensure()
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
    warm: async () => {
      isBlank = false
      await place.ensure()
    },
    prewarm: async () => {
      if (!place.isEmpty()) return
      isBlank = !options.restores()
      // Loads what a first cell needs.
      await executeCell(await place.ensure(), { code: 'pass', silent: true, listener: silence })
    },
    dropUnused: async () => {
      if (!isBlank || place.isEmpty()) return false
      isBlank = false
      await place.empty()
      return true
    },
    quiesce: async (timeoutMs) => {
      isQuiet = true
      const ended = inOrder.settled()
      for (let waited = 0; waited < timeoutMs; waited += interruptEveryMs) {
        place.kernel()?.hold(false)
        if (runningCells > 0) place.kernel()?.interrupt()
        if ((await waitAtMost(interruptEveryMs, { work: ended })) === 'done') {
          isQuiet = false
          return true
        }
      }
      isQuiet = false
      return false
    },
    restart: async () => {
      const kernel = place.kernel()
      if (kernel !== undefined) await endKernel(kernel)
    },
  }
}

/** Where a context has its kernel, running or starting. */
function makeKernelPlace(start: (signal: AbortSignal) => Promise<Kernel>) {
  let current: Kernel | undefined
  let starting: Promise<Kernel> | undefined
  let abandonment = new AbortController()
  const begin = async (signal: AbortSignal) => {
    const kernel = await start(signal).catch((error: unknown) => {
      if (!signal.aborted) starting = undefined
      throw error
    })
    if (signal.aborted) {
      await endKernel(kernel)
      throw kernelNotStarted({ problem: kernelUnneeded })
    }
    current = kernel
    void kernel.exit.then(() => {
      if (current !== kernel) return
      current = undefined
      starting = undefined
    })
    return kernel
  }
  return {
    kernel: () => current,
    isEmpty: () => starting === undefined,
    ensure: () => {
      if (starting !== undefined) return starting
      abandonment = new AbortController()
      starting = begin(abandonment.signal)
      return starting
    },
    /** Ends the kernel or its start. One that is needed from now on is another. */
    empty: async () => {
      const [kernel, begun] = [current, starting]
      current = undefined
      starting = undefined
      abandonment.abort()
      if (kernel !== undefined) await endKernel(kernel)
      // One that is starting ends in its own start.
      await Promise.allSettled([begun])
    },
  }
}

async function endKernel(kernel: Kernel): Promise<void> {
  await kernel.kill()
  await kernel.exit
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
