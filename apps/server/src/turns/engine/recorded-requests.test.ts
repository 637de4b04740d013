import { beforeAll, describe, expect, it } from 'vitest'
import { recordRequests, requestNames } from './recorded-requests.test-utils.ts'
import { makeRequestFixture } from './request-fixture.test-utils.ts'

const protocols = ['anthropic', 'openai', 'google'] as const
const fixture = makeRequestFixture()
const files = new Map<string, string>()

beforeAll(async () => {
  for (const protocol of protocols) files.set(protocol, fixture.file(await recordRequests(protocol)))
})

/**
 * Everything that goes to a model over the wire. After an intended change of a text, `npm run requests:write` records
 * the requests again; the diff shows every text that the change reaches.
 */
describe(`${protocols.length * requestNames.length} recorded requests`, () => {
  it.each(protocols)('%s gets them byte for byte as recorded', async (protocol) => {
    await expect(files.get(protocol)).toMatchFileSnapshot(`./recorded-requests/${protocol}.json`)
  })

  it('contain the recorded texts', async () => {
    await expect(fixture.textsFile()).toMatchFileSnapshot('./recorded-requests/texts.json')
  })
})
