import type { WireError } from '@threadbox/errors'
import { z } from 'zod'
import { maxTerminalInput } from './terminal-socket.ts'

/**
 * `running`: its shell runs. `suspended`: the sandbox is paused, the shell unchanged. `ended`: its shell has ended.
 * `lost`: the memory in which its shell ran is lost.
 */
export const terminalStatuses = ['running', 'suspended', 'ended', 'lost'] as const

export const terminalTitleSchema = z.string().trim().min(1).max(60)
const colsSchema = z.number().int().min(2).max(1000)
const rowsSchema = z.number().int().min(1).max(500)

/** A shell in a pseudo-terminal of a sandbox. It keeps running without a viewer. */
export const terminalSchema = z
  .object({
    id: z.string(),
    title: z.string(),
    status: z.enum(terminalStatuses),
    /** Only with `ended`; -1 when a signal ended it. */
    exitCode: z.number().int().nullable(),
    /** ms since epoch */
    createdAt: z.number().int(),
  })
  .meta({ id: 'Terminal' })
export type Terminal = z.infer<typeof terminalSchema>
export type TerminalStatus = Terminal['status']

/** `GET /threads/{id}/terminals`. In the order in which they were opened. */
export const terminalsViewSchema = z.object({ terminals: z.array(terminalSchema) }).meta({ id: 'Terminals' })
export type TerminalsView = z.infer<typeof terminalsViewSchema>

/** `POST /threads/{id}/terminals`. */
export const openTerminalRequestSchema = z
  .strictObject({
    /** Default: `bash`, with a number if that name is in use. */
    title: terminalTitleSchema.optional(),
    cols: colsSchema.optional(),
    rows: rowsSchema.optional(),
    /** Default: the home directory. */
    cwd: z.string().min(1).max(4096).optional(),
  })
  .meta({ id: 'OpenTerminalRequest' })
export type OpenTerminalRequest = z.infer<typeof openTerminalRequestSchema>

/** `PATCH /threads/{id}/terminals/{id}`. */
export const renameTerminalRequestSchema = z
  .strictObject({ title: terminalTitleSchema })
  .meta({ id: 'RenameTerminalRequest' })
export type RenameTerminalRequest = z.infer<typeof renameTerminalRequestSchema>

/** What a view sends over its socket, as JSON. */
export const terminalClientFrameSchema = z.discriminatedUnion('type', [
  /** What the person typed or pasted. It wakes a paused sandbox. */
  z.strictObject({ type: z.literal('input'), data: z.string().min(1).max(maxTerminalInput) }),
  /**
   * Sent by the terminal and not typed: focus, mouse position, responses to a program’s queries. It wakes nothing, does
   * not count as activity, and is dropped while the sandbox sleeps.
   */
  z.strictObject({ type: z.literal('report'), data: z.string().min(1).max(maxTerminalInput) }),
  z.strictObject({ type: z.literal('resize'), cols: colsSchema, rows: rowsSchema }),
  /** Everything before this offset is on the screen; without acknowledgments the output stops after half a mebibyte. */
  z.strictObject({ type: z.literal('ack'), offset: z.number().int().min(0) }),
  /** Wakes a paused sandbox without typing. */
  z.strictObject({ type: z.literal('wake') }),
])
export type TerminalClientFrame = z.infer<typeof terminalClientFrameSchema>

/** An error as the API returns it. */
export type TerminalProblem = WireError['error']

/** What the server sends to a view over its socket, as JSON. Output comes in between as binary messages. */
export type TerminalServerFrame =
  | {
      /** The output that follows begins at this offset. */
      type: 'start'
      offset: number
      /** Output before this offset was printed before this view came: the view must not answer queries in it. */
      liveFrom: number
      /** The screen does not show what precedes this output: clear it, and write `modes` first. */
      isReset: boolean
      modes: string
      cols: number
      rows: number
    }
  | { type: 'resized'; cols: number; rows: number }
  | { type: 'status'; status: TerminalStatus; exitCode: number | null }
  /** A request failed; the socket stays open. */
  | { type: 'error'; error: TerminalProblem }
