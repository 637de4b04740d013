import { limits } from '../../house.ts'
import { placeOf } from '../places.ts'
import type { SourceFile } from '../source.ts'
import type { Violation } from '../violation.ts'

/** `<area>/public.ts` is short and exports by name: types, errors, pure functions. */
export function checkPublicFile({ path, text, imports }: SourceFile): Violation[] {
  const place = placeOf(path)
  if (place?.area === undefined || place.path !== `${place.area.name}/public.ts`) return []
  const problems: string[] = []
  const lines = text.trimEnd().split('\n').length
  if (lines > limits.publicFileLines) problems.push(`has ${lines} lines; ${limits.publicFileLines} are allowed`)
  if (imports.some(({ isWildcard }) => isWildcard)) problems.push('exports everything of a file: name what is public')
  for (const { specifier } of imports) {
    if (/\.(routes|store)\.ts$/.test(specifier)) problems.push(`shows ${specifier}: routes and stores stay inside`)
  }
  return problems.map((problem) => ({
    rule: 'public-file',
    path,
    message: `${path} ${problem}.`,
  }))
}
