const states = ['waiting', 'running', 'done', 'failed'] as const

export type Step = {
  id: string
  state: (typeof states)[number]
  title: string
  seconds: number
  downloadedBytes: number | null
  now: string
}

/** In the order in which the launcher begins them. */
const order = ['packages', 'node', 'runsc', 'release', 'image', 'start']

/** The launcher's step files: state, title, milliseconds, bytes or `-`, what happens now; tabs between. */
export function readSteps(files: readonly { id: string; text: string }[]): Step[] {
  const steps = files.flatMap(({ id, text }) => {
    const [state, title, milliseconds, bytes, now] = text.replace(/\n$/, '').split('\t')
    const known = states.find((name) => name === state)
    if (known === undefined || !title) return []
    const downloadedBytes = bytes && /^\d+$/.test(bytes) ? Number(bytes) : null
    return [{ id, state: known, title, seconds: Number(milliseconds) / 1000 || 0, downloadedBytes, now: now ?? '' }]
  })
  const place = (step: Step) => order.indexOf(step.id) + 1 || order.length + 1
  return steps.sort((a, b) => place(a) - place(b))
}
