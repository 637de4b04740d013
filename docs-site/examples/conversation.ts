import { applyThreadEvent, createClient, threadStateOf } from '@threadbox/sdk'

const threadbox = createClient({
  baseUrl: process.env.THREADBOX_URL ?? 'http://127.0.0.1:7717',
  apiKey: process.env.THREADBOX_API_KEY ?? '',
})

const thread = await threadbox.threads.create({ title: 'From a program' })
let state = threadStateOf(await threadbox.threads.entries(thread.id))
await threadbox.threads.sendMessage(thread.id, { text: '/run uname -a', key: crypto.randomUUID() })

// Follows the conversation, over lost connections too, until the turn has ended.
const ended = new AbortController()
await threadbox.streamThread(thread.id, {
  after: state.lastSeq,
  signal: ended.signal,
  onEvent: (event) => {
    state = applyThreadEvent(state, event)
    if (event.type === 'turn-updated' && event.turn.status !== 'running') ended.abort()
  },
})
for (const entry of state.entries) console.log(entry.kind, 'status' in entry ? entry.status : '')
