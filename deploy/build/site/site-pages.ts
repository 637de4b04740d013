import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeTestApplication } from '../../../apps/server/src/application.test-utils.ts'
import { editableSettings } from '../../../apps/server/src/people/settings/editable-settings.ts'
import { findErrors, findSettings } from '../docs-sources.ts'
import { requiredAnchors } from './anchors.ts'
import { apiPage, type OpenApi } from './api-page.ts'
import { siteErrorsPage } from './errors-page.ts'
import { frontMatter } from './markdown.ts'
import { siteSettingsPage } from './settings-page.ts'

const pages = 'docs-site/src/content/docs'

/** The documentation site’s pages that are generated from the code, by path below `root`. */
export async function generateSitePages(root: string): Promise<Record<string, string>> {
  const [errors, settings, document] = await Promise.all([findErrors(root), findSettings(root), readOpenApi()])
  const anchors = requiredAnchors({ errors, settings, editable: Object.keys(editableSettings) })
  return {
    [`${pages}/build/api.md`]: apiPage(document),
    [`${pages}/operate/errors.md`]: siteErrorsPage(errors),
    [`${pages}/operate/settings.md`]: siteSettingsPage(settings, editableSettings),
    [`${pages}/packages.md`]: packagesPage(readFileSync(join(root, 'docs/packages.md'), 'utf8')),
    'docs-site/src/generated/anchors.json': `[\n${anchors.map((anchor) => JSON.stringify(anchor)).join(',\n')}\n]\n`,
  }
}

async function readOpenApi(): Promise<OpenApi> {
  await using application = await makeTestApplication()
  return (await (await application.call('GET', '/api/v1/openapi.json')).json()) as OpenApi
}

/** The page of the repository without its head. */
function packagesPage(page: string): string {
  const description = 'Python packages, languages and programs that every sandbox has from the start.'
  const text = page.replace(/^<!--[\s\S]*?-->\n# .*\n/, '')
  return `${frontMatter({ title: 'Installed packages', description, headings: 3 })}${text}`
}
