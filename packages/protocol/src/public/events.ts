import { z } from 'zod'
import { displaySchema, entrySchema } from './entries.ts'
import { servicesViewSchema } from './services.ts'
import { terminalsViewSchema } from './terminals.ts'
import { threadSchema, turnSchema } from './thread.ts'
import { personPresentSchema } from './workspace-roles.ts'

/**
 * What `GET /api/v1/threads/{id}/events` sends (server-sent events; the SSE `id` is `seq`).
 *
 * Recorded events carry a `seq`, each one higher, and are replayed after `Last-Event-ID`. Events without a `seq` are
 * live only; they carry absolute offsets, so a recorded event repairs what applying one twice or missing one would
 * change. `reset` means: the client’s state is too old to be brought forward, fetch the entries again.
 */
export const threadEventSchema = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('entry-added'), seq: z.number().int(), entry: entrySchema }),
    z.object({ type: z.literal('entry-updated'), seq: z.number().int(), entry: entrySchema }),
    z.object({ type: z.literal('entry-removed'), seq: z.number().int(), entryId: z.string() }),
    /** `offset` and the length of `text` count UTF-16 code units of the entry's text. */
    z.object({
      type: z.literal('text-appended'),
      seq: z.number().int(),
      entryId: z.string(),
      offset: z.number().int(),
      text: z.string(),
    }),
    z.object({ type: z.literal('display-added'), seq: z.number().int(), entryId: z.string(), display: displaySchema }),
    z.object({ type: z.literal('turn-updated'), seq: z.number().int(), turn: turnSchema }),
    z.object({ type: z.literal('thread-updated'), seq: z.number().int(), thread: threadSchema }),
    /** `offset` and `sizeBytes` count bytes of the whole output; `text` is its part from `offset` to `sizeBytes`. */
    z.object({
      type: z.literal('output-appended'),
      entryId: z.string(),
      offset: z.number().int(),
      text: z.string(),
      sizeBytes: z.number().int(),
    }),
    z.object({ type: z.literal('reset') }),
  ])
  .meta({ id: 'ThreadEvent' })
export type ThreadEvent = z.infer<typeof threadEventSchema>

/**
 * What `GET /api/v1/events` sends to keep the sidebar current. Live only: after a reconnect, list the threads again.
 */
export const userEventSchema = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('thread-updated'), thread: threadSchema }),
    z.object({ type: z.literal('thread-removed'), threadId: z.string() }),
    z.object({ type: z.literal('status-updated') }),
    /** New value of the status’s `host.awakeSandboxes`. */
    z.object({ type: z.literal('awake-changed'), awakeSandboxes: z.number().int() }),
    /** The user’s workspaces, or their threads, have changed: list both again. */
    z.object({ type: z.literal('workspaces-updated') }),
    /** Skills that the user can see have changed: list them again. */
    z.object({ type: z.literal('skills-updated') }),
    z.object({ type: z.literal('agents-updated') }),
    /** Services of a thread that the user can see: the complete current list. */
    z.object({ type: z.literal('services-updated'), threadId: z.string(), services: servicesViewSchema }),
    /** Something in a folder that the user watches has changed; null: in any of the thread’s watched folders. */
    z.object({ type: z.literal('files-changed'), threadId: z.string(), path: z.string().nullable() }),
    /** Progress of a copy that the user ordered (`copyId`). The response to the order says when it is done. */
    z.object({
      type: z.literal('files-copying'),
      threadId: z.string(),
      copyId: z.string(),
      files: z.number().int(),
      bytes: z.number().int(),
    }),
    /** Terminals of a thread that the user can see: the complete current list. */
    z.object({ type: z.literal('terminals-updated'), threadId: z.string(), terminals: terminalsViewSchema }),
    /** Who has a thread open that the user can see. */
    z.object({ type: z.literal('presence-updated'), threadId: z.string(), people: z.array(personPresentSchema) }),
    /** A turn of a thread that the user can see was pinned or unpinned: list the thread’s snapshots again. */
    z.object({ type: z.literal('snapshots-updated'), threadId: z.string() }),
  ])
  .meta({ id: 'UserEvent' })
export type UserEvent = z.infer<typeof userEventSchema>

/** A page of a conversation: newest last. `lastSeq` is where to attach the event stream (`?after=`). */
export const entriesPageSchema = z
  .object({
    entries: z.array(entrySchema),
    turns: z.array(turnSchema),
    lastSeq: z.number().int(),
    /** Pass as `before` to get the page above; null at the beginning of the thread. */
    before: z.string().nullable(),
  })
  .meta({ id: 'EntriesPage' })
export type EntriesPage = z.infer<typeof entriesPageSchema>
