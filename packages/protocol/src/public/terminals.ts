import type { WireError } from '@threadbox/errors'
import { z } from 'zod'
import { maxTerminalInput } from './terminal-socket.ts'

/**
 * `running`: its shell runs. `suspended`: the sandbox is paused, the shell is as it was. `ended`: its shell has ended.
 * `lost`: the memory in which its shell ran is gone.
 */
export const terminalStatuses = ['running', 'suspended', 'ended', 'lost'] as const

export const terminalTitleSchema = z.string().trim().min(1).max(60)
const colsSchema = z.number().int().min(2).max(1000)
const rowsSchema = z.number().int().min(1).max(500)

/** A shell in a pseudo-terminal of a sandbox. It goes on while nobody looks. */
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
    /** Default: `bash`, with a number where there is one already. */
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
   * What the terminal says by itself: that it has the focus, where the mouse is, what a program asked. Wakes nothing, counts
   * as nothing, and is dropped while the sandbox sleeps.
   */
  z.strictObject({ type: z.literal('report'), data: z.string().min(1).max(maxTerminalInput) }),
  z.strictObject({ type: z.literal('resize'), cols: colsSchema, rows: rowsSchema }),
  /** Everything before this offset is on the screen; without it the output stops after half a mebibyte. */
  z.strictObject({ type: z.literal('ack'), offset: z.number().int().min(0) }),
  /** Wakes a paused sandbox without typing. */
  z.strictObject({ type: z.literal('wake') }),
])
export type TerminalClientFrame = z.infer<typeof terminalClientFrameSchema>

/** An error as the API tells it. */
export type TerminalProblem = WireError['error']

/** What a view is told over its socket, as JSON. Output comes in between as binary messages. */
export type TerminalServerFrame =
  | {
      /** The output that follows begins at this offset. */
      type: 'start'
      offset: number
      /** Output before it was printed before this view came: questions in it to the terminal are not to be answered. */
      liveFrom: number
      /** What is on the screen is not what comes before it: clear it, and write `modes` first. */
      isReset: boolean
      modes: string
      cols: number
      rows: number
    }
  | { type: 'resized'; cols: number; rows: number }
  | { type: 'status'; status: TerminalStatus; exitCode: number | null }
  /** What was asked for did not happen; the socket stays. */
  | { type: 'error'; error: TerminalProblem }
