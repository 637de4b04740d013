import { packages, sharedByTests } from '../../house.ts'
import { isTestFile, type SourceFile } from '../source.ts'
import type { Violation } from '../violation.ts'

/** Which package imports which; no app imports an app. Tests also import the packages that tests share. */
export function checkPackages(file: SourceFile): Violation[] {
  const from = packageOf(file.path)
  const known = packages[from]
  if (known === undefined) {
    const message = `${from} is not in deploy/build/house.ts: say there what it is and what it may import.`
    return [{ rule: 'package', path: from, message }]
  }
  const mayImport = isTestFile(file.path) ? [...known.mayImport, ...sharedByTests] : known.mayImport
  return file.imports.flatMap(({ specifier, path, line }) => {
    const imported = targetOf(from, specifier, path)
    if (imported === undefined || mayImport.some((one) => imported === one || imported.startsWith(`${one}/`))) return []
    const allowed = mayImport.length === 0 ? 'no package of this repository' : mayImport.join(', ')
    const message = `${file.path}:${line} imports ${imported}: ${from} may import ${allowed} (docs/architecture.md).`
    return { rule: 'package', path: file.path, message }
  })
}

function packageOf(path: string): string {
  return path.split('/').slice(0, 2).join('/')
}

function targetOf(from: string, specifier: string, path: string | undefined): string | undefined {
  if (specifier.startsWith('@threadbox/')) return specifier.slice('@threadbox/'.length)
  if (path === undefined || packageOf(path) === from) return undefined
  return path
}
