import type { WireError } from '@threadbox/errors'
import { z } from 'zod'
import type { ThreadEvent, UserEvent } from './events.ts'

/** The client chooses it; it is not used twice on one socket. */
const streamSchema = z.number().int().min(1).max(2_147_483_647)

/**
 * What a client sends over the socket at `GET /api/v1/events/socket`, as JSON. The socket carries any number of the event
 * streams that `GET /events` and `GET /threads/{id}/events` serve one by one.
 */
export const streamClientFrameSchema = z.discriminatedUnion('type', [
  /** Begins to follow a thread after the event with this `seq`, or the user's events. */
  z.discriminatedUnion('source', [
    z.strictObject({ type: z.literal('open'), stream: streamSchema, source: z.literal('user') }),
    z.strictObject({
      type: z.literal('open'),
      stream: streamSchema,
      source: z.literal('thread'),
      threadId: z.string().min(1).max(64),
      after: z.number().int().min(0),
    }),
  ]),
  z.strictObject({ type: z.literal('close'), stream: streamSchema }),
  /** How many characters of messages the client has processed since the socket opened. */
  z.strictObject({ type: z.literal('ack'), characters: z.number().int().min(0) }),
])
export type StreamClientFrame = z.infer<typeof streamClientFrameSchema>

/** What the server sends over it, as JSON. */
export type StreamServerFrame =
  /** The stream is followed from here on: what happens after this arrives as an event. */
  | { type: 'opened'; stream: number }
  | { type: 'event'; stream: number; event: ThreadEvent | UserEvent }
  /** Nothing more comes on this stream: it is complete, or it could not be opened or continued. The socket stays. */
  | { type: 'ended'; stream: number; error: WireError['error'] | null }
  /** A message could not be used. Nothing changed; open streams continue. */
  | { type: 'error'; stream: number | null; error: WireError['error'] }
  | { type: 'alive' }
