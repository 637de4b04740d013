import { isConstructor, isPublic, nameOf, type Place, placeOf } from '../places.ts'
import { type Import, isTestFile, type SourceFile } from '../source.ts'
import type { Violation } from '../violation.ts'

/** Direction between areas and features, public interfaces, constructors and stores: every rule about two places. */
export function checkOrder(file: SourceFile): Violation[] {
  const from = placeOf(file.path)
  if (from === undefined || isTestFile(file.path)) return []
  return file.imports.flatMap((imported) => {
    const to = imported.path === undefined ? undefined : placeOf(imported.path)
    if (to === undefined || to.app !== from.app) return []
    const problem = problemOf(from, to, imported)
    if (problem === undefined) return []
    const [rule, text] = problem
    return { rule, path: file.path, message: `${from.path}:${imported.line} ${text}` }
  })
}

function problemOf(from: Place, to: Place, imported: Import): readonly [rule: string, text: string] | undefined {
  if (from.area === undefined) return undefined
  if (to.areaRank > from.areaRank) {
    const advice = 'Emit an event, add a registration, or move what you need down (docs/architecture.md).'
    const above = `${to.area?.name ?? to.path} is above ${from.area.name}`
    return ['area-order', `imports ${nameOf(to)}: ${above}. ${advice}`]
  }
  if (to.areaRank === from.areaRank) {
    if (to.feature !== from.feature && to.featureRank > from.featureRank) {
      return ['feature-order', `imports ${nameOf(to)}, which is right of ${from.feature ?? from.path}.`]
    }
    return undefined
  }
  if (isConstructor(to)) {
    // The arguments of an area’s constructor have types of lower areas.
    if (isConstructor(from) && imported.isTypeOnly) return undefined
    return ['constructor', `imports ${to.path}: only the root of the app builds areas.`]
  }
  if (isPublic(to)) return undefined
  if (/\.store\.ts$/.test(to.path)) {
    return ['store', `imports the store of ${nameOf(to)}: ask ${to.area?.name}/public.ts for what you need.`]
  }
  const open =
    to.area?.publicFiles === undefined ? `import ${to.area?.name}/public.ts` : 'import one of its public files'
  return ['public', `bypasses the public interface of ${to.area?.name} (${to.path}): ${open}, or ask to add the name.`]
}
