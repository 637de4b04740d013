import { splitAtPaths } from './paths.logic.ts'

type Node = {
  type: string
  tagName?: string
  value?: string
  properties?: Record<string, unknown>
  children?: Node[]
}

/** Text inside these is left as it is. */
const untouched = new Set(['a', 'code', 'pre'])

/** Turns file paths in running text into links (`data-path`). Runs after sanitizing. */
export function rehypePaths() {
  return (tree: Node): void => walk(tree)
}

function walk(node: Node): void {
  if (node.children === undefined || untouched.has(node.tagName ?? '')) return
  node.children = node.children.flatMap((child) => {
    if (child.type !== 'text' || child.value === undefined) {
      walk(child)
      return [child]
    }
    return splitAtPaths(child.value).map(
      (part): Node =>
        typeof part === 'string'
          ? { type: 'text', value: part }
          : {
              type: 'element',
              tagName: 'a',
              properties: { dataPath: part.path },
              children: [{ type: 'text', value: part.text }],
            },
    )
  })
}
