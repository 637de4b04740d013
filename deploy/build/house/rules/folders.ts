import { type App, apps } from '../../house.ts'
import type { Violation } from '../violation.ts'

/**
 * Every folder with source is an area, a feature of an area with features, or a folder that house.ts places above the
 * areas. Below a feature, and in an area without features, folders are free.
 */
export function checkFolders(paths: readonly string[], all: Readonly<Record<string, App>> = apps): Violation[] {
  const homeless = paths.flatMap((path) => {
    const [, name = '', below = ''] = /^apps\/([^/]+)\/src\/(.*)$/.exec(path) ?? []
    const app = all[name]
    const [first = '', second = '', ...deeper] = below.split('/')
    if (app === undefined || second === '' || app.folders?.includes(first)) return []
    const area = app.areas.find((one) => one.name === first)
    if (area === undefined) return { folder: `apps/${name}/src/${first}`, list: `the areas of ${name}` }
    if (area.features.length === 0 || deeper.length === 0 || area.features.includes(second)) return []
    return { folder: `apps/${name}/src/${first}/${second}`, list: `the features of ${first}` }
  })
  const lists = new Map(homeless.map(({ folder, list }) => [folder, list]))
  return [...lists].map(([folder, list]) => ({
    rule: 'folder',
    path: folder,
    message: `${folder} has no place: add it to ${list} in deploy/build/house.ts.`,
  }))
}
