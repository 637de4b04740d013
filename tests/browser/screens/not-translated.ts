import * as agents from './example-agents.ts'
import * as connections from './example-connections.ts'
import * as data from './example-data.ts'
import * as git from './example-git.ts'
import * as gitCredentials from './example-git-credentials.ts'
import * as people from './example-people.ts'
import * as rewind from './example-rewind.ts'
import * as runs from './example-runs.ts'

/** Names and abbreviations that are the same in every language, and keys of the keyboard. */
const properNames = [
  ...['threadbox', 'Anthropic', 'Claude', 'Sonnet', 'OpenAI', 'Google', 'Gemini', 'Drive', 'Ollama', 'OpenRouter'],
  ...['GitHub', 'DeepWiki', 'Notion', 'Agent Skills', 'Agent', 'Skills', 'SKILL', 'Python', 'Webhook', 'WebSocket'],
  ...['WebSockets', 'HTTP', 'OAuth', 'Cookie', 'JSON', 'Git', 'Token', 'Unix', 'cron', 'matplotlib', 'Ctrl', 'Shift'],
  ...['Enter', 'Esc', 'Alt', 'Tab', 'Backspace', 'Delete', 'English', 'Deutsch', 'Italiano', 'byte', 'exit status'],
  ...['USD', 'MCP', 'API', 'URL', 'PID', 'CPU', 'CSV', 'PDF', 'ZIP', 'Linux', 'env', 'int', 'read-only', 'Server'],
  ...['Owner', 'alt+T', 'bash', 'Chrome', 'GMT', 'RAM', 'GiB', 'MiB'],
  // What the stand-ins of services print.
  ...['def main', 'ModuleNotFoundError: no streamlit', 'Listening on'],
]
/** Code, paths, addresses and numbers with what belongs to them. */
const code = /[\w@*~$-]*[\d_./:@=&[\]{}'"\\-][\w@*~$/:.,=&[\]{}'"\\?-]*/g

/** The texts of the server in the example data, which the app translates. */
const ofServer = new Set(['message', 'remedy', 'doc', 'detail', 'cure'])
/** What people, agents and programs wrote in the example data; the longest first. */
const written = [
  ...new Set(
    [agents, connections, data, git, gitCredentials, people, rewind, runs].flatMap((module) => collect(module)),
  ),
]
  .filter((text) => text.length > 1)
  .sort((one, other) => other.length - one.length)

function collect(value: unknown, key = ''): string[] {
  if (typeof value === 'string') {
    return ofServer.has(key) ? [] : [value, ...value.split('\n')].map((line) => line.replace(/\s+/g, ' ').trim())
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => [name, ...collect(inner, name)])
}

/** A short key of the data can be a part of a name, and a name a part of a long text. */
const isLong = (text: string) => text.length > 12
const unchanging = [...written.filter(isLong), ...properNames, ...written.filter((text) => !isLong(text))]

/** What of a text on a screen a translation would change. */
export function translatablePart(text: string): string {
  // A preview of a longer text.
  if (written.some((line) => line.length > text.length && text.length > 2 && line.includes(text))) return ''
  return unchanging.reduce((rest, name) => rest.replaceAll(name, ' '), text).replaceAll(code, ' ')
}

/** Whether a text contains a name that a person, an agent or a program gave. */
export function namesSomething(text: string): boolean {
  return written.some((line) => line.length > 4 && /[./ ]/.test(line) && text.includes(line))
}
