import * as agents from './example-agents.ts'
import * as connections from './example-connections.ts'
import * as data from './example-data.ts'
import * as git from './example-git.ts'
import * as gitCredentials from './example-git-credentials.ts'
import * as rewind from './example-rewind.ts'
import * as runs from './example-runs.ts'

/** Names, abbreviations and code that are the same in every language. */
const properNames =
  /\b(threadbox|Anthropic|OpenAI|Google|Gemini|Ollama|OpenRouter|GitHub|GitLab|Gitea|Forgejo|Codeberg|MCP|API|SKILL\.md|Python|Jupyter|Streamlit|Linear|Notion|Sentry|Slack|Postgres|SQLite|WebSockets?|HTTP|HTTPS|URL|JSON|Markdown|HTML|ZIP|PDF|CPU|RAM|ID|OAuth|Git|cron|UTC|GMT|Linux|Docker|gVisor|Chromium|Firefox|Chrome|Safari|macOS|Windows|Android|iOS|OK|MB|GB|kB|KB|TB|MiB|GiB|Enter|Esc|Escape|Alt|Ctrl|Shift|Tab|Space|Backspace|Delete|Home|End|Strg|Invio|Canc|English|Deutsch|Italiano|Token|token|prompt|thread|tokens|Tokens)\b/g

/** Sentences of the server, which the app translates. */
const ofServer = new Set(['message', 'remedy', 'doc', 'cure', 'detail'])

/** Texts that people, agents and programs wrote, as the example data has them; not those of the server. */
const written = new Set<string>()
collect([agents, connections, data, git, gitCredentials, rewind, runs])

function collect(value: unknown, key = ''): void {
  if (typeof value === 'string') {
    if (!ofServer.has(key)) for (const line of value.split('\n')) written.add(line.replace(/\s+/g, ' ').trim())
    return
  }
  if (typeof value !== 'object' || value === null) return
  for (const [name, inner] of Object.entries(value)) {
    written.add(name)
    collect(inner, name)
  }
}

/** Whether a text on a screen is one that no translation changes. */
export function isNotTranslated(text: string): boolean {
  const rest = text.replaceAll(properNames, '')
  if (!/[a-z]{2,}/i.test(rest)) return true
  if (written.has(text)) return true
  return [...written].some((line) => line.length > text.length && text.length > 2 && line.includes(text))
}

/** Whether a text contains a name that a person, an agent or a program gave. */
export function namesSomething(text: string): boolean {
  return [...written].some((line) => line.length > 4 && /[./ ]/.test(line) && text.includes(line))
}
