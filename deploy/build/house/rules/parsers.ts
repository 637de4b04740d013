import { type CallExpression, type NewExpression, Visitor } from 'oxc-parser'
import { isTestFile, lineAt, type SourceFile } from '../source.ts'
import type { Violation } from '../violation.ts'

/** Files that parse untrusted bytes, each with the test that has its properties. */
export type Parsers = Readonly<Record<string, string>>
/** Why the input of a file needs no property, with the files that this applies to. */
export type OtherInput = Readonly<Record<string, readonly string[]>>

const advice = 'List it in deploy/build/parsers.ts, with a property, or with the reason why its input needs none.'

/**
 * Each listed parser has a property, and each file that decodes input is listed. The rule sees calls that decode bytes or
 * text (`JSON.parse`, `readUInt16BE`, `new DataView`, `decodeURIComponent`, `parseDocument`); a parser that only uses
 * regular expressions is listed by hand. JSON in a column of the database (`row.limits_json`) was written by the server.
 */
export function checkParsers(
  files: readonly SourceFile[],
  { parsers, otherInput }: { parsers: Parsers; otherInput: OtherInput },
): Violation[] {
  const others = Object.values(otherInput).flat()
  const decoding = new Map(
    files
      .filter(({ path }) => !isTestFile(path) && !path.startsWith('packages/testkit/'))
      .flatMap((file) =>
        decodingLines(file)
          .slice(0, 1)
          .map((line) => [file.path, line] as const),
      ),
  )
  const unlisted = [...decoding]
    .filter(([path]) => parsers[path] === undefined && !others.includes(path))
    .map(([path, line]) => violation(path, `${path}:${line} decodes input. ${advice}`))
  const needless = others
    .filter((path) => !decoding.has(path) || parsers[path] !== undefined)
    .map((path) =>
      violation(
        path,
        `deploy/build/parsers.ts excepts ${path}, which decodes nothing or has a property: remove the line.`,
      ),
    )
  return [...unlisted, ...needless, ...Object.entries(parsers).flatMap((entry) => problemOf(files, entry))]
}

/** The test imports the parser and calls `checkProperty`. */
function problemOf(files: readonly SourceFile[], [path, testPath]: [string, string]): Violation[] {
  if (!files.some((file) => file.path === path)) {
    return [violation(path, `deploy/build/parsers.ts lists ${path}, which does not exist.`)]
  }
  const test = files.find((file) => file.path === testPath)
  const hasProperty = test?.text.includes('checkProperty(') === true && test.imports.some((each) => each.path === path)
  return hasProperty
    ? []
    : [violation(path, `${path} parses untrusted bytes, but ${testPath} has no property of it (checkProperty).`)]
}

/** The lines of calls that decode bytes or text. */
function decodingLines({ program, text }: SourceFile): number[] {
  const starts: number[] = []
  const note = (node: CallExpression | NewExpression) => {
    if (isDecoding(node, text)) starts.push(node.start)
  }
  new Visitor({ CallExpression: note, NewExpression: note }).visit(program)
  return starts.map((start) => lineAt(text, start))
}

const decoders = /^(JSON\.parse|decodeURIComponent|parseDocument)$|\.(read(Big)?U?Int\d*(LE|BE)?|get(Big)?(Ui|I)nt\d+)$/

function isDecoding({ type, callee, arguments: given }: CallExpression | NewExpression, text: string): boolean {
  const name = text.slice(callee.start, callee.end)
  if (type === 'NewExpression') return name === 'DataView'
  if (!decoders.test(name)) return false
  const [argument] = given
  return argument === undefined || !/^\w+\.(\w+_)?json\b/.test(text.slice(argument.start, argument.end))
}

function violation(path: string, message: string): Violation {
  return { rule: 'parsers', path, message }
}
