import { type App, type Area, apps, type Package, packages } from '../house.ts'
import { edgesBetween } from './graph.ts'
import { placeOf } from './places.ts'
import { isTestFile, type SourceFile } from './source.ts'

/** The table of packages in docs/architecture.md. */
export function packagesTable(all: Readonly<Record<string, Package>> = packages): string {
  const rows = Object.entries(all).map(
    ([folder, { about, mayImport }]) => `| \`${folder}\` | ${about} | ${mayImport.join(', ') || 'nothing'} |`,
  )
  return ['| Folder | What it is | Can import |', '|---|---|---|', ...rows].join('\n')
}

/** The table “Can I import this?” in docs/architecture.md. */
export function importsTable(all: Readonly<Record<string, App>> = apps): string {
  const rows = Object.entries(all).flatMap(([app, { areas }]) =>
    areas.map((area, index) => {
      const cells = [areaOf(area), orderOf(area), showOf(area), lowerOf(areas.slice(0, index))]
      return `| ${app} | ${cells.join(' | ')} |`
    }),
  )
  const head = '| App | Area | Features; each imports those left of it | Others import | Imports from |'
  return [head, '|---|---|---|---|---|', ...rows].join('\n')
}

function areaOf({ name, about }: Area): string {
  return about === '' ? `\`${name}\`` : `\`${name}\`: ${about}`
}

function orderOf({ features }: Area): string {
  return features.map((feature) => `\`${feature}\``).join(' ')
}

function showOf({ name, isOpen, publicFiles }: Area): string {
  if (isOpen === true) return 'any file'
  return publicFiles === undefined ? `\`${name}/public.ts\`` : 'the files listed in `deploy/build/house.ts`'
}

function lowerOf(areas: readonly Area[]): string {
  return areas.map(({ name }) => name).join(', ') || 'nothing from the app'
}

/** Which area imports which in the current code: one flowchart per app with areas. */
export function areasDiagram(files: readonly SourceFile[], all: Readonly<Record<string, App>> = apps): string {
  const sources = files.filter(({ path }) => !isTestFile(path))
  const charts = Object.entries(all).map(([app, { areas }]) => {
    const nodeOf = (path: string) => {
      const place = placeOf(path, all)
      return place?.app === app && place.area !== undefined ? `${app}.${place.area.name}` : undefined
    }
    const edges = edgesBetween(sources, nodeOf)
    const lines = areas.toReversed().flatMap(({ name }) => {
      const targets = edges.get(`${app}.${name}`) ?? new Set()
      return areas
        .filter((to) => targets.has(`${app}.${to.name}`))
        .map((to) => `    ${app}.${name}[${name}] --> ${app}.${to.name}[${to.name}]`)
    })
    return [`  subgraph ${app}`, ...lines, '  end']
  })
  return ['```mermaid', 'flowchart TD', ...charts.flat(), '```'].join('\n')
}
