import { existsSync, globSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import type { Violation } from '../violation.ts'

const folders = 'apps|packages|deploy|tests|images|docs'

/** Every path that a page names exists. A page is given with its path and its text. */
export function checkDocsPaths(root: string, pages: readonly { path: string; text: string }[]): Violation[] {
  return pages.flatMap(({ path, text }) =>
    pathsIn(path, text)
      .filter(({ named }) => !exists(root, named))
      .map(({ named, line }) => ({
        rule: 'docs-path',
        path,
        message: `${path}:${line} names ${named}, which does not exist.`,
      })),
  )
}

/** Paths in code font that begin with a folder of the repository, and relative links. */
export function pathsIn(page: string, text: string): { named: string; line: number }[] {
  return text.split('\n').flatMap((words, index) => {
    const inCode = [...words.matchAll(new RegExp(`\`((?:${folders})/[^\`\\s]*)\``, 'g'))].map(([, named = '']) => named)
    const links = [...words.matchAll(/\]\((?!\w+:|#)([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, link = '']) =>
      posix.join(dirname(page), link),
    )
    return [...inCode, ...links].map((named) => ({ named: named.replace(/[.,;:]$/, ''), line: index + 1 }))
  })
}

/** `<name>` and `…` stand for any name, as `*` does. */
function exists(root: string, named: string): boolean {
  const pattern = named.replaceAll(/<[^>]*>|…|NAME/g, '*')
  if (!/[*{]/.test(pattern)) return existsSync(join(root, pattern))
  return globSync(pattern, { cwd: root }).length > 0
}
