/** The commands that a message can begin with. */
export const slashCommands = [
  { name: 'run', example: 'uname -a' },
  { name: 'python', example: 'import math; math.tau' },
  { name: 'share', example: 'sales.csv' },
  { name: 'serve', example: '8000 python3 -m http.server 8000' },
  { name: 'look', example: '8000' },
  { name: 'pause', example: '' },
  { name: 'status', example: '' },
  { name: 'help', example: '' },
] as const
export type SlashCommandName = (typeof slashCommands)[number]['name']

/** The commands that match the typed text; null if no command is being typed. */
export function matchingCommands(text: string): readonly SlashCommandName[] | null {
  const match = /^\/(\w*)$/.exec(text)
  if (match === null) return null
  const names = slashCommands.map((command) => command.name).filter((name) => name.startsWith(match[1] ?? ''))
  return names.length === 0 ? null : names
}

/** The message after a command was selected: some are complete, others still need an argument. */
export function textOfCommand(name: SlashCommandName): string {
  return isComplete(name) ? `/${name}` : `/${name} `
}

function isComplete(name: SlashCommandName): boolean {
  return slashCommands.find((command) => command.name === name)?.example === ''
}

const names = slashCommands.map((command) => command.name).join('|')
const commandPattern = new RegExp(`^\\s*(/(?:${names}))\\b([\\s\\S]*)$`)

/** Splits a direct command into the command and the rest; null for any other text. */
export function splitCommand(text: string): { command: string; rest: string } | null {
  const match = commandPattern.exec(text)
  return match === null ? null : { command: match[1] ?? '', rest: match[2] ?? '' }
}

/** True if the text is a direct command: shown in monospace. */
export function isCommandText(text: string): boolean {
  return splitCommand(text) !== null
}
