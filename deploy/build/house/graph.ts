/** The groups of nodes that reach each other, of two nodes or more; Tarjan's algorithm without recursion. */
export function cyclesOf(edges: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const onStack = new Set<string>()
  const stack: string[] = []
  const cycles: string[][] = []
  for (const start of edges.keys()) {
    if (index.has(start)) continue
    const open: { node: string; next: Iterator<string> }[] = []
    const enter = (node: string) => {
      index.set(node, index.size)
      low.set(node, index.get(node) ?? 0)
      stack.push(node)
      onStack.add(node)
      open.push({ node, next: (edges.get(node) ?? new Set<string>()).values() })
    }
    enter(start)
    for (let frame = open.at(-1); frame !== undefined; frame = open.at(-1)) {
      const { node, next } = frame
      const step = next.next()
      if (step.done !== true) {
        if (!index.has(step.value)) enter(step.value)
        else if (onStack.has(step.value)) low.set(node, Math.min(low.get(node) ?? 0, index.get(step.value) ?? 0))
        continue
      }
      open.pop()
      const parent = open.at(-1)?.node
      if (parent !== undefined) low.set(parent, Math.min(low.get(parent) ?? 0, low.get(node) ?? 0))
      if (low.get(node) !== index.get(node)) continue
      const members = stack.splice(stack.indexOf(node))
      for (const member of members) onStack.delete(member)
      if (members.length > 1) cycles.push(members.sort())
    }
  }
  return cycles
}

/** Edges between groups of files; a group of one file is the file. */
export function edgesBetween(
  files: readonly { path: string; imports: readonly { path: string | undefined }[] }[],
  groupOf: (path: string) => string | undefined,
): Map<string, Set<string>> {
  const edges = new Map<string, Set<string>>()
  for (const { path, imports } of files) {
    const from = groupOf(path)
    if (from === undefined) continue
    const targets = edges.get(from) ?? new Set<string>()
    edges.set(from, targets)
    for (const imported of imports) {
      const to = imported.path === undefined ? undefined : groupOf(imported.path)
      if (to !== undefined && to !== from) targets.add(to)
    }
  }
  return edges
}
