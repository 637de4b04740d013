import type { MessageInitShape } from '@bufbuild/protobuf'
import type { ServiceImpl } from '@connectrpc/connect'
import type { terminals } from '@threadbox/protocol/guest'
import type { ProcessEnd } from '../processes/managed-process.ts'
import type { Terminal, TerminalEvent, TerminalSize } from './terminal.ts'
import type { TerminalRegistry } from './terminal-registry.ts'
import { terminalEnded } from './terminals.errors.ts'

const defaultSize: TerminalSize = { cols: 80, rows: 24 }
/** More than any screen shows; a program allocates the size that it gets. */
const maxSize: TerminalSize = { cols: 1000, rows: 500 }

/** The Terminals service of the guest protocol; `terminals.proto` states its contract. */
export function makeTerminalsService(registry: TerminalRegistry): ServiceImpl<typeof terminals.Terminals> {
  return {
    openTerminal: async ({ id, cols, rows, cwd }) => {
      const size = sizeOf({ cols, rows })
      return { terminal: present(await registry.open({ id, size, cwd: cwd === '' ? undefined : cwd })) }
    },
    closeTerminal: async ({ id }) => {
      await registry.close(id)
      return {}
    },
    listTerminals: () => ({ terminals: registry.list().map(present) }),
    followTerminal: async function* ({ id, from }, context) {
      const terminal = registry.find(id)
      for await (const event of terminal.follow(Number(from), context.signal)) yield { event: presentEvent(event) }
    },
    writeTerminal: async ({ id, data, isReport }) => {
      const terminal = registry.find(id)
      if (terminal.end !== undefined) throw terminalEnded({ id })
      await terminal.write(data, isReport)
      return {}
    },
    resizeTerminal: ({ id, cols, rows }) => {
      registry.find(id).resize(sizeOf({ cols, rows }))
      return {}
    },
  }
}

function sizeOf({ cols, rows }: TerminalSize): TerminalSize {
  return {
    cols: Math.min(cols || defaultSize.cols, maxSize.cols),
    rows: Math.min(rows || defaultSize.rows, maxSize.rows),
  }
}

function present({ id, pid, size, end }: Terminal) {
  return { id, pid, ...size, ...(end === undefined ? {} : { end: presentEnd(end) }) }
}

function presentEnd({ exitCode, error }: ProcessEnd) {
  return { exitCode, status: error ?? '' }
}

type Event = Exclude<MessageInitShape<typeof terminals.FollowTerminalResponseSchema>['event'], undefined>

function presentEvent(event: TerminalEvent): Event {
  switch (event.type) {
    case 'begin': {
      const { offset, modes } = event.begin
      return {
        case: 'begin',
        value: { offset: BigInt(offset), modes, size: event.size, liveFrom: BigInt(event.liveFrom) },
      }
    }
    case 'output':
      return { case: 'output', value: event.data }
    case 'resized':
      return { case: 'resized', value: event.size }
    case 'ended':
      return { case: 'ended', value: presentEnd(event.end) }
    default:
      return { case: 'keepalive', value: {} }
  }
}
