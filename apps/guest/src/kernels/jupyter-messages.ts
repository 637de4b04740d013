import { z } from 'zod'
import { freshRandom } from '../ground/random.ts'
import type { ZmtpMessage } from './zmtp.ts'

const delimiter = '<IDS|MSG>'
const contentSchema = z.record(z.string(), z.unknown())

export type JupyterMessage = {
  type: string
  /** Id of the request that this message belongs to. */
  parentId: string
  content: Record<string, unknown>
}

/** A request in Jupyter's wire format 5.3. Messages are not signed: only the user can reach the kernel's sockets. */
export function encodeRequest(options: { id: string; type: string; content: object; session: string }): ZmtpMessage {
  const header = {
    msg_id: options.id,
    msg_type: options.type,
    session: options.session,
    username: 'user',
    date: new Date().toISOString(),
    version: '5.3',
  }
  const parts = [header, {}, {}, options.content].map((part) => Buffer.from(JSON.stringify(part)))
  return [Buffer.from(delimiter), Buffer.alloc(0), ...parts]
}

/** Returns undefined if the frames are not a Jupyter message. */
export function decodeMessage(frames: ZmtpMessage): JupyterMessage | undefined {
  const start = frames.findIndex((frame) => frame.equals(Buffer.from(delimiter)))
  const [header, parent, , content] = frames.slice(start + 2, start + 6)
  if (start < 0 || header === undefined || parent === undefined || content === undefined) return undefined
  try {
    const type = (JSON.parse(header.toString('utf8')) as { msg_type?: unknown }).msg_type
    const parentId = (JSON.parse(parent.toString('utf8')) as { msg_id?: unknown }).msg_id
    return {
      type: String(type),
      parentId: typeof parentId === 'string' ? parentId : '',
      content: contentSchema.parse(JSON.parse(content.toString('utf8'))),
    }
  } catch {
    return undefined
  }
}

export function newMessageId(): string {
  return freshRandom(16)
}

/** Removes colors and other terminal control sequences. */
export function stripTerminalCodes(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches the escape character
  return text.replace(/\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g, '')
}
