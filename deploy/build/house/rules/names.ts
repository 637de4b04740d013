import { Visitor } from 'oxc-parser'
import { isTestFile, lineAt, type SourceFile } from '../source.ts'
import type { Violation } from '../violation.ts'

/**
 * Something that a part of the source does not know, so that its code has no name for it. Comments and texts for people
 * can name it.
 */
type Ignorance = {
  /** As docs/architecture.md states it. */
  invariant: string
  folders: readonly string[]
  /** Files that pass the name on, and refer to it by nothing else. */
  except?: readonly string[]
  /** Names, and with `strings` also text in strings, in lower case with a hyphen between words. */
  words: RegExp
  strings?: true
}

const ignorances: readonly Ignorance[] = [
  {
    invariant: 'the server does not know that gVisor, btrfs or nftables exist',
    folders: ['apps/server/src/'],
    words: /\b(g-?visor|runsc|btrfs|nft|nftables)\b/,
    strings: true,
  },
  {
    invariant: 'the host does not know people, threads or models',
    folders: ['apps/host/src/', 'packages/protocol/src/host/'],
    words: /\b(person|people|threads?|models?|workspaces?|conversations?)\b/,
  },
  {
    invariant: "the guest knows none of these words, not even its sandbox's id",
    folders: ['apps/guest/src/', 'packages/protocol/src/guest/'],
    words:
      /\b(sandbox-ids?|person|people|thread-ids?|models?|workspaces?|conversations?|g-visor|runsc|btrfs|nftables)\b/,
  },
  {
    invariant: 'only packages/gvisor-driver builds a runsc command line',
    folders: ['apps/', 'packages/'],
    except: [
      'packages/gvisor-driver/',
      // Tests check what it left.
      'packages/testkit/',
      // Its path, and the code that passes the path to the driver.
      'packages/config/src/host.ts',
      'apps/host/src/main.ts',
      // The name of a check.
      'apps/host/src/orders/doctor/doctor.ts',
      // Error texts.
      'apps/web/src/i18n/',
    ],
    words: /\brunsc\b/,
    strings: true,
  },
  {
    invariant: 'packages/domain has no clock, no randomness and no I/O',
    folders: ['packages/domain/src/'],
    words:
      /^(date|performance|temporal|process|crypto|random|fetch|console|set-(timeout|interval|immediate)|web-socket|global-this)$/,
  },
]

export function checkNames(file: SourceFile): Violation[] {
  if (isTestFile(file.path)) return []
  const kept = ignorances.filter(
    ({ folders, except = [] }) => startsWithAny(file.path, folders) && !startsWithAny(file.path, except),
  )
  if (kept.length === 0) return []
  const names = namesIn(file)
  return [
    ...kept.flatMap(({ invariant, words, strings }) =>
      names
        .filter(({ name, isString }) => (!isString || strings) && words.test(dashed(name)))
        .map(({ name, start }) => violation(file, { start, what: `names ${name}`, invariant })),
    ),
    ...(file.path.startsWith('packages/domain/') ? importsOfDomain(file) : []),
  ]
}

/** Imports of `packages/domain` from outside: the runtime, or a library. */
function importsOfDomain(file: SourceFile): Violation[] {
  return file.imports
    .filter(({ specifier }) => !/^(\.|@threadbox\/)/.test(specifier))
    .map(({ specifier, line }) => ({
      rule: 'names',
      path: file.path,
      message: `${file.path}:${line} imports ${specifier}: packages/domain has no clock, no randomness and no I/O (docs/architecture.md).`,
    }))
}

function violation(
  { path, text }: SourceFile,
  { start, what, invariant }: { start: number; what: string; invariant: string },
): Violation {
  return {
    rule: 'names',
    path,
    message: `${path}:${lineAt(text, start)} ${what}: ${invariant} (docs/architecture.md).`,
  }
}

type Name = { name: string; start: number; isString: boolean }

function namesIn({ program }: SourceFile): Name[] {
  const found: Name[] = []
  new Visitor({
    Identifier: ({ name, start }) => void found.push({ name, start, isString: false }),
    Literal: ({ value, start }) =>
      void (typeof value === 'string' && found.push({ name: value, start, isString: true })),
    TemplateElement: ({ value, start }) => void found.push({ name: value.raw, start, isString: true }),
  }).visit(program)
  return found
}

/** `sandboxId`, `SandboxId` and `SANDBOX_ID` are `sandbox-id`. */
function dashed(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase()
}

function startsWithAny(path: string, starts: readonly string[]): boolean {
  return starts.some((start) => path.startsWith(start))
}
