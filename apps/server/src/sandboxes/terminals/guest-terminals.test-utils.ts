import { Code, ConnectError, type ConnectRouter } from '@connectrpc/connect'
import { terminals as guest } from '@threadbox/protocol/guest'

type Shell = { output: Buffer; input: string; size: { cols: number; rows: number }; exitCode: number | undefined }

/** A guest whose terminals print what a test sets, and record what is typed. */
export type GuestTerminals = {
  routes: (router: ConnectRouter) => void
  shells: Map<string, Shell>
  print(id: string, data: string | Buffer): void
  end(id: string, exitCode: number): void
  /** Cuts off all followers, as a pause does. */
  cutFollowers(): void
  /** Begins another boot, without any terminals. */
  newBoot(): void
  /** Value of `modes` for a reader that begins. */
  modes: string
  /** What a hostile guest repeats without end. */
  repeats: 'begin' | 'resized' | undefined
  /** How many bytes readers have got. */
  handedOut: number
  /** While set, calls fail with it. */
  fails: ConnectError | undefined
}

const chunkBytes = 32 * 1024

export function makeGuestTerminals(): GuestTerminals {
  const listeners = new Set<() => void>()
  let cut = new AbortController()
  const changed = () => {
    for (const listener of listeners) listener()
  }
  const find = (id: string) => {
    const shell = state.shells.get(id)
    if (state.fails !== undefined) throw state.fails
    if (shell === undefined) throw new ConnectError('no such terminal', Code.NotFound)
    return shell
  }
  const state: GuestTerminals = {
    routes: (router) => void router.service(guest.Terminals, implementation),
    shells: new Map(),
    modes: '',
    repeats: undefined,
    handedOut: 0,
    fails: undefined,
    print: (id, data) => {
      const shell = find(id)
      shell.output = Buffer.concat([shell.output, Buffer.from(data as string)])
      changed()
    },
    end: (id, exitCode) => {
      find(id).exitCode = exitCode
      changed()
    },
    cutFollowers: () => {
      cut.abort()
      cut = new AbortController()
      changed()
    },
    newBoot: () => {
      state.shells.clear()
      state.cutFollowers()
    },
  }
  const implementation = {
    openTerminal: ({ id, cols, rows }: guest.OpenTerminalRequest) => {
      if (state.fails !== undefined) throw state.fails
      state.shells.set(id, { output: Buffer.alloc(0), input: '', size: { cols, rows }, exitCode: undefined })
      return {}
    },
    closeTerminal: ({ id }: guest.CloseTerminalRequest) => {
      state.shells.delete(id)
      return {}
    },
    listTerminals: () => ({
      terminals: [...state.shells].map(([id, { exitCode }]) => ({
        id,
        ...(exitCode === undefined ? {} : { end: { exitCode, status: '' } }),
      })),
    }),
    async *followTerminal({ id, from }: guest.FollowTerminalRequest, context: { signal: AbortSignal }) {
      const shell = find(id)
      const over = cut.signal
      let offset = Number(from)
      const modes = Buffer.from(offset === 0 ? state.modes : '')
      const value = { offset: BigInt(offset), modes, size: shell.size, liveFrom: BigInt(shell.output.length) }
      const begin = { event: { case: 'begin' as const, value } }
      yield begin
      while (state.repeats !== undefined && !context.signal.aborted) {
        state.handedOut += modes.length
        yield state.repeats === 'begin' ? begin : { event: { case: 'resized' as const, value: shell.size } }
      }
      while (!over.aborted && !context.signal.aborted) {
        const next = Promise.withResolvers<void>()
        listeners.add(next.resolve)
        context.signal.addEventListener('abort', () => next.resolve(), { once: true })
        if (offset < shell.output.length) {
          const value = shell.output.subarray(offset, offset + chunkBytes)
          offset += value.length
          state.handedOut += value.length
          yield { event: { case: 'output' as const, value } }
        } else if (shell.exitCode !== undefined) {
          yield { event: { case: 'ended' as const, value: { exitCode: shell.exitCode, status: '' } } }
          return
        } else await next.promise
        listeners.delete(next.resolve)
      }
      throw new ConnectError('the connection was cut', Code.Unavailable)
    },
    writeTerminal: ({ id, data }: guest.WriteTerminalRequest) => {
      find(id).input += Buffer.from(data).toString('utf8')
      return {}
    },
    resizeTerminal: ({ id, cols, rows }: guest.ResizeTerminalRequest) => {
      find(id).size = { cols, rows }
      return {}
    },
  }
  return state
}
