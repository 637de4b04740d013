import { type App, type Area, apps } from '../house.ts'

/** Where a file of an app belongs. */
export type Place = {
  app: string
  /** Below `src`. */
  path: string
  /** Position of the area; above all areas for files outside of them. */
  areaRank: number
  area: Area | undefined
  /** Of a feature within its area; below all for the events of an area, above all for its other loose files. */
  featureRank: number
  feature: string | undefined
}

export const rootRank = Number.POSITIVE_INFINITY

export function placeOf(file: string, all: Readonly<Record<string, App>> = apps): Place | undefined {
  const [, app = '', path = ''] = /^apps\/([^/]+)\/src\/(.*)$/.exec(file) ?? []
  const areas = all[app]?.areas
  if (areas === undefined) return undefined
  const [first = '', second = ''] = path.split('/')
  const areaRank = path.includes('/') ? areas.findIndex(({ name }) => name === first) : -1
  const area = areas[areaRank]
  if (area === undefined) return { app, path, areaRank: rootRank, area, featureRank: rootRank, feature: undefined }
  const position = area.features.indexOf(second)
  const isLoose = position < 0
  const featureRank = path === `${first}/${first}.events.ts` ? -1 : isLoose ? rootRank : position
  return { app, path, areaRank, area, featureRank, feature: isLoose ? undefined : second }
}

/** Its name in a message: `turns/engine`, `people`, or the file itself. */
export function nameOf({ area, feature, path }: Place): string {
  return area === undefined ? path : feature === undefined ? area.name : `${area.name}/${feature}`
}

export function isConstructor({ area, path }: Place): boolean {
  return area !== undefined && area.features.length > 0 && path === `${area.name}/${area.name}.ts`
}

export function isPublic({ area, path }: Place): boolean {
  if (area === undefined || area.isOpen === true) return true
  if (area.publicFiles === undefined) return path === `${area.name}/public.ts`
  return area.publicFiles.some((file) => path === `${area.name}/${file}` || path.startsWith(`${area.name}/${file}/`))
}
