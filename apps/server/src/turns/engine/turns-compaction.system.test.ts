import { it } from 'vitest'
import { haveLongConversation } from './small-window.test-utils.ts'
import { makeTestBench } from './turns.test-utils.ts'

it('C7: 300 turns on a model with a small window keep working; early decisions and files are kept', async () => {
  await using bench = await makeTestBench()
  await haveLongConversation(bench, 300)
}, 300_000)
