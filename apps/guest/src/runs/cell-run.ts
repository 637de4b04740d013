import { readFileSync } from 'node:fs'
import { waitAtMost } from '@threadbox/concurrency'
import { isErrorOf, isThreadboxError } from '@threadbox/errors'
import { runs } from '@threadbox/protocol/guest'
import { afterAwake } from '../ground/awake-time.ts'
import { type CellHandle, type CellListener, type Context, kernelDied } from '../kernels/context.ts'
import { stripTerminalCodes } from '../kernels/jupyter-messages.ts'
import type { Kernel } from '../kernels/kernel.ts'
import { membersOf, type ProcessFamily, sendSignal } from '../processes/process-family.ts'
import { type Termination, type Terminations, terminationFields } from '../watchdog/terminations.ts'
import type { OutputLog } from './output-log.ts'
import { type Execution, type ExecutionEnd, makeExecutionRecord, plainEnd, type StopCause, viewOf } from './run.ts'

export type CellRequest = { key: string; code: string; timeoutMs: number; log: OutputLog }

/** Rich results are held in memory until the execution is forgotten; this limits one cell. */
const displayLimitBytes = 64 * 1024 * 1024
/** Of one rich result: it is one message, of which the server reads at most 16 MiB. */
const maxDisplayBytes = 15 * 1024 * 1024
/** How long programs started by the cell can ignore the interrupt. */
const childGraceMs = 500
/** How long Python itself can ignore it, for instance in a long computation in C; after that the kernel is ended. */
const kernelGraceMs = 3_000
const ticksPerSecond = 100

/** Runs a cell in a context as an execution: printed text becomes output, rich results become displays. */
export function startCellExecution(
  request: CellRequest,
  dependencies: { context: Context; takeTermination: Terminations['take'] },
): Execution {
  const { log } = request
  const startedAt = performance.now()
  const startTicks = uptimeTicks()
  const record = makeExecutionRecord(request)
  let stopCause: StopCause | undefined
  let failure: Pick<ExecutionEnd, 'errorName' | 'errorValue' | 'traceback'> | undefined
  let kernel: Kernel | undefined
  let disposed = false
  const append = (text: string) => {
    if (disposed) return
    log.append(Buffer.from(text, 'utf8'))
    // Kernels do not stop without a reader: this one is paused instead, and nothing is lost.
    if (log.isFull && stopCause === undefined) kernel?.hold(true)
    record.changed()
  }
  const listener: CellListener = {
    onStream: ({ text }) => append(text),
    onDisplay: makeDisplayKeeper({ displays: record.displays, append, changed: record.changed }),
    onError: (error) => {
      failure = {
        errorName: error.name,
        errorValue: stripTerminalCodes(error.value),
        traceback: stripTerminalCodes(error.traceback.join('\n')),
      }
    },
    onExecutionCount: () => {
      kernel = cell.kernel()
    },
  }
  log.onRoom(() => kernel?.hold(false))
  const cell: CellHandle = dependencies.context.run({ code: request.code, listener })
  const finish = (end: Partial<ExecutionEnd>) =>
    record.finish({
      ...plainEnd(stopCause ?? runs.EndCause.EXITED),
      ...end,
      cwd: dependencies.context.cwd,
      outputSize: log.size,
      durationMs: performance.now() - startedAt,
    })
  const stop = async (cause: StopCause) => {
    if (record.end !== undefined) return
    stopCause ??= cause
    await endCell({ cell, startTicks, whenEnded: record.whenEnded })
  }
  const takeTermination = () => kernel && dependencies.takeTermination(familyOf(kernel), startedAt)
  const timeout =
    request.timeoutMs > 0 ? afterAwake(request.timeoutMs, () => void stop(runs.EndCause.TIMEOUT)) : undefined
  void cell.done
    .then(
      () => finish({ exitCode: failure === undefined ? 0 : 1, ...failure, ...terminationFields(takeTermination()) }),
      (error) => finish(kernelExitOf(error, { stopCause, termination: takeTermination() })),
    )
    .finally(() => timeout?.cancel())
  const dispose = () => {
    disposed = true
    kernel?.hold(false)
    log.close()
  }
  return Object.assign(viewOf(record), { stop, dispose })
}

function familyOf(kernel: Kernel): ProcessFamily {
  return { root: kernel.pid, mark: undefined }
}

function kernelExitOf(
  error: unknown,
  context: { stopCause: StopCause | undefined; termination: Termination | undefined },
) {
  const message = isThreadboxError(error) ? error.message : 'The cell couldn’t run.'
  if (context.stopCause !== undefined) {
    return { exitCode: -1, message: 'It didn’t respond to the interrupt, so the Python kernel was stopped.' }
  }
  if (context.termination !== undefined) {
    return { exitCode: -1, ...terminationFields(context.termination) }
  }
  return isErrorOf(kernelDied, error)
    ? { cause: runs.EndCause.KERNEL_DIED, exitCode: -1, message }
    : { exitCode: -1, message, errorName: 'KernelNotStarted', errorValue: message }
}

/** Interrupts the cell; ends first its programs, then the kernel, if they keep running. */
async function endCell(options: { cell: CellHandle; startTicks: number; whenEnded: Promise<void> }) {
  const { cell, whenEnded } = options
  cell.cancel()
  for (let waited = 0; waited < kernelGraceMs; waited += childGraceMs) {
    const kernel = cell.kernel()
    kernel?.hold(false)
    kernel?.interrupt()
    if ((await waitAtMost(childGraceMs, { work: whenEnded })) === 'done') return
    if (kernel !== undefined) killChildren(kernel, options.startTicks)
  }
  await cell.kernel()?.kill()
  await whenEnded
}

function killChildren(kernel: Kernel, startTicks: number) {
  const started = membersOf(familyOf(kernel)).filter((member) => member.startTicks >= startTicks)
  for (const child of started) if (child.pid !== kernel.pid) sendSignal(child.pid, 'SIGKILL')
}

function uptimeTicks(): number {
  return Math.floor(Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) * ticksPerSecond)
}

function makeDisplayKeeper(options: {
  displays: { bundleJson: string; isResult: boolean }[]
  append(text: string): void
  changed(): void
}): CellListener['onDisplay'] {
  let heldBytes = 0
  return ({ bundle, isResult }) => {
    const bundleJson = JSON.stringify(bundle)
    const bytes = Buffer.byteLength(bundleJson)
    if (bytes > maxDisplayBytes) {
      options.append(`[a rich result of ${bytes} bytes was omitted: the limit is ${maxDisplayBytes}]\n`)
      return
    }
    if (heldBytes + bytes > displayLimitBytes) {
      options.append(`[a rich result of ${bytes} bytes was omitted: this cell has too many results]\n`)
      return
    }
    heldBytes += bytes
    options.displays.push({ bundleJson, isResult })
    options.changed()
  }
}
