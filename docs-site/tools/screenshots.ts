import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { screenshotsFolder, screenshotThemes } from '../src/markdown/screenshot.ts'
import { contentDirectory } from './translations.ts'

/** Screenshots that the browser tests compare every screen with. */
const references = 'tests/browser/reference'

export type UsedScreenshot = {
  /** Below the repository. */
  from: string
  /** Below the site. */
  to: string
}

/** The screenshots that pages show, in both themes, in the order of their names. */
export function screenshotsUsed(directory: string = contentDirectory): UsedScreenshot[] {
  const pages = globSync('**/*.md', { cwd: directory }).map((page) => readFileSync(join(directory, page), 'utf8'))
  const found = pages.flatMap((text) => [...text.matchAll(/^::screenshot\{name="([\w-]+)"/gm)])
  const names = new Set(found.map(([, name = '']) => name))
  return [...names].sort().flatMap((name) =>
    screenshotThemes.map((theme) => ({
      from: `${references}/${name}-1440-${theme}.webp`,
      to: `${screenshotsFolder}/${name}-${theme}.webp`,
    })),
  )
}
