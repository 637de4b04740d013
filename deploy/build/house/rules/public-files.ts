import type { App } from '../../house.ts'
import type { Violation } from '../violation.ts'

/** Each public file that house.ts lists for an area exists; a listed folder has a file in it. */
export function checkPublicFiles(apps: Readonly<Record<string, App>>, paths: readonly string[]): Violation[] {
  return Object.entries(apps).flatMap(([app, { areas }]) =>
    areas.flatMap(({ name, publicFiles = [] }) =>
      publicFiles
        .map((file) => `apps/${app}/src/${name}/${file}`)
        .filter((listed) => !paths.some((path) => path === listed || path.startsWith(`${listed}/`)))
        .map((listed) => ({
          rule: 'public-files',
          path: listed,
          message: `deploy/build/house.ts lists ${listed}, which does not exist.`,
        })),
    ),
  )
}
