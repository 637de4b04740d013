import { Code, ConnectError } from '@connectrpc/connect'
import { waitAtMost } from '@threadbox/concurrency'
import { type TerminalServerFrame, type TerminalStatus, terminalCloseCodes } from '@threadbox/protocol/public'
import type { ReachableSandbox } from '../state/awake-sandbox.ts'
import { terminalUnsupported } from './terminals.errors.ts'
import { statusOf } from './terminals.logic.ts'
import type { TerminalRow } from './terminals.table.ts'
import type { SharedTerminalDependencies } from './terminals.usecases.ts'

/** How far a view can be behind. Then the guest is read no further, which makes the terminal wait. */
const windowBytes = 512 * 1024
/** A view that draws nothing for this long is disconnected; it reconnects at the offset that it has reached. */
const stallMs = 60_000
/** Terminals have some hundred bytes of modes, and no screen has more characters in a row. */
const maxModesBytes = 64 * 1024
const maxSize = 10_000
/** Sizes come from views: one for each repaint of a page at most. */
const betweenSizesMs = 10
/** How soon a connection that broke for an unknown reason is opened again. */
const retryMs = 500
/** Changes are always notified; this is the longest time without a check. */
const checkMs = 60_000

/** One view of a terminal while its socket is open. */
export type View = {
  threadId: string
  terminalId: string
  /** Aborts when the socket has closed. */
  signal: AbortSignal
  /** Offset after the last byte that was sent. */
  offset: number
  /** Everything before this offset has been drawn. */
  acked: number
  /** Called when `acked` has grown. */
  onAck: () => void
  /** The sandbox while its terminal is followed. */
  sandbox: ReachableSandbox | undefined
  send(frame: TerminalServerFrame): void
  /** Resolves when everything has left for the view. */
  sent(): Promise<void>
  sendOutput(data: Uint8Array): void
  close(code: number): void
}

type Outcome = 'over' | 'broken'

/** Shows a terminal to a view, across pauses and wakes, until it ends or the view closes. Wakes nothing. */
export async function showTerminal(parts: SharedTerminalDependencies, view: View): Promise<void> {
  const { threadId, terminalId, signal } = view
  while (!signal.aborted) {
    const row = await parts.store.find(threadId, terminalId)
    if (row === undefined) return view.close(terminalCloseCodes.gone)
    const facts = await parts.sandboxOf(threadId)
    const status = statusOf(row, facts)
    view.send({ type: 'status', status, exitCode: row.exit_code })
    const hasOutput = status === 'running' || (status === 'ended' && facts?.state === 'active')
    if (hasOutput && (await follow(parts, { view, row })) === 'over') return view.close(terminalCloseCodes.over)
    if (status === 'lost' || status === 'ended') return view.close(terminalCloseCodes.over)
    await changeOf(parts, { view, status })
  }
}

async function changeOf(
  parts: SharedTerminalDependencies,
  { view, status }: { view: View; status: TerminalStatus },
): Promise<void> {
  const { threadId, terminalId, signal } = view
  const isDifferent = async () => {
    const row = await parts.store.find(threadId, terminalId)
    const now = row === undefined ? undefined : statusOf(row, await parts.sandboxOf(threadId))
    return now === status ? undefined : true
  }
  const timeoutMs = status === 'running' ? retryMs : checkMs
  await parts.changes.until(threadId, isDifferent, { timeoutMs, signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
}

async function follow(
  parts: SharedTerminalDependencies,
  { view, row }: { view: View; row: TerminalRow },
): Promise<Outcome> {
  const sandbox = await parts.ifAwake(view.threadId)
  if (sandbox === undefined || sandbox.bootId !== row.boot_id) return 'broken'
  try {
    const request = { id: row.id, from: BigInt(view.offset) }
    let hasBegun = false
    for await (const { event } of sandbox.terminals.followTerminal(request, { signal: view.signal })) {
      // Only the first event begins: what a guest repeats would reach the view without a limit.
      if ((event.case === 'begin') === hasBegun && event.case !== 'keepalive') return 'broken'
      if (event.case === 'begin') {
        hasBegun = true
        const offset = Number(event.value.offset)
        if (!Number.isSafeInteger(offset)) return 'broken'
        const isReset = offset !== view.offset || offset === 0
        Object.assign(view, { offset, acked: offset, sandbox })
        const modes = Buffer.from(event.value.modes.subarray(0, maxModesBytes)).toString('latin1')
        const { cols, rows } = sizeOf(event.value.size ?? { cols: 80, rows: 24 })
        const liveFrom = Number(event.value.liveFrom)
        view.send({ type: 'start', offset, liveFrom, isReset, modes, cols, rows })
      } else if (event.case === 'output') {
        view.sendOutput(event.value)
        view.offset += event.value.length
        await waitForAck(view)
      } else if (event.case === 'resized') {
        view.send({ type: 'resized', ...sizeOf(event.value) })
        await Promise.all([view.sent(), waitAtMost(betweenSizesMs, { signal: view.signal })])
      } else if (event.case === 'ended') {
        await sendEnd(parts, { view, row, exitCode: event.value.exitCode })
        return 'over'
      }
    }
    return 'broken'
  } catch (error) {
    if (view.signal.aborted) return 'over'
    if (!(error instanceof ConnectError)) throw error
    if (error.code === Code.Unimplemented) throw terminalUnsupported({}, { cause: error })
    // The boot is the right one and its guest does not know the terminal: it was never opened there.
    if (error.code !== Code.NotFound || (await isAnotherBoot(parts, row))) return 'broken'
    await sendEnd(parts, { view, row, exitCode: row.exit_code ?? -1 })
    return 'over'
  } finally {
    view.sandbox = undefined
  }
}

function sizeOf({ cols, rows }: { cols: number; rows: number }): { cols: number; rows: number } {
  const within = (count: number) => Math.min(maxSize, count)
  return { cols: within(cols), rows: within(rows) }
}

/** The host also responds "not found" for a sandbox that is gone by now. */
async function isAnotherBoot(parts: SharedTerminalDependencies, row: TerminalRow): Promise<boolean> {
  return (await parts.ifAwake(row.thread_id))?.bootId !== row.boot_id
}

async function sendEnd(
  parts: SharedTerminalDependencies,
  { view, row, exitCode }: { view: View; row: TerminalRow; exitCode: number },
): Promise<void> {
  if (row.exit_code === null) {
    await parts.store.change(row, { exit_code: exitCode })
    await parts.changed(row.thread_id)
  }
  view.send({ type: 'status', status: 'ended', exitCode })
}

async function waitForAck(view: View): Promise<void> {
  while (view.offset - view.acked > windowBytes && !view.signal.aborted) {
    const before = view.acked
    const acked = Promise.withResolvers<void>()
    view.onAck = acked.resolve
    await waitAtMost(stallMs, { work: acked.promise, signal: view.signal })
    if (view.acked === before && !view.signal.aborted) view.close(terminalCloseCodes.stalled)
  }
}
