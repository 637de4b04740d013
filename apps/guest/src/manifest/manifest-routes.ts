import { guestPaths } from '@threadbox/protocol/guest'
import { initInvalid } from '../ground/guest-state.ts'
import { releaseHeap } from '../ground/heap.ts'
import { sendJson } from '../ground/http.ts'
import type { Route } from '../ground/server.ts'
import type { ReadManifest } from './manifest.ts'

/**
 * `GET /manifest?hashKey=<hex>`; with `variableBytes`, variables above that size are marked as over the budget. With
 * `glance=1` it is as quick as possible and ends or frees nothing.
 */
export function manifestRoutes(dependencies: {
  readManifest: ReadManifest
  /**
   * Before a pause, a manifest ends unused things that the guest can start again, so that they are not saved with the rest.
   */
  dropUnused(): Promise<void>
}): Route[] {
  return [
    {
      method: 'GET',
      path: guestPaths.manifest,
      access: 'token',
      handle: async (request, response) => {
        const query = new URL(request.url ?? '/', 'http://guest').searchParams
        const hashKey = query.get('hashKey') ?? ''
        if (!/^([0-9a-f]{2}){16,64}$/i.test(hashKey)) {
          throw initInvalid({ problem: 'hashKey must be 16 to 64 bytes in hexadecimal digits' })
        }
        const isQuick = query.get('glance') === '1'
        const endsUnused = !isQuick && query.get('keep') !== '1'
        if (endsUnused) await dependencies.dropUnused()
        const asked = query.get('variableBytes')
        const variableBytes = asked === null ? undefined : Number(asked)
        const body = await dependencies.readManifest({ hashKey, variableBytes, isQuick })
        if (endsUnused) releaseHeap()
        sendJson(response, { body })
      },
    },
  ]
}
