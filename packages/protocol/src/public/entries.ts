import { z } from 'zod'
import { survivalReportSchema } from './lifecycle.ts'
import { screenshotSchema } from './screenshot.ts'
import { serviceSchema } from './services.ts'

/** JSON of any shape: tool inputs as the model wrote them. */
export const jsonSchema: z.ZodType<unknown> = z.unknown()

export const attachmentSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    mediaType: z.string(),
    sizeBytes: z.number().int(),
    /** Its path, now or once the sandbox starts. Unique in the thread. */
    path: z.string(),
    /** Set on a screenshot of a preview, once it is part of a message. */
    screenshot: screenshotSchema.optional(),
  })
  .meta({ id: 'Attachment' })
export type Attachment = z.infer<typeof attachmentSchema>

/**
 * A rich result of a Python cell: the same content in several media types, best first. Small text is inline, everything
 * else is behind `url` (relative to the API root; same session).
 */
export const displaySchema = z
  .object({
    id: z.string(),
    items: z.array(
      z.object({
        mediaType: z.string(),
        text: z.string().optional(),
        url: z.string().optional(),
        sizeBytes: z.number().int(),
      }),
    ),
  })
  .meta({ id: 'Display' })
export type Display = z.infer<typeof displaySchema>

const entryBase = { id: z.string(), turnId: z.string(), at: z.number().int() }

export const userMessageEntrySchema = z.object({
  ...entryBase,
  kind: z.literal('user-message'),
  text: z.string(),
  /** Who sent it. Absent: the thread’s creator, or a person whose name a copy doesn’t keep. */
  authorId: z.string().optional(),
  attachments: z.array(attachmentSchema),
  /** `queued` waits for the running turn; `held` waits for a person after a stop. */
  status: z.enum(['delivered', 'queued', 'held']),
})

export const textEntrySchema = z.object({
  ...entryBase,
  kind: z.enum(['text', 'reasoning']),
  stepId: z.string(),
  text: z.string(),
  /** `partial`: the model was cut off (stop, failure) and what had arrived is kept. */
  status: z.enum(['streaming', 'done', 'partial']),
})

/** The end of a command’s output. What was kept of it is at `/threads/{id}/outputs/{callId}`. */
export const outputTailSchema = z.object({
  tail: z.string(),
  /** Byte offset of the first byte of `tail` in the whole output. */
  tailOffset: z.number().int(),
  /** All bytes written, also those that weren’t kept. */
  sizeBytes: z.number().int(),
  /** Missing if all bytes are kept, and while the output grows. Bytes from `headBytes` to `tailFrom` weren’t kept. */
  kept: z
    .object({
      headBytes: z.number().int(),
      tailFrom: z.number().int(),
      /** Which limit was reached: the call’s or the thread’s. */
      limit: z.enum(['call', 'thread']),
    })
    .optional(),
})

/** The result of a finished tool call, by tool. */
export const toolResultSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('command'), exitCode: z.number().int().nullable(), cwd: z.string().nullable() }),
  z.object({ kind: z.literal('python'), displays: z.array(displaySchema), traceback: z.string().nullable() }),
  z.object({
    kind: z.literal('diff'),
    path: z.string(),
    isNew: z.boolean(),
    addedLines: z.number().int(),
    removedLines: z.number().int(),
    /** Unified diff, at most 64 KiB; `isTruncated` if it was cut. */
    diff: z.string(),
    isTruncated: z.boolean(),
  }),
  z.object({ kind: z.literal('text'), text: z.string(), path: z.string().nullable() }),
  z.object({
    kind: z.literal('file'),
    path: z.string(),
    name: z.string(),
    mediaType: z.string(),
    sizeBytes: z.number().int(),
    url: z.string(),
    caption: z.string().nullable(),
  }),
  z.object({
    kind: z.literal('image'),
    path: z.string(),
    mediaType: z.string(),
    sizeBytes: z.number().int(),
    url: z.string(),
    /** Set if it is a screenshot of a page, whose address is the path. `problems`: lines for people. */
    page: z
      .object({ title: z.string(), httpStatus: z.number().int().nullable(), problems: z.array(z.string()) })
      .optional(),
  }),
  /** The service at the end of the call. */
  z.object({ kind: z.literal('service'), service: serviceSchema }),
  /** An MCP server’s result. `url`: the whole text, if `text` is only its beginning. `notes`: what is left out. */
  z.object({
    kind: z.literal('connection'),
    text: z.string(),
    sizeBytes: z.number().int(),
    url: z.string().nullable(),
    images: z.array(z.object({ mediaType: z.string(), sizeBytes: z.number().int(), url: z.string() })),
    notes: z.array(z.string()),
  }),
])
export type ToolResult = z.infer<typeof toolResultSchema>

