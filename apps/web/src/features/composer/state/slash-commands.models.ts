/** What can stand at the beginning of a message. */
export const slashCommands = [
  { name: 'run', example: 'uname -a' },
  { name: 'python', example: 'import math; math.tau' },
  { name: 'share', example: 'sales.csv' },
  { name: 'help', example: '' },
] as const
export type SlashCommandName = (typeof slashCommands)[number]['name']

/** The commands that fit what was typed so far; null when no command is being typed. */
export function matchingCommands(text: string): readonly SlashCommandName[] | null {
  const match = /^\/(\w*)$/.exec(text)
  if (match === null) return null
  const names = slashCommands.map((command) => command.name).filter((name) => name.startsWith(match[1] ?? ''))
  return names.length === 0 ? null : names
}

/** The message after a command was chosen: `help` is complete, others wait for what to run. */
export function textOfCommand(name: SlashCommandName): string {
  return name === 'help' ? '/help' : `/${name} `
}

/** Whether the text is for the machine: shown in the machine's type. */
export function isCommandText(text: string): boolean {
  return /^\s*\/(?:run|python|share|help)\b/.test(text)
}
