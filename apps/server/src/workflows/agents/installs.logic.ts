/** A package by its manager and name: `pip:pandas-ta`. */
export type InstalledPackage = `${'pip' | 'npm' | 'apt'}:${string}`

const operators = /&&|\|\||[;|\n]/
/** Options of pip that take a value. */
const pipValues = new Set([
  ...['-r', '--requirement', '-c', '--constraint', '-i', '--index-url', '--extra-index-url', '-f', '--find-links'],
  ...['-t', '--target', '-e', '--editable', '--prefix', '--root', '--python', '-p', '--platform', '--python-version'],
])
const aptValues = new Set(['-t', '--target-release', '-o', '-c'])
const npmValues = new Set(['--prefix', '--registry'])

/**
 * The packages that a successful command line installed, as far as its text shows: packages by name, not those listed
 * in a file or installed as dependencies. What follows `||` may not have run.
 */
export function installsOf(command: string): InstalledPackage[] {
  const found = new Set<InstalledPackage>()
  const joined = command.replaceAll(/\\\n/g, ' ')
  for (const alternative of joined.split(/[;\n]|&&/)) {
    const [first = ''] = alternative.split(operators)
    for (const name of installsOfWords(wordsOf(first))) found.add(name)
  }
  return [...found]
}

/** The packages that the shell lines of a Python cell installed. */
export function installsOfCell(code: string): InstalledPackage[] {
  return code
    .split('\n')
    .flatMap((line) => /^\s*[!%]\s*(.+)$/.exec(line)?.[1] ?? [])
    .flatMap(installsOf)
}

function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  )
}

/** Skips what precedes a program: `sudo`, variables. */
function installsOfWords(words: readonly string[]): InstalledPackage[] {
  const start = words.findIndex((word) => !/^(?:sudo|env|time|command|-[A-Za-z]+|[A-Za-z_]\w*=.*)$/.test(word))
  const [program = '', ...rest] = start === -1 ? [] : words.slice(start)
  const name = program.slice(program.lastIndexOf('/') + 1)
  if (/^python[\d.]*$/.test(name) && rest[0] === '-m' && rest[1] === 'pip') return pip(rest.slice(2))
  if (/^pip[\d.]*$/.test(name)) return pip(rest)
  if (name === 'uv' && rest[0] === 'pip') return pip(rest.slice(1))
  if (name === 'apt' || name === 'apt-get') {
    return named('apt', {
      words: rest,
      verbs: ['install'],
      values: aptValues,
      nameOf: (word) => /^[^=/:]+/.exec(word)?.[0],
    })
  }
  if (name === 'npm' && rest.some((word) => word === '-g' || word === '--global')) {
    return named('npm', { words: rest, verbs: ['install', 'i', 'add'], values: npmValues, nameOf: npmName })
  }
  return []
}

function pip(words: readonly string[]): InstalledPackage[] {
  return named('pip', { words, verbs: ['install'], values: pipValues, nameOf: pipName })
}

function named(
  manager: 'pip' | 'npm' | 'apt',
  order: {
    words: readonly string[]
    verbs: readonly string[]
    values: ReadonlySet<string>
    nameOf: (word: string) => string | undefined
  },
): InstalledPackage[] {
  const at = order.words.findIndex((word) => !word.startsWith('-'))
  if (!order.verbs.includes(order.words[at] ?? '')) return []
  const packages: InstalledPackage[] = []
  let isValue = false
  for (const word of order.words.slice(at + 1)) {
    if (/^[<>&]|^\d>/.test(word)) break
    if (!isValue && !word.startsWith('-')) {
      const name = order.nameOf(word)
      if (name !== undefined && /^[A-Za-z0-9@][A-Za-z0-9@._/+-]{0,99}$/.test(name)) packages.push(`${manager}:${name}`)
    }
    isValue = !isValue && order.values.has(word)
  }
  return packages
}

/**
 * Normalized as the package index compares names. A package file contains its name; other paths and addresses do not.
 */
function pipName(word: string): string | undefined {
  const file = /([^/]+)\.whl$/.exec(word)?.[1]
  const name = file === undefined ? word : file.split('-')[0]
  if (file === undefined && /[/:]|^\.|\.(?:tar\.gz|zip|txt)$/.test(word)) return undefined
  return /^[A-Za-z0-9][A-Za-z0-9._-]*/
    .exec(name ?? '')?.[0]
    .toLowerCase()
    .replaceAll(/[-_.]+/g, '-')
}

function npmName(word: string): string | undefined {
  if (/^[./~]|:|\.tgz$/.test(word)) return undefined
  return /^(?:@[^/@]+\/)?[^/@]+/.exec(word)?.[0]
}
