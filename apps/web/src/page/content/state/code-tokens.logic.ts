/** A piece of code and its role: keyword, string, number, comment, or nothing special. */
export type CodeToken = { text: string; role: 'k' | 's' | 'n' | 'c' | null }

type TreeNode = {
  type: string
  value?: string
  properties?: { className?: unknown }
  children?: readonly TreeNode[]
}

/** The theme has four roles; the highlighter’s many classes map to them. */
const roleOfClass: Record<string, CodeToken['role']> = {
  'hljs-keyword': 'k',
  'hljs-built_in': 'k',
  'hljs-literal': 'k',
  'hljs-type': 'k',
  'hljs-tag': 'k',
  'hljs-name': 'k',
  'hljs-selector-tag': 'k',
  'hljs-section': 'k',
  'hljs-string': 's',
  'hljs-regexp': 's',
  'hljs-attr': 's',
  'hljs-addition': 's',
  'hljs-number': 'n',
  'hljs-symbol': 'n',
  'hljs-variable': 'n',
  'hljs-comment': 'c',
  'hljs-quote': 'c',
  'hljs-meta': 'c',
  'hljs-deletion': 'c',
}

/** The leaves of a highlighter’s tree with their roles; adjacent ones of one role are joined. */
export function tokensOfTree(tree: TreeNode): CodeToken[] {
  const tokens: CodeToken[] = []
  const walk = (node: TreeNode, role: CodeToken['role']) => {
    if (node.type === 'text' && node.value !== undefined) {
      const last = tokens.at(-1)
      if (last !== undefined && last.role === role) last.text += node.value
      else tokens.push({ text: node.value, role })
    }
    const names = Array.isArray(node.properties?.className) ? node.properties.className : []
    const own = names.map((name) => roleOfClass[String(name)]).find((found) => found !== undefined)
    for (const child of node.children ?? []) walk(child, own ?? role)
  }
  walk(tree, null)
  return tokens
}
