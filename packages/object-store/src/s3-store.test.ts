import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { canRunS3Gateway, type S3Gateway, startS3Gateway } from '@threadbox/testkit/s3-gateway'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeObjectStore } from './object-store.test-suite.ts'
import { contentOf } from './object-store.ts'
import { openStore } from './open-store.ts'
import { openS3Store } from './s3-store.ts'

describe.skipIf(!canRunS3Gateway)('S3', () => {
  let gateway: S3Gateway
  let buckets = 0
  beforeAll(async () => {
    gateway = await startS3Gateway()
  })
  afterAll(() => gateway[Symbol.asyncDispose]())

  const nextBucket = async () => {
    const bucket = `bucket-${++buckets}`
    await gateway.makeBucket(bucket)
    return bucket
  }
  const optionsFor = (bucket: string, prefix = '') => ({ ...gateway, bucket, prefix, region: 'us-east-1', retries: 0 })

  for (const prefix of ['', 'some/prefix/']) {
    describeObjectStore({
      name: `buckets with the prefix "${prefix}"`,
      setUp: async () => {
        const bucket = await nextBucket()
        return { open: () => openS3Store(optionsFor(bucket, prefix)), tearDown: async () => undefined }
      },
    })
  }

  test('a bucket of another program, a newer format, a wrong key and a missing bucket are refused', async () => {
    const bucket = await nextBucket()
    const store = await openS3Store(optionsFor(bucket, 'mine/'))
    await expect(openS3Store(optionsFor(bucket))).rejects.toMatchObject({ code: 'store.of-other-program' })
    await store.delete('format')
    await store.put('format', await contentOf('threadbox-store 2\n'))
    await expect(openS3Store(optionsFor(bucket, 'mine/'))).rejects.toMatchObject({ code: 'store.format-newer' })
    const wrong = { ...optionsFor(bucket, 'other/'), secretAccessKey: 'wrong' }
    await expect(openS3Store(wrong)).rejects.toMatchObject({ code: 'store.refused' })
    await expect(openS3Store(optionsFor('no-such-bucket'))).rejects.toMatchObject({ code: 'store.refused' })
  })

  test('lists longer than a page are complete', async () => {
    const store = await openS3Store(optionsFor(await nextBucket()))
    const content = await contentOf('x')
    for (let start = 0; start < 1100; start += 100) {
      await Promise.all(Array.from({ length: 100 }, (_, number) => store.put(`objects/aa/${start + number}`, content)))
    }
    let count = 0
    for await (const _ of store.list('objects/')) count += 1
    expect(count).toBe(1100)
  })

  test('an address opens the bucket, below its prefix', async () => {
    const bucket = await nextBucket()
    const place = `s3+${gateway.endpoint}/${bucket}/team/backups?region=us-east-1`
    const store = await openStore(place, { outside: [], access: gateway })
    await store.put('objects/aa/1', await contentOf('x'))
    const inner = await openS3Store(optionsFor(bucket, 'team/backups/'))
    expect(await new Response(await inner.get('objects/aa/1')).text()).toBe('x')
  })
})

test('a server that fails, redirects or is not there is reported as such, and no request goes elsewhere', async () => {
  const seen: string[] = []
  const server: Server = createServer((request, response) => {
    seen.push(request.url ?? '')
    if (request.url?.startsWith('/moved/')) response.writeHead(302, { location: '/elsewhere' }).end()
    else response.writeHead(500).end('broken')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const options = { bucket: 'bucket', prefix: '', region: 'r', accessKeyId: 'a', secretAccessKey: 's', retries: 0 }
  const endpoint = `http://127.0.0.1:${port}`
  await expect(openS3Store({ ...options, endpoint })).rejects.toMatchObject({ code: 'store.unreachable' })
  await expect(openS3Store({ ...options, endpoint, bucket: 'moved' })).rejects.toMatchObject({
    code: 'store.unreachable',
  })
  expect(seen).toEqual(['/bucket/format', '/moved/format'])
  server.close()
  await once(server, 'close')
  await expect(openS3Store({ ...options, endpoint })).rejects.toMatchObject({ code: 'store.unreachable' })
})
