import { mathMarks } from '@threadbox/sdk'

type Node = {
  type: string
  position?: { start: { offset?: number } }
  data?: { hProperties?: { className?: string[] } }
  children?: Node[]
}

/** A class that the sanitizer keeps: on code it allows only `language-…`. */
export const displayMathClass = 'language-math-display'

/** Marks formulas on a line of their own by the number of their dollar signs. Runs after `remark-math`. */
export function remarkDisplayMath() {
  return (tree: Node, file: { value: unknown }): void => mark(tree, String(file.value))
}

function mark(node: Node, source: string): void {
  const start = node.position?.start.offset
  if (node.type === 'inlineMath' && start !== undefined && source.startsWith(mathMarks.display, start)) {
    node.data = { ...node.data, hProperties: { className: [displayMathClass] } }
  }
  for (const child of node.children ?? []) mark(child, source)
}
