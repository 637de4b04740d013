import type { FoundSetting } from '../docs-sources.ts'
import { allowedBy, textOf } from '../setting-texts.ts'
import { code, frontMatter, prose } from './markdown.ts'

type Described = { doc: string; schema: FoundSetting['setting']['schema']; default: unknown }

/** Every setting under an anchor that is its name: those that can be changed in the app, then those read at startup. */
export function siteSettingsPage(
  settings: readonly FoundSetting[],
  editable: Readonly<Record<string, Described>>,
): string {
  const inApp = Object.entries(editable).map(([name, setting]) => settingPart(name, setting))
  const atStart = settings.map(({ setting }) => settingPart(setting.environment, setting))
  const description = 'Every setting with its range and its default.'
  return `${frontMatter({ title: 'Settings', description, headings: 3 })}
## In the app {#in-the-app}

The owner changes these in **Settings**, **Limits** and **Sandboxes**, or with
[\`PATCH /settings\`](/docs/build/api/#patch-settings). They apply immediately. Workspaces and threads can have their own
values for [what a sandbox can use and when it sleeps](/docs/workspaces/#inherit).

${inApp.join('\n\n')}

## At startup {#at-startup}

These are environment variables, or lines in \`threadbox.env\` in the data directory. Restart threadbox with
\`./threadbox up\` after a change. An invalid value prevents the start with
[\`config.setting-invalid\`](/docs/operate/errors/#config.setting-invalid) and the reason.

${atStart.join('\n\n')}
`
}

function settingPart(name: string, setting: Described): string {
  return `### \`${name}\` {#${name}}

${prose(setting.doc)}

Allowed: ${allowedBy(setting.schema)}. Default: ${code(textOf(setting.default))}.`
}
