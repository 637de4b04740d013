import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { benchmarkPage } from '../../tests/benchmark/page.ts'
import { readLines, samplesFile } from '../../tests/benchmark/raw-samples.ts'
import { testingPage } from '../testing/testing-page.ts'
import { apiReportPath, apiReportText, makeApiReport } from './api-report/api-report.ts'
import { errorsPage, lifecycleDiagram, settingsPage, withSection, workspaceRolesTable } from './docs-pages.ts'
import { findErrors, findSettings } from './docs-sources.ts'
import { readSources } from './house/read-sources.ts'
import { areasDiagram, importsTable, packagesTable } from './house/tables.ts'
import { generateSitePages } from './site/site-pages.ts'

/** Every generated page as it should be now, by path below `root`. */
export async function generateDocs(root: string): Promise<Record<string, string>> {
  const architecture = 'docs/architecture.md'
  const people = 'docs-site/src/content/docs/people.md'
  return {
    'docs/settings.md': settingsPage(await findSettings(root)),
    'docs/errors.md': errorsPage(await findErrors(root)),
    'docs/testing.md': testingPage(root),
    'docs/benchmark.md': benchmarkPage(readLines(readFileSync(join(root, samplesFile), 'utf8'))),
    ...(await generateSitePages(root)),
    [people]: withSection(readFileSync(join(root, people), 'utf8'), 'workspace-roles', workspaceRolesTable()),
    [apiReportPath]: apiReportText(await makeApiReport(root)),
    [architecture]: withSections(readFileSync(join(root, architecture), 'utf8'), {
      packages: packagesTable(),
      areas: areasDiagram(readSources(root)),
      imports: importsTable(),
      lifecycle: lifecycleDiagram(),
    }),
  }
}

function withSections(page: string, sections: Record<string, string>): string {
  return Object.entries(sections).reduce((text, [name, content]) => withSection(text, name, content), page)
}

if (import.meta.main) {
  const root = join(import.meta.dirname, '../..')
  for (const [path, text] of Object.entries(await generateDocs(root))) writeFileSync(join(root, path), text)
}
