import { servicePortSchema } from '@threadbox/protocol/public'

/** A request that a message can contain without a model. */
export type SlashCommand =
  | { kind: 'run'; command: string }
  | { kind: 'python'; code: string }
  | { kind: 'share'; path: string }
  | { kind: 'serve'; port: number; command: string }
  | { kind: 'look'; url: string }
  | { kind: 'pause' }
  | { kind: 'status' }
  | { kind: 'help' }

/**
 * Returns the command in a message; undefined if it contains none. Only the words listed here are commands, so a
 * message that begins with a path (`/home/user/a.csv: what is this?`) stays a message.
 */
export function slashCommandIn(text: string): SlashCommand | undefined {
  const match = /^\s*\/(run|python|share|serve|look|pause|status|help)(?:\s+([\s\S]*))?$/.exec(text)
  if (match === null) return undefined
  const rest = (match[2] ?? '').trimEnd()
  if (match[1] === 'pause' || match[1] === 'status') return rest.trim() === '' ? { kind: match[1] } : undefined
  if (match[1] === 'help' || rest.trim() === '') return { kind: 'help' }
  if (match[1] === 'serve') return serveCommandIn(rest)
  if (match[1] === 'look') return viewCommandIn(rest.trim())
  if (match[1] === 'share') return { kind: 'share', path: rest.trim() }
  return match[1] === 'run' ? { kind: 'run', command: unfenced(rest) } : { kind: 'python', code: unfenced(rest) }
}

/** Parses a port and the command that will listen on it; help for anything else. */
function serveCommandIn(rest: string): SlashCommand {
  const match = /^\s*(\d{1,5})\s+(\S[\s\S]*)$/.exec(rest)
  const port = servicePortSchema.safeParse(Number(match?.[1]))
  if (match?.[2] === undefined || !port.success) return { kind: 'help' }
  return { kind: 'serve', port: port.data, command: unfenced(match[2]) }
}

/** Parses a port with or without a path, or an address; the tool reports an address outside of the sandbox. */
function viewCommandIn(rest: string): SlashCommand {
  if (/\s/.test(rest)) return { kind: 'help' }
  return { kind: 'look', url: /^\d{1,5}(?:\/|$)/.test(rest) ? `http://localhost:${rest}` : rest }
}

/** A command that runs a tool, in contrast to one that only adds a notice. */
export type ToolCommand = Extract<SlashCommand, { kind: 'run' | 'python' | 'share' | 'serve' | 'look' }>

const toolCommands: readonly ToolCommand['kind'][] = ['run', 'python', 'share', 'serve', 'look']

export function isToolCommand(command: SlashCommand | undefined): command is ToolCommand {
  return toolCommands.some((kind) => kind === command?.kind)
}

/** Removes a Markdown fence, because users paste code with it. */
function unfenced(text: string): string {
  return /^```[^\n]*\n([\s\S]*?)\n?```\s*$/.exec(text.trim())?.[1] ?? text
}

/** The message that would repeat a call; undefined for tools without a slash command. */
export function messageForCall(tool: string, input: unknown): string | undefined {
  const fields = typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {}
  if (tool === 'run_command' && typeof fields.command === 'string') return `/run ${fields.command}`
  if (tool === 'run_python' && typeof fields.code === 'string') return `/python ${fields.code}`
  if (tool === 'share_file' && typeof fields.path === 'string') return `/share ${fields.path}`
  if (tool === 'start_service' && typeof fields.port === 'number' && typeof fields.command === 'string') {
    return `/serve ${fields.port} ${fields.command}`
  }
  if (tool === 'view_page' && typeof fields.url === 'string') return `/look ${fields.url}`
  return undefined
}
