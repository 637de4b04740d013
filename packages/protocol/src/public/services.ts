import { z } from 'zod'

/** A service’s name for people and agents; part of paths and of the preview’s tab. */
export const serviceNameSchema = z.string().regex(/^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/)

export const servicePortSchema = z.number().int().min(1).max(65_535)

/**
 * `starting`: its process runs and its port does not respond yet. `suspended`: the sandbox is paused, the process
 * unchanged. `stopped`: it does not run: it was stopped, or its sandbox is cold and will restart it. `error`: it ended,
 * never responded, or no longer responds; `problem` says how.
 */
export const serviceStatuses = ['starting', 'running', 'suspended', 'stopped', 'error'] as const

/** A program of a sandbox that listens on a port, with what is needed to restart it. */
export const serviceSchema = z
  .object({
    name: serviceNameSchema,
    command: z.string(),
    port: servicePortSchema,
    cwd: z.string(),
    environment: z.record(z.string(), z.string()),
    status: z.enum(serviceStatuses),
    /** When this status began, ms since epoch. */
    since: z.number().int(),
    /** Only with `error`. `lastLines`: the end of its output, at most 2 KiB. */
    problem: z
      .object({
        code: z.enum(['exited', 'not-ready', 'port-taken', 'lost', 'not-started', 'not-answering']),
        exitCode: z.number().int().nullable(),
        message: z.string(),
        lastLines: z.string(),
      })
      .nullable(),
  })
  .meta({ id: 'Service' })
export type Service = z.infer<typeof serviceSchema>
export type ServiceStatus = Service['status']

/** A port that some process of the sandbox listens on without being a service: offered, never opened automatically. */
export const openPortSchema = z
  .object({ port: servicePortSchema, command: z.string(), cwd: z.string().nullable() })
  .meta({ id: 'OpenPort' })
export type OpenPort = z.infer<typeof openPortSchema>

/** `GET /threads/{id}/services`. In the order in which they were started; a cold start keeps that order. */
export const servicesViewSchema = z
  .object({ services: z.array(serviceSchema), openPorts: z.array(openPortSchema) })
  .meta({ id: 'Services' })
export type ServicesView = z.infer<typeof servicesViewSchema>

/** `POST /threads/{id}/services`: replaces the service of the same name or on the same port. */
export const startServiceRequestSchema = z
  .strictObject({
    name: serviceNameSchema,
    command: z.string().min(1).max(65_536),
    port: servicePortSchema,
    /** Default: the home directory. */
    cwd: z.string().min(1).max(4096).optional(),
    environment: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string().max(65_536)).optional(),
    /** How long its port can take to respond. Default 60 s. */
    readyTimeoutSeconds: z.number().int().min(1).max(600).optional(),
  })
  .meta({ id: 'StartServiceRequest' })
export type StartServiceRequest = z.infer<typeof startServiceRequestSchema>

/** `GET /threads/{id}/services/{name}/logs?before=`: the end of its output, oldest first. */
export const serviceLogsSchema = z
  .object({
    text: z.string(),
    /** Byte offset of the first byte of `text` in everything the service printed. */
    offset: z.number().int(),
    sizeBytes: z.number().int(),
    /** Bytes that were dropped from the beginning to bound the log; 0 if it is complete. */
    droppedBytes: z.number().int(),
  })
  .meta({ id: 'ServiceLogs' })
export type ServiceLogs = z.infer<typeof serviceLogsSchema>

/** `POST /threads/{id}/previews`. */
export const openPreviewRequestSchema = z
  .strictObject({
    port: servicePortSchema,
    /** Path with query and fragment to open. */
    path: z.string().max(8192).startsWith('/').optional(),
  })
  .meta({ id: 'OpenPreviewRequest' })
export type OpenPreviewRequest = z.infer<typeof openPreviewRequestSchema>

/**
 * A page of a sandbox on its own origin. `url` can be used once, until `expiresAt` (ms since epoch), and leads to the
 * page with a cookie of that origin. Null with a sentence in `unavailable` where previews can’t work the way the app is
 * reached.
 */
export const previewSchema = z
  .object({
    url: z.string().nullable(),
    origin: z.string().nullable(),
    /** The app’s origin under the hostname whose frames show previews: the fix for `preview.other-name`. */
    appOrigin: z.string(),
    expiresAt: z.number().int(),
    unavailable: z.object({ code: z.string(), message: z.string(), remedy: z.string() }).nullable(),
  })
  .meta({ id: 'Preview' })
export type Preview = z.infer<typeof previewSchema>

const previewProblemSchema = z
  .object({
    code: z.string(),
    message: z.string(),
    remedy: z.string(),
    /** Values for the messages in another language. */
    details: z.record(z.string(), z.string()),
  })
  .meta({ id: 'PreviewProblem' })

/**
 * `GET /previews/check`: how a browser checks whether it can show previews. It loads `url` into a frame and listens for
 * messages from that window and `origin`:
 * `{ threadbox: 'preview-check', id, hasCookie, socket }` with the id of the address, first with `socket` as `asked`,
 * then as `open` or `blocked`. Null with a sentence in `unavailable` if no browser can, the way the app is reached.
 */
export const previewCheckSchema = z
  .object({
    url: z.string().nullable(),
    origin: z.string().nullable(),
    unavailable: previewProblemSchema.nullable(),
    /** Messages for no reply, for a frame whose cookie is not kept, and for a WebSocket that doesn’t open. */
    problems: z.object({
      unreachable: previewProblemSchema,
      cookies: previewProblemSchema,
      sockets: previewProblemSchema,
    }),
  })
  .meta({ id: 'PreviewCheck' })
export type PreviewCheck = z.infer<typeof previewCheckSchema>
export type PreviewProblem = z.infer<typeof previewProblemSchema>
