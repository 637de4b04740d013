import { isThreadboxError } from '@threadbox/errors'
import { checkProperty, cutAnywhere, cuts, foreignText } from '@threadbox/testkit/properties'
import { array, asyncProperty, constantFrom, oneof, stringMatching, tuple, uint8Array } from 'fast-check'
import { expect, test } from 'vitest'
import { readMultipart } from './multipart.ts'

const contentType = 'multipart/form-data; boundary=edge'
const file = tuple(stringMatching(/^[a-z ]{0,12}$/), uint8Array({ maxLength: 200 }))

test('an upload in any pieces has the files that were sent', () =>
  checkProperty(
    'multipart-in-pieces',
    asyncProperty(array(file, { maxLength: 4 }), cuts(1500), async (files, places) => {
      const body = Buffer.concat([
        ...files.flatMap(([name, content]) => [
          Buffer.from(`--edge\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\n\r\n`),
          Buffer.from(content),
          Buffer.from('\r\n'),
        ]),
        Buffer.from('--edge--\r\n'),
      ])
      const sent = files.map(([name, content]) => [name, Buffer.from(content)])
      expect(await readIn(cutAnywhere(body, places))).toEqual(sent)
    }),
  ))

test('any body is a list of files or an error with a code', () =>
  checkProperty(
    'multipart-any-bytes',
    asyncProperty(
      array(
        oneof(
          foreignText(),
          constantFrom('--edge', '\r\n', '\r\n\r\n', '--edge--', 'content-disposition: form-data; filename="a'),
          foreignText(20),
        ),
        { maxLength: 12 },
      ),
      cuts(),
      async (parts, places) => {
        const body = Buffer.from(parts.join(''))
        expect(await readIn(cutAnywhere(body, places))).toEqual(await readIn([body]))
      },
    ),
  ))

async function readIn(pieces: Buffer[]) {
  const found: [string | undefined, Buffer][] = []
  try {
    for await (const { filename, content } of readMultipart({
      contentType,
      body: (async function* () {
        yield* pieces
      })(),
    })) {
      const chunks: Buffer[] = []
      for await (const chunk of content) chunks.push(chunk)
      found.push([filename, Buffer.concat(chunks)])
    }
    return found
  } catch (error) {
    if (!isThreadboxError(error)) throw error
    return error.message
  }
}