export const toolNames = [
  'run_command',
  'run_python',
  'read_file',
  'write_file',
  'edit_file',
  'list_files',
  'search_files',
  'share_file',
  'view_image',
  'start_service',
  'stop_service',
  'restart_service',
  'service_logs',
  'list_services',
  'view_page',
] as const
export type ToolName = (typeof toolNames)[number]

/** What a call in a conversation can use: a tool of threadbox, or one of a connection, which `connection` names. */
export const callTools = [...toolNames, 'connection'] as const
export type CallTool = (typeof callTools)[number]

/** The tool and connection of a call, by their names at the time of the call. */
export const calledConnectionSchema = z.object({
  id: z.string(),
  name: z.string(),
  tool: z.string(),
  title: z.string().nullable(),
  description: z.string(),
})
export type CalledConnection = z.infer<typeof calledConnectionSchema>

const callErrorSchema = z
  .object({
    code: z.string(),
    message: z.string(),
    remedy: z.string(),
    /** The values in the sentences, for sentences in other languages. Absent from calls of earlier versions. */
    details: z.record(z.string(), jsonSchema).optional(),
  })
  .meta({ id: 'CallError' })
export type CallError = z.infer<typeof callErrorSchema>

export const toolCallEntrySchema = z.object({
  ...entryBase,
  kind: z.literal('tool-call'),
  stepId: z.string().nullable(),
  tool: z.enum(callTools),
  connection: calledConnectionSchema.optional(),
  input: jsonSchema,
  /**
   * `waiting`: recorded, sandbox starting. `awaiting-approval`: a person has to allow it before it is made.
   * `interrupted`: a crash came between start and end and the call could not be re-attached, so how far it got is
   * unknown; it is never repeated automatically.
   */
  status: z.enum(['waiting', 'awaiting-approval', 'running', 'succeeded', 'failed', 'stopped', 'interrupted']),
  startedAt: z.number().int().nullable(),
  endedAt: z.number().int().nullable(),
  output: outputTailSchema,
  result: toolResultSchema.nullable(),
  error: callErrorSchema.nullable(),
})

export const noticeEntrySchema = z.object({
  ...entryBase,
  kind: z.literal('notice'),
  /** A message key of the web app; `params` are its values: see `lifecycleNoticeParams` for those of sandboxes. */
  code: z.enum([
    'step-discarded',
    'compacted',
    'sandbox-started',
    'sandbox-stopped',
    'sandbox-replaced',
    'call-interrupted',
    'connect-model',
    'model-available',
    'model-switched',
    'model-fallback',
    'images-not-seen',
    'help',
    'turn-stopped',
    'sandbox-paused',
    'sandbox-waiting',
    'awake-limit-near',
    'retention-near',
    'disk-nearly-full',
    'sandbox-status',
    'forked',
    'forked-to',
    'copied',
    'rewound',
    'opened-by-admin',
  ]),
  params: z.record(z.string(), z.union([z.string(), z.number()])),
})

/** The sandbox woke: one line, and the survival report behind it. Replaced while the report is being completed. */
export const wakeEntrySchema = z.object({ ...entryBase, kind: z.literal('wake'), report: survivalReportSchema })

/** Every kind of entry in a conversation, in the order of `position`. */
export const entrySchema = z
  .discriminatedUnion('kind', [
    userMessageEntrySchema,
    textEntrySchema,
    toolCallEntrySchema,
    noticeEntrySchema,
    wakeEntrySchema,
  ])
  .meta({ id: 'Entry' })
export type Entry = z.infer<typeof entrySchema>
export type UserMessageEntry = z.infer<typeof userMessageEntrySchema>
export type TextEntry = z.infer<typeof textEntrySchema>
export type ToolCallEntry = z.infer<typeof toolCallEntrySchema>
export type WakeEntry = z.infer<typeof wakeEntrySchema>
export type NoticeEntry = z.infer<typeof noticeEntrySchema>
